// Seals packets of random lengths with AES-128-GCM by one call of the library, and by Node's crypto: every result is
// compared, and the time that each way takes for a packet in its fastest round is printed.
//
//     node seal.js [PACKETS [ROUNDS]]
'use strict';
const crypto = require('node:crypto');
const koffi = require('koffi');

const IV_BYTES = 12, TAG_BYTES = 16;
const library = koffi.load(process.env.CRYPTOSTITCH_LIBRARY || 'libcryptostitch.so.0');
koffi.opaque('cst_ctx');
koffi.opaque('cst_suite');
koffi.opaque('cst_key');
koffi.struct('cst_text_column', {
    size: 'size_t', key: 'cst_key *', in: 'void *', out: 'void *', bytes: 'size_t', offsets: 'void *',
    offset_bytes: 'size_t', n: 'size_t', ivs: 'void *', iv_len: 'size_t', iv_stride: 'size_t', aads: 'void *',
    aad_len: 'size_t', aad_stride: 'size_t', tags: 'void *', tag_len: 'size_t', tag_stride: 'size_t',
    statuses: 'void *',
});
const c = Object.fromEntries([
    'const char *cst_error_text(int error)',
    'int cst_ctx_new(_Out_ cst_ctx **ctx, void *options)',
    'void cst_ctx_free(cst_ctx *ctx)',
    'int cst_suite_get(cst_ctx *ctx, const char *name, _Out_ cst_suite **suite)',
    'int cst_key_new(cst_suite *suite, void *key, size_t key_len, void *mac, size_t mac_len, _Out_ cst_key **out)',
    'void cst_key_free(cst_key *key)',
    'int cst_seal_column(const cst_text_column *column)',
].map((text) => [/(cst_\w+)\(/.exec(text)[1], library.func(text)]));

function check(code) {
    if (code !== 0) throw new Error(c.cst_error_text(code));
}

/** The object that `call` makes: it is given the place of the pointer. */
function made(call) {
    const out = [null];
    check(call(out));
    return out[0];
}

/** Seals text i, data[offsets[i] .. offsets[i + 1]), to the same place of `out`. Buffers do not move, and those of the
 * structure live as long as the call. */
function sealColumn(key, { data, offsets, ivs }, out, tags) {
    check(c.cst_seal_column({
        size: koffi.sizeof('cst_text_column'), key, in: data, out, bytes: data.length, offsets,
        offset_bytes: offsets.BYTES_PER_ELEMENT, n: offsets.length - 1, ivs, iv_len: IV_BYTES, iv_stride: 0, aads: null,
        aad_len: 0, aad_stride: 0, tags, tag_len: TAG_BYTES, tag_stride: 0, statuses: null,
    }));
}

function packets(n) {
    const offsets = new Uint32Array(n + 1);
    for (let i = 0; i < n; i++) offsets[i + 1] = offsets[i] + 64 + crypto.randomInt(1400);
    const ivs = Buffer.alloc(n * IV_BYTES);
    for (let i = 0; i < n; i++) ivs.writeUInt32BE(i + 1, i * IV_BYTES + 8); // salt || counter
    return { data: crypto.randomBytes(offsets[n]), offsets, ivs };
}

function sealByNode(secret, { data, offsets, ivs }, out, tags) {
    for (let i = 0; i + 1 < offsets.length; i++) {
        const cipher = crypto.createCipheriv('aes-128-gcm', secret, ivs.subarray(i * IV_BYTES, (i + 1) * IV_BYTES));
        cipher.update(data.subarray(offsets[i], offsets[i + 1])).copy(out, offsets[i]);
        cipher.final();
        cipher.getAuthTag().copy(tags, i * TAG_BYTES);
    }
}

const [n, rounds] = [process.argv[2] ?? 10000, process.argv[3] ?? 31].map(Number);
if (!(n >= 1) || !(rounds >= 1)) {
    console.error('usage: node seal.js [PACKETS [ROUNDS]]');
    process.exit(2);
}
const secret = Buffer.from("an example's key");
const context = made((out) => c.cst_ctx_new(out, null));
const suite = made((out) => c.cst_suite_get(context, 'aes-128-gcm', out));
const key = made((out) => c.cst_key_new(suite, secret, secret.length, null, 0, out));
const texts = packets(n);
const sealed = { out: Buffer.alloc(texts.data.length), tags: Buffer.alloc(n * TAG_BYTES) };
const other = { out: Buffer.alloc(texts.data.length), tags: Buffer.alloc(n * TAG_BYTES) };
const times = { 'cst_seal_column from Node': [], 'crypto': [] };
for (let i = 0; i < rounds; i++) { // the ways take turns, so that what the machine does meanwhile meets both
    const start = process.hrtime.bigint();
    sealColumn(key, texts, sealed.out, sealed.tags);
    const middle = process.hrtime.bigint();
    sealByNode(secret, texts, other.out, other.tags);
    times['cst_seal_column from Node'].push(Number(middle - start));
    times.crypto.push(Number(process.hrtime.bigint() - middle));
}
c.cst_key_free(key);
c.cst_ctx_free(context);
if (!sealed.out.equals(other.out) || !sealed.tags.equals(other.tags)) throw new Error('the library and Node differ');
console.log(`${n} packets, ${texts.data.length} bytes: all agree`);
for (const [name, all] of Object.entries(times)) {
    console.log(`${name.padEnd(25)} ${(Math.min(...all) / n).toFixed(1).padStart(8)} ns a packet`);
}

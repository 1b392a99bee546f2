#include "variant.hpp"

#include <algorithm>
#include <cstring>

#include "../suite/crc.hpp"
#include "../suite/galois.hpp"
#include "../suite/poly1305.hpp"

namespace cst {
namespace {

uint32_t round_up(uint32_t value, uint32_t align) { return (value + align - 1) / align * align; }

bool fits_rc4(const ProgramRecord &program, const FieldRecord *chain, const FieldRecord *key,
              const FieldRecord *table) {
    return program.lanes == 1 && !key && table && table->n_lanes == 1 && table->entry_bytes == 4 &&
           table->row_bytes == 4 && table->rows == 256 && chain->entry_bytes == 16 && chain->rows == 1;
}

bool fits_keyed(const AlgorithmRecord &algorithm, const FieldRecord *chain, const FieldRecord *key) {
    if (!key || key->entry_bytes != 16 || (algorithm.reads_only() && (key->flags & FIELD_SHARED))) return false;
    if (algorithm.kind == ALGORITHM_POLY1305)
        return chain->entry_bytes % 4 == 0 && chain->rows * chain->entry_bytes <= MOST_CHAIN && key->rows &&
               key->rows == poly1305_rows(key->form());
    if (algorithm.kind == ALGORITHM_CODEC) {
        const uint32_t factor = key->form() == KEY_BITS ? BIT_MATRIX : NIBBLE_PRODUCTS;
        return (key->form() == KEY_BITS || key->form() == KEY_NIBBLES) &&
               key->rows == (factor * algorithm.key_bytes + 15) / 16;
    }
    if (key->form() != KEY_USUAL && !(algorithm.is_des() && key->form() == KEY_SLICED)) return false;
    if (chain && (chain->entry_bytes != 16 || chain->rows != 1)) return false;
    if (algorithm.kind == ALGORITHM_GHASH) return key->rows <= MOST_POWERS;
    if (algorithm.is_des()) return key->rows == algorithm.rounds / 2;
    return key->rows == (algorithm.kind == ALGORITHM_CHACHA ? 2 : algorithm.rounds + 1);
}

// A row of the chaining value has a word of each segment that a call does; calls together do all of them.
bool fits_segments(const ProgramRecord &program, const AlgorithmRecord &algorithm, const FieldRecord &chain) {
    const uint32_t segments = chain.entry_bytes / algorithm.word_bytes;
    return program.lanes == 1 && program.state_bytes <= MOST_ALONE_STATE && program.state_align <= 64 &&
           chain.row_bytes == chain.entry_bytes && chain.rows == algorithm.words && segments &&
           chain.entry_bytes % algorithm.word_bytes == 0 && SEGMENTS % segments == 0;
}

// Adds the lanes of one stream to a part. Returns false if the stream's layout differs from that of the part's earlier
// streams.
bool add_stream(const ProgramRecord &program, const AlgorithmRecord &algorithm, uint32_t base, Part *part) {
    const FieldRecord *in = program.field("in"), *out = program.field("out"), *chain = program.field("chain"),
                      *key = program.field("key"), *table = program.field("table");
    const bool words = algorithm.has_words(), writes = !algorithm.reads_only();
    const uint32_t lanes = program.lanes;
    auto fits = [&](const FieldRecord *f) {
        return !f || f->n_lanes == lanes || (f == key && (f->flags & FIELD_SHARED));
    };
    if (!chain != !algorithm.has_chain() || !fits(in) || !fits(out) || !fits(chain) || !fits(key)) return false;
    if (in && in->entry_bytes != 8) return false;
    if (out && out->entry_bytes != 8) return false;
    if (algorithm.kind == ALGORITHM_RC4) {
        if (!fits_rc4(program, chain, key, table)) return false;
        part->table_bytes = table->rows * table->row_bytes;
    } else if (table || (algorithm.segments() ? !fits_segments(program, algorithm, *chain)
                         : words ? chain->entry_bytes != algorithm.word_bytes || chain->rows != algorithm.words
                                 : !fits_keyed(algorithm, chain, key))) {
        return false;
    }
    if (writes && (!out || !in)) return false;

    const bool first = part->lanes.empty();
    const bool shared = key && (key->flags & FIELD_SHARED);
    if (!first) {
        if (chain && chain->row_bytes != part->chain_row_bytes) return false;
        if (key && (key->row_bytes != part->key_row_bytes || key->form() != part->key_form ||
                    shared == part->key_copies.empty()))
            return false;
    }
    if (chain) {
        part->chain_rows = chain->rows;
        part->chain_row_bytes = chain->row_bytes;
        part->chain_entry = chain->entry_bytes;
    }
    if (key) {
        part->key_rows = key->rows;
        part->key_row_bytes = key->row_bytes;
        part->key_form = key->form();
        for (uint32_t i = 0; shared && i < key->n_lanes; i++)
            part->key_copies.push_back(base + key->offset + key->lane_offsets[i]);
    }
    part->lanes.reserve(part->lanes.size() + lanes);
    for (uint32_t i = 0; i < lanes; i++) {
        auto at = [&](const FieldRecord *f) { return f ? base + f->offset + f->lane_offsets[i] : NO_FIELD; };
        part->lanes.push_back({at(in), at(out), at(chain), shared ? NO_FIELD : at(key), at(table)});
    }
    return true;
}

// Returns false if the layout is not as core/kinds.py says.
bool find_message(const ProgramRecord &program, const AlgorithmRecord &algorithm, uint32_t base, MessagePlace *out) {
    const bool aead = algorithm.is_message(), mac = algorithm.reads_only(), chacha_poly = algorithm.is_chacha_poly(),
               checksum = algorithm.kind == ALGORITHM_CHECKSUM, remainder = checksum && !algorithm.sums(),
               polynomial = (aead && !chacha_poly) || (mac && !checksum);  // the key holds its powers
    const bool head = chacha_poly && program.field("head_in"), short_chacha = chacha_poly && !head;
    if (checksum && (program.state_bytes > MOST_CHECKSUM_STATE || program.state_align > 64)) return false;
    const uint32_t key_bytes = checksum      ? 16 * CRC_KEY
                               : chacha_poly ? algorithm.key_bytes
                                             : 16 * (algorithm.rounds + 1);
    const struct {
        const char *name;
        uint32_t *place, bytes, reach;
        bool there;
        uint32_t rows = 1;
    } fields[] = {
        {"counter", &out->counter, 16, 0, aead},
        {"chain", &out->chain, 16, 0, algorithm.has_chain()},
        {"lengths", &out->lengths, 16, 0, aead},
        {"key", &out->key, 8, key_bytes, !mac || remainder},
        {"tweak_key", &out->tweak_key, 8, key_bytes, algorithm.is_tweaked()},
        {"powers", &out->powers, 8, program.bytes, polynomial},
        {"phase", &out->phase, 8, 16, remainder},
        {"aad", &out->aad, 8, MESSAGE_AAD, aead},
        {"head_in", &out->head_in, 8, program.bytes, head || checksum},
        {"head_out", &out->head_out, 8, program.bytes, head},
        {"end_in", &out->end_in, 8, program.bytes, !checksum},
        {"end_out", &out->end_out, 8, program.bytes, !mac},
    };
    for (const auto &field : fields) {
        const FieldRecord *const f = program.field(field.name);
        *field.place = NO_FIELD;
        if (!f != !field.there) return false;
        if (!f) continue;
        if (f->n_lanes != 1 || f->rows != field.rows || f->entry_bytes != field.bytes || f->reach != field.reach)
            return false;
        *field.place = base + f->offset + f->lane_offsets[0];
    }
    const FieldRecord *const powers = program.field("powers_end"), *const aad = program.field("aad_mask"),
                             *const rest = program.field(checksum ? "head_mask" : "end_mask");
    const uint32_t front = powers ? powers->reach - program.bytes : 0;
    const bool short_gcm = powers && aead && front == SHORT_MESSAGE_AAD;
    const uint32_t most_blocks = checksum      ? CRC_MOST_BLOCKS
                                 : mac         ? MOST_WHOLE_GHASH
                                 : short_gcm   ? MOST_SHORT_GCM_BLOCKS
                                 : polynomial  ? MOST_GCM_BLOCKS
                                 : chacha_poly ? MOST_CHACHA_POLY_BLOCKS
                                               : MOST_MESSAGE_BLOCKS;
    if (program.bytes > 16 * most_blocks || !powers != !polynomial) return false;
    out->head = head ? program.bytes : 0;
    out->end_powers = NO_FIELD;
    out->is_short = short_chacha || short_gcm;
    // A shorter one would have it read more rows behind H than a key has (GHASH_ZEROS).
    out->least =
        short_gcm && program.bytes > 16 * MOST_GCM_BLOCKS ? program.bytes - 16 * MOST_GCM_BLOCKS + 1 : out->head;
    if (powers) {
        if (powers->n_lanes != 1 || powers->entry_bytes != 8) return false;
        if (front != (mac ? 0 : program.bytes) && !out->is_short) return false;
        out->end_powers = base + powers->offset + powers->lane_offsets[0];
    }
    out->aad_blocks = (out->is_short ? SHORT_MESSAGE_AAD : MESSAGE_AAD) / 16;
    out->bits = rest && rest->entry_bytes == 8;
    if (!aad != !(aead && out->bits) || (aad && (aad->entry_bytes != 8 || aad->rows != 1))) return false;
    if (out->bits ? rest->rows != program.bytes / 64 : rest && rest->rows * rest->row_bytes != program.bytes)
        return false;
    out->aad_mask = aad ? base + aad->offset : NO_FIELD;
    out->head_mask = out->end_mask = NO_FIELD;
    if (rest) (checksum ? out->head_mask : out->end_mask) = base + rest->offset;
    return true;
}

// Whether the field holds pointers or a ciphertext, or says which blocks and bytes of a message exist.
bool is_public(const FieldRecord &field) {
    const auto is = [&](const char *name) { return std::strcmp(field.name, name) == 0; };
    return field.reach || is("in") || is("out") || is("aad_mask") || is("end_mask") || is("head_mask") ||
           is("scratch_text");
}

// Finds what remains to be wiped of a kernel's state blocks: all fields but public ones. Where these divide the others
// into more spans than there is room for, the spans with the least between them become one.
void find_secrets(const PackRecords &records, const KernelRecord &kernel, Variant *v) {
    constexpr uint32_t ROW = 16;
    std::vector<Span> spans;
    for (uint32_t i = 0; i < v->n_streams; i++)
        for (const FieldRecord &f : records.program(kernel.streams[i]).fields) {
            if (is_public(f)) continue;
            const uint32_t first = (v->state_offset[i] + f.offset) / ROW * ROW, rows = f.rows * f.row_bytes;
            uint32_t last = 0;
            for (uint32_t lane = 0; lane < f.n_lanes; lane++) last = std::max<uint32_t>(last, f.lane_offsets[lane]);
            const uint32_t entries = (f.rows - 1) * f.row_bytes + last + f.entry_bytes;
            spans.push_back({first, round_up(v->state_offset[i] + f.offset + std::max(rows, entries), ROW) - first});
        }
    std::sort(spans.begin(), spans.end(), [](const Span &a, const Span &b) { return a.from < b.from; });
    while (spans.size() > 1) {
        const auto end = [&](size_t i) { return spans[i].from + spans[i].bytes; };
        const auto between = [&](size_t i) { return int64_t(spans[i + 1].from) - int64_t(end(i)); };
        size_t at = 0;
        for (size_t i = 1; i + 1 < spans.size(); i++)
            if (between(i) < between(at)) at = i;
        if (between(at) > 0 && spans.size() <= Variant::MOST_SECRETS) break;
        spans[at].bytes = std::max(end(at), end(at + 1)) - spans[at].from;
        spans.erase(spans.begin() + std::ptrdiff_t(at) + 1);
    }
    std::copy(spans.begin(), spans.end(), v->secrets);
}

Role message_role(const PackRecords &records, const KernelRecord &kernel, Variant *v) {
    const ProgramRecord &program = records.program(kernel.streams[0]);
    const Algorithm &algorithm = records.algorithm(kernel.streams[0]);
    const FieldRecord *const in = program.field("in"), *const out = program.field("out");
    const bool mac = algorithm.record.kind == ALGORITHM_GHASH || algorithm.record.kind == ALGORITHM_CHECKSUM;
    if (v->n_streams != 1 || kernel.streams[0].ratio != 1 || program.lanes != 1 || v->lag || !algorithm.usable || !in ||
        !out != mac || !(mac || algorithm.record.is_mode() || algorithm.record.is_chacha_poly()) ||
        !find_message(program, algorithm.record, v->state_offset[0], &v->message))
        return Role::other;
    auto at = [&](const FieldRecord *f) { return f ? v->state_offset[0] + f->offset + f->lane_offsets[0] : NO_FIELD; };
    Part &part = mac ? v->hash : v->cipher;
    part.algorithm = &algorithm;
    part.lanes.push_back({at(in), at(out), v->message.chain, NO_FIELD, NO_FIELD});
    v->lanes = 1;
    v->step = program.bytes;
    return Role::message;
}

// All messages of a list that are hashed have one length, or with their padding one number of blocks.
void find_hashed_lengths(const AlgorithmRecord &hash, Variant *v) {
    MessagePlace &place = v->message;
    if (v->message.padded) place.most -= 1 + hash.length_bytes;
    if (!v->message.padded) place.least = place.most;
    else place.least = place.most < hash.block_bytes ? 0 : place.most + 1 - hash.block_bytes;
}

// A list of messages of GCM, of texts, or of messages that are hashed: the fields are those of cst_job, and the key is
// laid out as that of a suite.
Role list_role(const PackRecords &records, const KernelRecord &kernel, Variant *v) {
    const ProgramRecord &program = records.program(kernel.streams[0]);
    const Algorithm &algorithm = records.algorithm(kernel.streams[0]);
    const AlgorithmRecord &record = algorithm.record;
    const bool opens = record.decrypts_only();
    const bool aead = record.is_message(), hashes = record.kind == ALGORITHM_HASH;
    const FieldRecord *const key = program.field("key"), *const padded = program.field("padded_in"),
                             *const text = padded ? padded : program.field("text_in");
    if (v->n_streams != 1 || kernel.streams[0].ratio != 1 || program.lanes != 1 || v->lag || !algorithm.usable ||
        program.state_bytes != sizeof(cst_job) || !text || text->reach < program.bytes)
        return Role::other;
    if (hashes ? record.of_another_kind() || record.keyed_hash() || text->reach > program.bytes ||
                     (padded && (program.bytes > MOST_PADDED || program.bytes % record.block_bytes))
               : !record.is_mode() || !key || padded || program.bytes > 16 * MOST_GCM_BLOCKS)
        return Role::other;
    v->jobs.key_bytes = key ? key->reach : 0;
    v->jobs.iv = aead ? 12 : !hashes && record.has_chain() ? 16 : 0;
    v->jobs.unit = record.is_tweaked() ? 16 : 1;  // no ciphertext is stolen
    v->jobs.tag = aead ? 16 : hashes ? record.digest_bytes : 0;
    v->jobs.least_aad = aead ? program.least_aad() : 0;
    v->jobs.most_aad = !aead ? 0 : v->jobs.least_aad ? ONE_BLOCK_AAD : SHORT_MESSAGE_AAD;
    v->jobs.masks = program.masks != 0;
    v->message.padded = padded;
    const struct {
        const char *name;
        size_t offset;
        uint32_t bytes, reach;
        bool there = true;
    } fields[] = {
        {"key", offsetof(cst_job, key), 8, v->jobs.key_bytes, key != nullptr},
        {"iv", offsetof(cst_job, iv), 8, v->jobs.iv, v->jobs.iv != 0},
        {"aad", offsetof(cst_job, aad), 8, v->jobs.least_aad ? ONE_BLOCK_AAD : MESSAGE_AAD, aead},
        {"aad_bytes", offsetof(cst_job, aad_len), 8, 0, aead},
        {"text_in", offsetof(cst_job, in), 8, text->reach, !padded},
        {"padded_in", offsetof(cst_job, in), 8, text->reach, v->message.padded},
        {"text_bytes", offsetof(cst_job, in_len), 8, 0, !hashes},
        {"text_out", offsetof(cst_job, out), 8, text->reach, !hashes},
        {"tag", offsetof(cst_job, tag), 8, v->jobs.tag, v->jobs.tag && !opens},
        {"tag_made", offsetof(cst_job, in_pieces), v->jobs.tag, 0, aead && opens},
    };
    size_t found = 0;
    for (const auto &field : fields) {
        const FieldRecord *const f = program.field(field.name);
        if (!f != !field.there) return Role::other;
        if (!f) continue;
        found++;
        if (f->offset != field.offset || f->n_lanes != 1 || f->lane_offsets[0] || f->rows != 1 ||
            f->entry_bytes != field.bytes || f->reach != field.reach)
            return Role::other;
    }
    if (found != program.fields.size()) return Role::other;
    v->any_length = true;
    v->message.is_listed = true;
    v->message.bits = true;
    v->message.head = program.text_head();
    v->message.least = v->message.head + 1;
    v->message.most = text->reach;
    v->message.is_short = !v->message.head;
    if (hashes) find_hashed_lengths(record, v);
    (hashes ? v->hash : v->cipher).algorithm = &algorithm;
    v->lanes = 1;
    v->step = program.bytes;
    return Role::list;
}

// Finds the fields of a checksum whose end is behind the loop. Returns false if they are not as core/kinds.py says.
bool find_sum(const ProgramRecord &program, uint32_t base, SumPlace *out) {
    const struct {
        const char *name;
        uint32_t *place, bytes, reach, rows;
    } fields[] = {
        {"in", &out->in, 8, 0, 1},
        {"chain", &out->chain, 16, 0, 1},
        {"phase", &out->phase, 8, 16, 1},
        {"end_in", &out->end_in, 8, program.bytes, 1},
        {"end_mask", &out->end_mask, 8, 0, program.bytes / 64},
    };
    for (const auto &field : fields) {
        const FieldRecord *const f = program.field(field.name);
        if (!f || f->n_lanes != 1 || f->rows != field.rows || f->entry_bytes != field.bytes || f->reach != field.reach)
            return false;
        *field.place = base + f->offset + f->lane_offsets[0];
    }
    return program.bytes % 64 == 0 && program.bytes <= 16 * CRC_MOST_BLOCKS;
}

// Returns whether the kernel is of whole messages of a cipher without a MAC, and a checksum: of the cipher's input, and
// then it comes first and is an iteration ahead, or of its output, and then it comes second and is one behind.
bool is_checked_kernel(const PackRecords &records, const KernelRecord &kernel, Variant *v) {
    if (v->n_streams != 2) return false;
    const uint32_t sum = records.algorithm(kernel.streams[0]).record.kind != ALGORITHM_CHECKSUM, cipher = 1 - sum;
    const StreamRecord &its = kernel.streams[sum], &text = kernel.streams[cipher];
    const ProgramRecord &program = records.program(its), &other = records.program(text);
    const Algorithm &checksum = records.algorithm(its), &enciphers = records.algorithm(text);
    const FieldRecord *const in = other.field("in"), *const out = other.field("out");
    if (checksum.record.kind != ALGORITHM_CHECKSUM || !checksum.usable || !enciphers.usable ||
        !enciphers.record.is_tweaked() || its.ratio != 1 || text.ratio != 1 || program.lanes != 1 || other.lanes != 1 ||
        program.bytes != other.bytes || kernel.streams[0].lag || kernel.streams[1].lag != 1 || !in || !out ||
        !find_message(other, enciphers.record, v->state_offset[cipher], &v->message) || !v->message.bits ||
        !find_sum(program, v->state_offset[sum], &v->sum))
        return false;
    auto at = [&](const FieldRecord *f) { return v->state_offset[cipher] + f->offset + f->lane_offsets[0]; };
    v->sum.reads_input = sum == 0;
    v->cipher.algorithm = &enciphers;
    v->hash.algorithm = &checksum;
    v->cipher.lanes.push_back({at(in), at(out), v->message.chain, NO_FIELD, NO_FIELD});
    v->hash.lanes.push_back({v->sum.in, NO_FIELD, v->sum.chain, NO_FIELD, NO_FIELD});
    v->lanes = 1;
    v->step = program.bytes;
    return true;
}

// A key schedule has no input and no output but its state block.
Role schedule_role(const PackRecords &records, const KernelRecord &kernel, Variant *v) {
    const ProgramRecord &program = records.program(kernel.streams[0]);
    const Algorithm &algorithm = records.algorithm(kernel.streams[0]);
    const FieldRecord *const key = program.field("key"), *const chain = program.field("chain");
    auto are_rows = [](const FieldRecord *f, uint32_t rows) {
        return f && f->rows == rows && f->row_bytes == 16 && f->entry_bytes == 16 && f->n_lanes == 1;
    };
    if (v->n_streams != 1 || kernel.streams[0].ratio != 1 || program.lanes != 1 || v->lag || !algorithm.usable ||
        program.field("in") || program.field("out") || !are_rows(key, (algorithm.record.key_bytes + 15) / 16) ||
        !are_rows(chain, algorithm.record.rounds + 1))
        return Role::other;
    auto at = [&](const FieldRecord *f) { return v->state_offset[0] + f->offset + f->lane_offsets[0]; };
    v->cipher.algorithm = &algorithm;
    v->cipher.lanes.push_back({NO_FIELD, NO_FIELD, at(chain), at(key), NO_FIELD});
    v->lanes = 1;
    v->step = program.bytes;
    return Role::schedule;
}

// Adds a stream of steps over numbers: chain and key are words of its lanes, and a table, if there is one, of all lanes
// together. Returns false if they are not.
bool add_numbers(const ProgramRecord &program, const Algorithm &algorithm, uint32_t base, Part *part) {
    const FieldRecord *const chain = program.field("chain"), *const key = program.field("key");
    auto are_words = [&](const FieldRecord *f) { return f && f->entry_bytes == 8 && f->n_lanes == program.lanes; };
    if (!are_words(chain) || !are_words(key) || program.field("in") || program.field("out")) return false;
    const FieldRecord *const table = program.field("table");
    if (table) part->table_bytes = table->rows * table->row_bytes;
    part->algorithm = &algorithm;
    part->chain_rows = chain->rows;
    part->chain_row_bytes = chain->row_bytes;
    part->chain_entry = chain->entry_bytes;
    part->key_rows = key->rows;
    part->key_row_bytes = key->row_bytes;
    for (uint32_t i = 0; i < program.lanes; i++)
        part->lanes.push_back({NO_FIELD, NO_FIELD, base + chain->offset + chain->lane_offsets[i],
                               base + key->offset + key->lane_offsets[i], table ? base + table->offset : NO_FIELD});
    return true;
}

Role arithmetic_role(const PackRecords &records, const KernelRecord &kernel, Variant *v) {
    const Algorithm &algorithm = records.algorithm(kernel.streams[0]);
    if (v->n_streams > 2 || v->lag || !algorithm.usable) return Role::other;
    for (uint32_t i = 0; i < v->n_streams; i++) {
        const ProgramRecord &program = records.program(kernel.streams[i]);
        if (&records.algorithm(kernel.streams[i]) != &algorithm || kernel.streams[i].ratio != 1 ||
            !add_numbers(program, algorithm, v->state_offset[i], i ? &v->hash : &v->cipher))
            return Role::other;
        v->step = program.bytes;
    }
    v->lanes = uint32_t(v->cipher.lanes.size() + v->hash.lanes.size());
    return v->lanes <= MAX_LANES ? Role::arithmetic : Role::other;
}

// Whether the streams are hashes that read blocks of a message in place, of two algorithms.
bool two_hashes(const PackRecords &records, const KernelRecord &kernel, uint32_t n_streams) {
    bool two = false;
    for (uint32_t i = 0; i < n_streams; i++) {
        const AlgorithmRecord &record = records.algorithm(kernel.streams[i]).record;
        const bool in_place = !record.of_another_kind() || record.segments() || record.leaves_rest();
        if (record.kind != ALGORITHM_HASH || !in_place) return false;
        two |= &records.algorithm(kernel.streams[i]) != &records.algorithm(kernel.streams[0]);
    }
    return two;
}

// Both hashes must have the same blocks, but beside a multi-hash, and read each lane's input at an address of its own.
Role role_of_two(Variant *v, uint32_t hands) {
    const size_t lanes = v->hash.lanes.size();
    if (hands || v->lag || v->cipher.lanes.size() != lanes) return Role::other;
    for (const Part *part : {&v->cipher, &v->hash}) {
        const AlgorithmRecord &its = part->algorithm->record;
        if (its.read_bytes() != v->step && !(its.leaves_rest() && v->cipher.algorithm->record.segments()))
            return Role::other;
        for (const LanePlace &place : part->lanes)
            if (place.in == NO_FIELD) return Role::other;
    }
    v->lanes = uint32_t(lanes);
    return Role::both;
}

// Returns what the streams compute together; Role::other if no suite has a name for it.
Role role_of(const PackRecords &records, const KernelRecord &kernel, Variant *v) {
    bool decrypts = false, opens = false;  // opens: a decryption whose hash reads the ciphertext can be stitched
    uint32_t cipher_lag = 0, hash_lag = UINT32_MAX, hands = 0, step = 0;
    std::vector<uint32_t> buffers, readers;
    const Algorithm *const first = &records.algorithm(kernel.streams[0]);
    const bool both = two_hashes(records, kernel, v->n_streams);
    for (uint32_t i = 0; i < v->n_streams; i++) {
        const StreamRecord &stream = kernel.streams[i];
        const ProgramRecord &program = records.program(stream);
        const Algorithm *algorithm = &records.algorithm(stream);
        const bool hash = algorithm->record.reads_only() && !(both && algorithm == first);
        Part *part = hash ? &v->hash : &v->cipher;
        if (!algorithm->usable || algorithm->base != algorithm) return Role::other;
        if (part->algorithm && part->algorithm != algorithm) return Role::other;
        part->algorithm = algorithm;
        if (!add_stream(program, algorithm->record, v->state_offset[i], part)) return Role::other;
        const uint64_t bytes = uint64_t(program.bytes) * stream.ratio;
        if (bytes == 0 || bytes > 4096 || (step && bytes != step)) return Role::other;
        step = uint32_t(bytes);
        if (hash) {
            hash_lag = stream.lag < hash_lag ? stream.lag : hash_lag;
            if (step % algorithm->record.read_bytes()) return Role::other;
        } else if (!both) {
            if (algorithm->record.has_words() && step % algorithm->record.read_bytes()) return Role::other;
            cipher_lag = stream.lag > cipher_lag ? stream.lag : cipher_lag;
            decrypts = algorithm->record.decrypts_only();
            opens = algorithm->record.kind == ALGORITHM_CIPHER_DEC;
        }
        if (program.flags & PROGRAM_HAND) {
            hands++;
            const FieldRecord *field = program.field(hash ? "from" : "hand");
            if (!field) return Role::other;
            (hash ? readers : buffers)
                .push_back(v->state_offset[i] + field->offset + (hash && field->n_lanes ? field->lane_offsets[0] : 0));
        }
    }
    v->step = step;
    v->one_key = !v->cipher.key_copies.empty();
    if (v->cipher.lanes.size() > MAX_LANES || v->hash.lanes.size() > MAX_LANES) return Role::other;
    if (v->cipher.lanes.empty() || v->hash.lanes.empty()) {
        if (hands || v->lag) return Role::other;  // it must be able to run a single iteration
        v->lanes = uint32_t(v->cipher.lanes.size() + v->hash.lanes.size());
        if (v->cipher.lanes.empty()) {
            for (const LanePlace &place : v->hash.lanes)
                if (place.in == NO_FIELD) return Role::other;
            return Role::hash;
        }
        if (v->cipher.algorithm->record.kind == ALGORITHM_CODEC) return Role::codec;
        return decrypts ? Role::decrypt : Role::encrypt;
    }
    if (both) return role_of_two(v, hands);
    if (v->cipher.algorithm->record.kind == ALGORITHM_DUPLEX || v->hash.algorithm->record.is_step()) return Role::other;
    if ((decrypts && !opens) || v->cipher.lanes.size() != v->hash.lanes.size() ||
        hash_lag + (opens && !hands) <= cipher_lag)
        return Role::other;
    if (v->need() > IDLE_OUT_BYTES) return Role::other;
    if (hands && (hands != v->n_streams || buffers.size() != readers.size())) return Role::other;
    for (const LanePlace &place : v->hash.lanes)
        if (!hands && place.in == NO_FIELD) return Role::other;
    for (size_t i = 0; i < buffers.size(); i++) v->links.push_back({readers[i], buffers[i]});
    v->hand = hands != 0;
    v->lanes = uint32_t(v->cipher.lanes.size());
    return opens ? Role::open_pair : Role::pair;
}

// Returns Part::chain_columns.
uint32_t columns_of(const Part &part) {
    constexpr uint32_t ROW = 16;
    if (part.chain_together()) return 1;
    const uint32_t most = ROW / part.chain_entry, lanes = uint32_t(part.lanes.size());
    if ((most != 2 && most != 4) || lanes % most) return 1;
    for (uint32_t i = 0; i < lanes; i++)
        if (part.lanes[i].chain != part.lanes[i - i % most].chain + i % most * part.chain_entry) return 1;
    return most;
}

}  // namespace

void Variant::set_cost(const Cost &known) {
    cost = known;
    cost.per_byte = step ? cost.per_iteration / step : 0;
}

int describe_variant(const PackRecords &records, uint32_t index, const KernelRecord &kernel, Variant *out) {
    out->pack = records.pack;
    out->index = index;
    out->name = kernel.name;
    out->target = kernel.target;
    out->n_streams = kernel.n_streams;
    const bool known = parse_features(kernel.features, &out->features);
    if (!known) out->features = ~Features(0);
    out->legacy_sse = known && is_legacy_sse(out->features);
    uint32_t offset = 0, most_align = 0;
    for (uint32_t i = 0; i < out->n_streams; i++) {
        if (kernel.streams[i].program >= records.programs.size()) return CST_ERR_PACK;
        const ProgramRecord &program = records.program(kernel.streams[i]);
        if (program.algorithm >= records.algorithms.size() || program.state_bytes > (1u << 24)) return CST_ERR_PACK;
        const uint32_t align = program.state_align < 64 ? 64 : program.state_align;
        if (align > most_align) most_align = align;
        offset = round_up(offset, align);
        out->state_offset[i] = offset;
        offset += program.state_bytes;
        if (kernel.streams[i].lag > out->lag) out->lag = kernel.streams[i].lag;
    }
    out->state_bytes = round_up(offset, 64);
    out->state_align = most_align;
    out->any_length = !out->lag && out->n_streams == 1 && records.program(kernel.streams[0]).skips();
    const bool message = out->n_streams && records.program(kernel.streams[0]).skips();
    const bool listed = out->n_streams && records.program(kernel.streams[0]).is_listed();
    const uint32_t kind = out->n_streams ? records.algorithm(kernel.streams[0]).record.kind : 0;
    out->role = most_align > STATE_ALIGN                             ? Role::other
                : message && is_checked_kernel(records, kernel, out) ? Role::checked
                : message                                            ? message_role(records, kernel, out)
                : listed                                             ? list_role(records, kernel, out)
                : kind == ALGORITHM_SCHEDULE                         ? schedule_role(records, kernel, out)
                : kind == ALGORITHM_ARITHMETIC                       ? arithmetic_role(records, kernel, out)
                                                                     : role_of(records, kernel, out);
    const bool loops = out->role != Role::message || !out->message.is_short;
    if (loops && out->step & (out->step - 1)) out->role = Role::other;
    if (out->lanes) out->lanes_inverse = ((uint64_t(1) << 32) + out->lanes - 1) / out->lanes;
    while (out->step >> out->step_log2 > 1) out->step_log2++;
    for (Part *const part : {&out->cipher, &out->hash}) part->chain_columns = columns_of(*part);
    if (out->role == Role::message || out->role == Role::checked) find_secrets(records, kernel, out);
    return CST_OK;
}

}  // namespace cst

// The C API: content-defined chunks and their digests.

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "arguments.hpp"
#include "../storage/chunks.hpp"
#include "../keys/keys.hpp"
#include "../suite/secret.hpp"

using namespace cst;

struct cst_chunker {
    cst_chunker(const ChunkSizes &sizes, const cst_key *its_key, uint8_t *memory)
        : key(its_key), cutter(sizes), rest(memory) {}
    ~cst_chunker() { wipe(rest.get(), touched); }

    // Adds to what has come of the chunk that is not cut yet.
    void keep(const uint8_t *from, size_t n) {
        if (n) memcpy(rest.get() + waiting, from, n);
        waiting += n;
        touched = std::max(touched, waiting);
    }

    const cst_key *const key;  // NULL: no digests
    Cutter cutter;
    Gear gear;
    const std::unique_ptr<uint8_t[]> rest;
    size_t waiting = 0;  // bytes in `rest`: those that have been examined, and one more at most
    size_t touched = 0;  // the most that have been there
    uint64_t offset = 0;  // of the chunk in the text
};

namespace {

constexpr size_t USUAL_AVERAGE = 8192;

int make_gear(const cst_ctx &ctx, Gear *gear) {
    const Suite *const md5 = ctx.suites.find("md5");
    if (!md5) return CST_ERR_UNSUPPORTED;
    if (int error = prepare_suite(*md5)) return error;
    KeyPointer key;
    if (int error = new_key(*md5, nullptr, 0, nullptr, 0, &key)) return error;
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint8_t text[64], digest[16];
        memset(text, int(byte), sizeof(text));
        const auto its = reinterpret_cast<const cst_key *>(key.get());
        if (int error = cst_digest(its, text, sizeof(text), digest, sizeof(digest))) return error;
        uint64_t word;
        memcpy(&word, digest, sizeof(word));
        gear->of[byte] = __builtin_bswap64(word);
        gear->twice[byte] = 2 * gear->of[byte];
    }
    return CST_OK;
}

// Collects the chunks of one call, and makes the digests of many at once.
class Digests {
public:
    Digests(const cst_key *key, cst_chunk *chunks) : key_(key), chunks_(chunks) {}

    int add(const uint8_t *data, size_t bytes) {
        data_[n_] = data;
        bytes_[n_++] = bytes;
        return n_ == MOST ? make() : CST_OK;
    }
    int make() {
        const size_t n = n_;
        n_ = 0;
        if (!n || !key_) return CST_OK;
        const int error = cst_digest_many(key_, n, reinterpret_cast<const void *const *>(data_), bytes_,
                                          chunks_->digest, from(key_)->suite->tag_max, sizeof(*chunks_));
        chunks_ += n;
        return error;
    }

private:
    static constexpr size_t MOST = 128;

    const cst_key *const key_;
    cst_chunk *chunks_;
    const uint8_t *data_[MOST];
    size_t bytes_[MOST];
    size_t n_ = 0;
};

// One call of cst_chunker_feed.
class Feed {
public:
    Feed(cst_chunker *c, const uint8_t *in, size_t n, cst_chunk *chunks, size_t room)
        : c_(*c), in_(in), end_(in + n), chunks_(chunks), room_(room), digests_(c->key, chunks) {}

    int run(bool last) {
        bool more = true;
        while (more && n_ < room_) {
            if (int error = pair_over_the_border(&more)) return error;
            if (more) continue;
            const uint8_t *const from = in_;
            in_ += c_.cutter.find(c_.gear, from, size_t(end_ - from), &more);
            if (!more) in_ = end_;
            const bool ends = more || (last && c_.waiting + size_t(in_ - from));
            if (int error = ends ? end_chunk(from) : keep(from)) return error;
        }
        if (int error = digests_.make()) return error;
        if (last && n_ < room_) c_.offset = 0;
        return CST_OK;
    }
    size_t chunks() const { return n_; }
    const uint8_t *at() const { return in_; }

private:
    // Examines a byte that waits together with the other one of its pair. *cut: that ended a chunk.
    int pair_over_the_border(bool *cut) {
        *cut = false;
        if (c_.waiting == c_.cutter.examined() || in_ == end_) return CST_OK;
        const uint8_t pair[2] = {c_.rest[c_.waiting - 1], *in_};
        const size_t place = c_.cutter.find(c_.gear, pair, sizeof(pair), cut);
        if (place == sizeof(pair)) c_.keep(in_++, 1);
        if (!*cut) return CST_OK;
        c_.waiting -= place == 0;
        if (int error = end_chunk(in_)) return error;
        if (place) return CST_OK;
        if (int error = digests_.make()) return error;
        c_.keep(pair, 1);
        return CST_OK;
    }
    // The chunk consists of what waits and of what lies between `from` and in_.
    int end_chunk(const uint8_t *from) {
        const uint8_t *data = from;
        size_t bytes = size_t(in_ - from);
        if (c_.waiting) {
            c_.keep(from, bytes);
            data = c_.rest.get();
            bytes = c_.waiting;
        }
        chunks_[n_].offset = c_.offset;
        chunks_[n_++].bytes = bytes;
        c_.offset += bytes;
        c_.waiting = 0;
        c_.cutter.begin();
        return digests_.add(data, bytes);
    }
    int keep(const uint8_t *from) {
        const int error = digests_.make();  // of chunks that lie where these bytes go
        c_.keep(from, size_t(end_ - from));
        return error;
    }

    cst_chunker &c_;
    const uint8_t *in_;
    const uint8_t *const end_;
    cst_chunk *const chunks_;
    const size_t room_;
    size_t n_ = 0;
    Digests digests_;
};

}  // namespace

int cst_chunker_new(cst_ctx *ctx, const cst_chunker_options *options, cst_chunker **chunker) {
    if (!ctx || !is_object(options) || options->size != sizeof(*options) || options->flags || !is_object(chunker))
        return CST_ERR_ARGUMENT;
    const size_t average = options->average_bytes ? options->average_bytes : USUAL_AVERAGE;
    const size_t most = options->most_bytes ? options->most_bytes : std::min<size_t>(8 * average, GREATEST_MOST);
    const ChunkSizes sizes = {options->least_bytes ? options->least_bytes : average / 4, average, most,
                              options->normalization};
    const cst_key *const key = options->key;
    if (key && (from(key)->suite->engine != &ctx->engine || from(key)->suite->enciphers())) return CST_ERR_ARGUMENT;
    if (!sizes.sound()) return CST_ERR_LENGTH;
    return guarded([&]() -> int {
        std::unique_ptr<uint8_t[]> memory(new uint8_t[sizes.most]);
        std::unique_ptr<cst_chunker> made(new cst_chunker(sizes, key, memory.release()));
        if (int error = make_gear(*ctx, &made->gear)) return error;
        *chunker = made.release();
        return CST_OK;
    });
}

void cst_chunker_free(cst_chunker *chunker) { delete chunker; }

int cst_chunker_feed(cst_chunker *chunker, const void *in, size_t in_len, int last, cst_chunk *chunks, size_t room,
                     size_t *n, size_t *used) {
    if (!chunker || !room || last < 0 || last > 1) return CST_ERR_ARGUMENT;
    if (int error = check_arguments(CST_OK, {Argument::input(in, in_len), Argument::outputs(chunks, room),
                                             Argument::outputs(n), Argument::outputs(used)}))
        return error;
    return guarded([&]() -> int {
        Feed feed(chunker, static_cast<const uint8_t *>(in), in_len, chunks, room);
        const int error = feed.run(last);
        *n = feed.chunks();
        *used = size_t(feed.at() - static_cast<const uint8_t *>(in));
        return error;
    });
}

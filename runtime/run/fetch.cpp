// Prefetches keys and texts that are in no cache: a processor fetches some twenty lines at once when they are requested
// together, and one after the other when each job waits for its own.

#include "../message/constructions.hpp"

namespace cst {
namespace {

constexpr uint64_t LINE = 64;
// Prefetched bytes of a text; the processor prefetches what follows by itself.
constexpr uint64_t MOST_TEXT = 4 * LINE;

void fetch(const void *at, uint64_t bytes) {
    const uint8_t *const first = static_cast<const uint8_t *>(at);
    for (uint64_t i = 0; i < bytes; i += LINE) __builtin_prefetch(first + i);
}

// Prefetches the bytes in front of `end`.
void fetch_last(const void *end, uint64_t bytes) { fetch(static_cast<const uint8_t *>(end) - bytes, bytes); }

// The cache lines that jobs of a suite and direction read of their keys. The header of the key has been read.
class KeyLines {
public:
    KeyLines(const Suite &suite, bool open) : suite_(suite), layout_(suite.key_layout) {
        if (suite.construction == Construction::checked) {
            for (uint32_t i = 0; i < 2; i++) add(layout_.halves[i], suite.halves[i]->key_layout.bytes);
            return;
        }
        if (suite.enciphers() && !layout_.rc4) add(layout_.round_keys(open), 16 * (suite.encrypt->record.rounds + 1));
        if (layout_.rc4) add(layout_.rc4, RC4_STATE);
        if (layout_.tweak) add(layout_.tweak, 16 * (suite.block->record.rounds + 1));
        if (layout_.mac && !(suite.enciphers() && layout_.mac == KeyLayout::ENCRYPT))  // CCM has one key
            add(layout_.mac, 16 * (suite.hash->record.rounds + 1));
        if (layout_.inner >= LINE)
            add(layout_.inner, layout_.outer ? 2u * (layout_.outer - layout_.inner) : suite.hash->record.chain_bytes());
    }
    void fetch_of(const cst_job &job) const {
        const uint8_t *const key = reinterpret_cast<const uint8_t *>(job.key);
        for (size_t i = 0; i < n_; i++) fetch(key + parts_[i].at, parts_[i].bytes);
        if (layout_.powers) fetch_powers(key_of(job), job.in_len);
    }

private:
    void add(uint32_t at, uint32_t bytes) { parts_[n_++] = {at, bytes}; }
    // Prefetches as many powers as the text has blocks, and one for the lengths; the last are the lowest.
    void fetch_powers(const Key &key, uint64_t text) const {
        const uint64_t all = sizeof(KeyRow) * GHASH_POWERS, wanted = (text + 2 * sizeof(KeyRow)) & ~(LINE - 1),
                       some = wanted + LINE < all ? wanted + LINE : all;
        fetch_last(key.powers() + GHASH_POWERS, some);
    }

    struct Part {
        uint32_t at, bytes;
    };
    const Suite &suite_;
    const KeyLayout &layout_;
    Part parts_[4];
    size_t n_ = 0;
};

}  // namespace

void fetch_cold(const cst_job *jobs, size_t n) {
    if (n < 2) return;  // a single job waits for these lines at once
    Recent &recent = key_of(*jobs).suite->engine->recent();
    const bool first = recent.used(jobs[0].key), other = recent.used(jobs[n / 2].key);  // they represent all
    if (first && other) return;
    for (size_t i = 0; i < n;) {
        const cst_job &model = jobs[i];
        const Suite &suite = *key_of(model).suite;
        const KeyLines lines(suite, model.direction == CST_OPEN);
        for (; i < n && key_of(jobs[i]).suite == &suite && jobs[i].direction == model.direction; i++) {
            const cst_job &job = jobs[i];
            const uint64_t text = job.in_len < MOST_TEXT ? job.in_len : MOST_TEXT;
            lines.fetch_of(job);
            if (job.in) fetch(job.in, text);  // scattered texts are long, or rare
            if (job.out && job.out != job.in) fetch(job.out, text);
            fetch(job.iv, job.iv_len ? 1 : 0);
            fetch(job.tag, job.tag_len ? 1 : 0);
        }
    }
}

}  // namespace cst

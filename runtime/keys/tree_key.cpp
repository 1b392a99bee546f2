#include "tree_key.hpp"

#include "../suite/secret.hpp"
#include "key_hash.hpp"
#include "../hash/tree_nodes.hpp"

namespace cst {
namespace {

constexpr uint32_t DERIVE_KEY_CONTEXT = 32;  // table 3

// Hashes a context string with one kernel call after the other; it has a few words (BLAKE3, 6.2).
class Context {
public:
    Context(const Suite &suite, KeyHash *kernel) : kernel_(*kernel) {
        uint8_t words[MOST_FRAMED_CHAIN];
        hash_initial(suite.hash->record, words);
        memcpy(start_, words, TREE_CHAIN);
    }
    ~Context() { wipe(stack_, sizeof(stack_)); }
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;

    void hash(const uint8_t *text, size_t n, uint8_t *key) {
        const uint64_t chunks = tree_chunks(n);
        for (uint64_t i = 0; i < chunks; i++) {
            while (depth_ > size_t(__builtin_popcountll(i))) join(0);
            const size_t at = size_t(i) * TREE_CHUNK;
            hash_chunk(text + at, std::min(TREE_CHUNK, n - at), i, chunks == 1 ? ROOT : 0);
        }
        while (depth_ > 1) join(depth_ == 2 ? ROOT : 0);
        memcpy(key, stack_[0], TREE_CHAIN);
    }

private:
    struct State {
        uint8_t chain[TREE_CHAIN];
        uint32_t number[2], bytes, flags, next_flags, output[8];
    };
    static constexpr size_t DEPTH = 54;

    void compress(uint8_t *chain, const uint8_t *block, uint64_t number, size_t bytes, uint32_t flags) {
        State state = {};
        memcpy(state.chain, chain, TREE_CHAIN);
        memcpy(state.number, &number, sizeof(number));
        state.bytes = uint32_t(bytes);
        state.flags = flags | DERIVE_KEY_CONTEXT;
        uint8_t *const chains[] = {state.chain};
        kernel_.run(&block, chains, 1, TREE_BLOCK);
        memcpy(chain, state.chain, TREE_CHAIN);
        wipe(&state, sizeof(state));
    }
    void hash_chunk(const uint8_t *text, size_t n, uint64_t number, uint32_t root) {
        uint8_t *const chain = stack_[depth_++];
        memcpy(chain, start_, TREE_CHAIN);
        size_t at = 0;
        do {
            const size_t some = std::min(TREE_BLOCK, n - at);
            uint8_t block[TREE_BLOCK] = {};
            if (some) memcpy(block, text + at, some);
            const uint32_t first = at ? 0 : CHUNK_START, last = at + some == n ? CHUNK_END | root : 0;
            compress(chain, block, number, some, first | last);
            at += some;
            wipe(block, sizeof(block));
        } while (at < n);
    }
    void join(uint32_t root) {
        uint8_t chain[TREE_CHAIN];
        memcpy(chain, start_, TREE_CHAIN);
        depth_--;
        compress(chain, stack_[depth_ - 1], 0, TREE_BLOCK, PARENT | root);
        memcpy(stack_[depth_ - 1], chain, TREE_CHAIN);
        wipe(chain, sizeof(chain));
    }

    KeyHash &kernel_;
    size_t depth_ = 0;
    uint8_t start_[TREE_CHAIN], stack_[DEPTH + 1][TREE_CHAIN];
};

}  // namespace

int make_tree_key(const Suite &suite, const uint8_t *bytes, size_t n, void *memory) {
    KeyHash kernel(suite);
    if (suite.tree_mode == DERIVE_KEY_MATERIAL)
        if (int error = kernel.prepare()) return error;
    Key *const key = Key::make(suite, memory);
    if (suite.tree_mode == KEYED_HASH) memcpy(key->inner(), bytes, n);
    else Context(suite, &kernel).hash(bytes, n, key->inner());
    return CST_OK;
}

}  // namespace cst

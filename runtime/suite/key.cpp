#include "key.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include "secret.hpp"

namespace cst {
namespace {

constexpr uint32_t LINE = alignof(Key), CHACHA_KEY_ROWS = 2, TREE_KEY = 32;

// Assigns offsets to the parts of a key: small parts go into the rest of the header's cache line, the others after it.
class Places {
public:
    uint16_t small(uint32_t bytes) {
        if (room_ + bytes > LINE) return lines(bytes);
        const uint32_t place = room_;
        room_ += (bytes + 7) & ~7u;
        return uint16_t(place);
    }
    uint16_t lines(uint32_t bytes) {
        const uint32_t place = end_;
        end_ += (bytes + LINE - 1) & ~(LINE - 1);
        return uint16_t(place);
    }
    uint16_t rows(uint32_t n) { return lines(n * uint32_t(sizeof(KeyRow))); }
    uint32_t end() const { return end_; }

private:
    uint32_t room_ = Key::HEADER, end_ = LINE;
};

uint32_t rows_of(const AlgorithmRecord &cipher) {
    if (cipher.kind == ALGORITHM_CHACHA) return CHACHA_KEY_ROWS;
    if (cipher.kind == ALGORITHM_DUPLEX) return whole_rows(cipher.key_bytes) / uint32_t(sizeof(KeyRow));
    if (cipher.is_des()) return des_rows(cipher.key_bytes);
    return cipher.rounds + 1;
}

}  // namespace

KeyLayout lay_out_key(const Suite &suite) {
    KeyLayout layout;
    Places places;
    if (suite.construction == Construction::checked) {
        // its halves have the parts
    } else if (suite.encrypt && suite.encrypt->record.kind == ALGORITHM_RC4) {
        layout.rc4 = places.lines(RC4_STATE);
    } else if (suite.enciphers()) {
        places.rows(rows_of(suite.encrypt->record));
        layout.decrypt =
            suite.decrypt == suite.encrypt ? KeyLayout::ENCRYPT : places.rows(rows_of(suite.decrypt->record));
    }
    if (suite.tweaked()) layout.tweak = places.rows(rows_of(suite.block->record));
    if (suite.construction == Construction::gcm) layout.powers = places.rows(GHASH_POWERS + GHASH_ZEROS);
    if (suite.construction == Construction::checksum) {
        layout.crc = places.small(sizeof(Crc));
        if (!suite.hash->record.sums()) layout.powers = places.rows(CRC_ROWS);
    }
    if (suite.construction == Construction::ccm) layout.mac = KeyLayout::ENCRYPT;
    else if (suite.hash && suite.hash->record.kind == ALGORITHM_CBC_MAC) {
        layout.mac = places.rows(rows_of(suite.hash->record));
        layout.masks = places.small(2 * sizeof(KeyRow));
    } else if (suite.keyed_hash()) {
        layout.inner = places.small(suite.hash->record.chain_bytes());
        layout.mac = places.small(suite.hash->record.key_bytes);
    } else if (suite.hmac()) {
        // Both are adjacent, in one cache line if they fit.
        const uint32_t each = suite.hash->record.words * suite.hash->record.word_bytes;
        const uint32_t apart = (each + 7) & ~7u;
        layout.inner = places.small(2 * apart);
        layout.outer = uint16_t(layout.inner + apart);
    } else if (suite.construction == Construction::tree && suite.mac()) {
        layout.inner = places.small(TREE_KEY);
    }
    for (uint32_t i = 0; i < 2 && suite.halves[i]; i++)
        layout.halves[i] = places.lines(suite.halves[i]->key_layout.bytes);
    layout.bytes = places.end();
    return layout;
}

Key *Key::make(const Suite &suite, void *memory) {
    memset(memory, 0, suite.key_layout.bytes);
    return new (memory) Key(suite);
}

void wipe_key(Key *key) { wipe(static_cast<void *>(key), key->suite->key_layout.bytes); }

void WipeAndFree::operator()(Key *key) const {
    void *const block = key->block;
    wipe_key(key);
    free(block);
}

}  // namespace cst

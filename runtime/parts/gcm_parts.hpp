// A GCM message that comes in parts (SP 800-38D).
//
// The usual message, one part of text, is one call of a kernel that ends with the tag. Whether more text follows is not
// known then; if it does, the step from GHASH to the tag is reverted (which needs the inverse of H), and each further
// part is another call of the same kernel, with the hash so far, and the first block of ciphertext, in the place of the
// AAD.
#pragma once

#include "../suite/key.hpp"
#include "../executors/copy.hpp"

namespace cst {

// The key must be one of AES-GCM, and the same in all calls. Callers clear the registers.
class GcmParts {
public:
    // Begins a message.
    void begin(const Key &key, Bytes iv);
    // Returns false if there is too much AAD, or text came already.
    bool aad(const Key &key, Bytes data);
    // Returns false if the text is too long, or the call failed. ctr: the suite of the cipher alone, for CPUs without
    // kernels of whole messages. out == in.data is allowed.
    bool text(const Key &key, const Suite *ctr, Bytes in, uint8_t *out, bool opens);
    // Ends the message, and writes its tag.
    void tag(const Key &key, uint8_t *to);

    uint64_t aad_bytes() const { return aad_bytes_; }
    uint64_t text_bytes() const { return text_bytes_; }
    // Whether a message that has begun can have these counts. Memory that callers may have changed is checked by this.
    bool is_sound() const;

private:
    static constexpr size_t BLOCK = 16;
    enum class Stage : uint8_t { head, whole, pieces };

    void begin_pieces(const Key &key);
    void take_back_tag(const Key &key);
    bool whole_text(const Key &key, Bytes in, uint8_t *out, bool opens);
    bool listed_text(const Key &key, const KernelCall &kernel, Bytes in, uint8_t *out, bool opens);
    bool blocks(const Key &key, const Suite *ctr, Bytes in, uint8_t *out, bool opens);
    bool further_call(const Key &key, Bytes in, uint8_t *out, bool opens);
    bool apart(const Key &key, const Suite *ctr, Bytes in, uint8_t *out, bool opens);
    void next_key_stream(const Key &key);
    size_t part_of_block(const Key &key, Bytes in, uint8_t *out, bool opens);

    Stage stage_ = Stage::head;
    uint8_t usual_iv_ = 1;  // no bool, of which memory that callers may have changed could hold another value
    uint8_t first_[BLOCK] = {}, counter_[BLOCK] = {};  // J0; that of the next block
    uint8_t mask_[BLOCK] = {};  // J0 enciphered
    uint8_t hash_[BLOCK] = {};  // and the bytes of a block that was begun; Stage::whole: the tag
    uint8_t stream_[BLOCK] = {};  // of that block
    uint8_t head_[MESSAGE_AAD] = {};  // AAD that waits for the text
    uint64_t aad_bytes_ = 0, text_bytes_ = 0;
};

}  // namespace cst

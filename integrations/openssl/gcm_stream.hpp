// A GCM message that comes in pieces (SP 800-38D).
//
// What is usual, one piece of text, is one call of a kernel that ends with the tag. Nobody knows by then whether more
// follows; if it does, the step from GHASH to the tag is taken back (which needs the inverse of H), and the message
// goes on in stretches. A stretch is a call of the same kernel in which the hash so far, with the first block of
// ciphertext, stands where the AAD of a message does.
#pragma once

#include "cipher.hpp"
#include "suite/key.hpp"

namespace cst::ossl {

class GcmStream {
public:
    // ctr: for CPUs without kernels of whole messages.
    explicit GcmStream(const cst_suite *ctr) : ctr_(ctr) {}

    // A message begins.
    void begin(const Key &key, Bytes iv);
    // False: too much, or text was there already.
    bool aad(const Key &key, Bytes data);
    // False: too much, or it could not be done. out == in.data is allowed.
    bool text(const Key &key, Bytes in, uint8_t *out, bool opens);
    // What was is the message.
    void tag(const Key &key, uint8_t *to);

private:
    enum class Stage : uint8_t { head, whole, pieces };

    void begin_pieces(const Key &key);
    void take_back_tag(const Key &key);
    bool whole_text(const Key &key, Bytes in, uint8_t *out, bool opens);
    bool blocks(const Key &key, Bytes in, uint8_t *out, bool opens);
    bool stretch(const Key &key, Bytes in, uint8_t *out, bool opens);
    bool apart(const Key &key, Bytes in, uint8_t *out, bool opens);
    void next_key_stream(const Key &key);
    size_t part_of_block(const Key &key, Bytes in, uint8_t *out, bool opens);

    const cst_suite *const ctr_;
    Stage stage_ = Stage::head;
    bool usual_iv_ = true;
    uint8_t first_[BLOCK] = {}, counter_[BLOCK] = {};  // J0; that of the next block
    uint8_t mask_[BLOCK] = {};                          // J0 enciphered
    uint8_t hash_[BLOCK] = {};    // and the bytes of a block that was begun; Stage::whole: the tag
    uint8_t stream_[BLOCK] = {};  // of that block
    uint8_t head_[MESSAGE_AAD] = {};  // AAD that waits for the text
    uint64_t aad_bytes_ = 0, text_bytes_ = 0;
};

}  // namespace cst::ossl

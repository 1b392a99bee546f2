// Where a stitched kernel begins in a message, how far it goes, and why that is right.
//
// Let p be the hash's position in the body and c the cipher's, a multiple of 16; B bytes are an iteration.
//
// The hash of what the cipher wrote (encrypt-then-MAC, sealing): a pair kernel's hash lags one iteration behind its
// cipher: in the call's iteration i it reads body bytes [p + iB, p + (i + 1)B) while the cipher, in iteration i + 1,
// writes from c + (i + 1)B on. So what it reads was written in earlier iterations if and only if p <= c. Therefore the
// cipher first runs alone up to c = p rounded up to 16, the head block is hashed, and the pair starts from there. Where
// c = p (heads of a multiple of 16 bytes) both are at the same byte, and kernels that hand the ciphertext over in the
// state block can run too.
//
// The hash of what the cipher overwrites, where input and output are the same buffer (MAC-then-encrypt, sealing;
// encrypt-then-MAC, opening): in iteration i the cipher writes [c + iB, c + (i + 1)B), and until then the hash has read
// up to p + (i - lag)B; the order of the two inside an iteration is the weaver's. So p >= c + (lag + 1)B, which is what
// `need` says: the hash first runs alone that far. It is right for any lag, none too. Kernels that decrypt and hand the
// ciphertext over need none of this: the hash reads the hand-over buffer. They do need c = p, so they begin where the
// head block ends, if that is a multiple of 16: it is hashed, and then what it holds of the body is decrypted.
// In both cases the hash goes first wherever the two run one after the other.
//
#pragma once

#include <algorithm>

#include "../plan/lineup.hpp"
#include "mac.hpp"

namespace cst {

// Positions and lengths that messages of the same shape share.
struct Shape {
    Shape(const Suite &suite, const cst_job &job, bool in_place)
        : opens(job.direction == CST_OPEN),
          ccm(suite.row.is_ccm()),
          seals_record(suite.row.is_record()),
          reads_output(suite.enciphers() && !seals_record && opens == ccm),
          ahead(ccm || opens ? !reads_output : seals_record && in_place),
          masks(suite.hash && suite.hash->record.kind == ALGORITHM_CBC_MAC && !ccm),
          unit(suite.hash ? suite.hash->record.block_bytes : AES_BLOCK),
          head(suite.hash && suite.enciphers() ? suite.row.head_bytes(job.aad_len) : 0),
          boundary(ccm ? 0 : -head & (unit - 1)),
          body(job.in_len),
          text(!suite.enciphers()          ? 0
               : suite.expansion && !opens ? job.in_len & ~(AES_BLOCK - 1)
                                           : job.in_len),
          whole(head && fits_whole(suite, head, body)) {}

    // Returns how many of the last `left` bytes of the body a kernel hashes in place: whole blocks, without the last
    // block of CMAC and XCBC, which the end of the message masks.
    uint64_t blocks_of_body(uint64_t left) const { return (left - (masks && left)) & ~uint64_t(unit - 1); }

    const bool opens, ccm, seals_record;
    const bool reads_output;  // the hash reads what the cipher writes
    const bool ahead;  // the hash must be ahead of the cipher, which overwrites what the hash reads
    const bool masks;  // the last block
    const size_t unit;  // block bytes of the hash
    const uint64_t head;  // bytes in front of the body
    const uint64_t boundary;  // body bytes up to the first block boundary after the head
    const uint64_t body;  // bytes of input or output that are hashed
    const uint64_t text;  // bytes that the cipher processes
    const bool whole;  // the message is assembled as a whole
};

// Where a pair kernel begins, and how many bytes cipher and hash both have left from there. handed: the kernel
// decrypts, and hands over what is hashed. need, step: those of the kernel, or values that serve all kernels of its
// family.
struct Start {
    Start(const Shape &shape, bool handed, uint64_t need, uint64_t step) {
        const bool ahead = shape.ahead && !handed;
        aligned = !ahead && !shape.seals_record && shape.boundary % AES_BLOCK == 0;
        if (!ahead && !shape.seals_record) cipher = (shape.boundary + AES_BLOCK - 1) & ~uint64_t(AES_BLOCK - 1);
        if (!aligned && !shape.opens && cipher && cipher <= shape.text)  // leaves whole iterations of the text
            cipher += (shape.text - cipher) & (step - 1) & ~uint64_t(AES_BLOCK - 1);
        const uint64_t hashed =
            shape.body < shape.boundary ? 0 : shape.boundary + shape.blocks_of_body(shape.body - shape.boundary);
        hash = shape.boundary + (ahead ? (need + shape.unit - 1) & ~uint64_t(shape.unit - 1) : 0);
        if (cipher <= shape.text && hash <= hashed) bytes = std::min(shape.text - cipher, hashed - hash);
        bytes &= ~(step - 1);
    }

    bool aligned;
    uint64_t cipher = 0, hash = 0, bytes = 0;
};

// A stitched kernel for the middle of messages. NULL: none takes less time.
struct Stitch {
    const Variant *pair = nullptr;
    double cycles = 0;  // core cycles
};
// Selects it for n messages whose texts are as long as that of `mean` on the average, and of `longest` at most. lists:
// the alternative is two lists (lists.cpp); else the two kernels one after the other.
Stitch choose_stitch(const Suite &suite, const Shape &mean, const Shape &longest, size_t n, bool one_key, bool lists);

}  // namespace cst

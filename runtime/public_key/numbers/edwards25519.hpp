// Points of edwards25519 (RFC 8032, 5.1) as they come in and go out: encodings, affine coordinates, operands of
// additions. No branch and no address depends on a point; but whether an encoding is right is no secret.
#pragma once

#include "field25519.hpp"

namespace cst {

constexpr size_t POINT_BYTES = 32;  // of an encoding

struct AffinePoint {
    Number25519 x, y;
};

// A point as kernels have it: X = E F, Y = G H, Z = F G (templates/streams/edwards25519.j2).
struct ChainPoint {
    Number25519 e, f, g, h;
};

AffinePoint neutral_point();
AffinePoint base_point();
AffinePoint negative(const AffinePoint &point);
// Converts n points with one inversion. work, of 2 n, is overwritten.
void to_affine(const ChainPoint *chains, size_t n, AffinePoint *points, Number25519 *work);
// Writes y, and the lowest bit of x (RFC 8032, 5.1.2).
void encode_point(const AffinePoint &point, uint8_t *bytes);

// Decodes a point (RFC 8032, 5.1.3), but for a power that someone else computes.
class PointDecoder {
public:
    // Returns the number whose power to 2^252 - 3 `finish` takes.
    Number25519 begin(const uint8_t *encoded);
    // Returns false for what is no point. any_encoding: takes y that is not below p, and -0 for x (ZIP 215).
    bool finish(const Number25519 &power, bool any_encoding, AffinePoint *point) const;

private:
    Number25519 y_, u_, v_, uv3_;
    bool canonical_;
    uint64_t sign_;
};

// The numbers by which an addition multiplies, for a point whose Z is 1: (Y + X) / 2, (Y - X) / 2, d T.
struct PointOperand {
    enum { SUM, DIFFERENCE, PRODUCT, NUMBERS };
    Number25519 number[NUMBERS];
};
PointOperand operand_of(const AffinePoint &point);

extern const uint8_t ONE_25519[POINT_BYTES], TWICE_D_25519[POINT_BYTES];  // d of RFC 8032, 5.1

}  // namespace cst

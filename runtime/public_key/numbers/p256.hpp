// The curve P-256 (SP 800-186, 3.2.1.3; SEC 2, 2.4.2): points as they come in and go out, and multiples of points
// without kernels. No branch and no address depends on a coordinate or a multiplier; but whether an encoding is right
// is no secret.
#pragma once

#include "number256.hpp"

namespace cst {

const Modulus256 &p256_field();  // coordinates
const Modulus256 &p256_order();  // scalars

struct P256Point {
    Residue256 x, y;
};
// x = X / Z^2, y = Y / Z^3.
struct P256Jacobian {
    Residue256 x, y, z;
};

constexpr size_t P256_POINT = 65, P256_COMPRESSED = 33;  // bytes of encodings

P256Point p256_base();
P256Point negative_where(uint64_t mask, const P256Point &point);
// Reads 65 bytes or 33 (SEC 1, 2.3.4). Returns false for what is no point of the curve.
bool decode(const uint8_t *bytes, size_t size, P256Point *point);
// Writes 65 bytes.
void encode(const P256Point &point, uint8_t *bytes);
// Returns `multiplier`, below the order, times the point; the neutral point has Z = 0.
P256Jacobian multiple(const Number256 &multiplier, const P256Point &point);
// Returns a times the base point plus b times the point.
P256Jacobian sum_of_multiples(const Number256 &a, const Number256 &b, const P256Point &point);
// Converts n points with one inversion; of the neutral point both are 0. work, of 2 n, is overwritten.
void to_affine(const P256Jacobian *points, size_t n, P256Point *out, Residue256 *work);

}  // namespace cst

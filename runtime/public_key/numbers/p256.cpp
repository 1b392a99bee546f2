#include "p256.hpp"

#include "../../suite/secret.hpp"

namespace cst {
namespace {

constexpr Number256 PRIME = {{0xffffffffffffffff, 0x00000000ffffffff, 0, 0xffffffff00000001}};
constexpr Number256 ORDER = {{0xf3b9cac2fc632551, 0xbce6faada7179e84, 0xffffffffffffffff, 0xffffffff00000000}};
constexpr Number256 B = {{0x3bce3c3e27d2604b, 0x651d06b0cc53b0f6, 0xb3ebbd55769886bc, 0x5ac635d8aa3a93e7}};
constexpr Number256 BASE_X = {{0xf4a13945d898c296, 0x77037d812deb33a0, 0xf8bce6e563a440f2, 0x6b17d1f2e12c4247}};
constexpr Number256 BASE_Y = {{0xcbb6406837bf51f5, 0x2bce33576b315ece, 0x8ee7eb4a7c0f9e16, 0x4fe342e2fe1a7f9b}};
// (p + 1) / 4, the exponent of a square root
constexpr Number256 ROOT = {{0, 0x40000000, 0x4000000000000000, 0x3fffffffc0000000}};

constexpr unsigned DIGIT_BITS = 4;

// x = X / Z, y = Y / Z.
struct Projective {
    Residue256 x, y, z;
};

const Residue256 &curve_b() {
    static const Residue256 b = p256_field().from_plain(B);
    return b;
}

Residue256 thrice(const Residue256 &a) { return p256_field().sum(a, p256_field().sum(a, a)); }

Projective neutral() { return {{{0, 0, 0, 0, 0}}, p256_field().one(), {{0, 0, 0, 0, 0}}}; }

// J. Renes, C. Costello, L. Batina, Complete addition formulas for prime order elliptic curves, 2016, for a = -3: right
// for any two points.
Projective sum(const Projective &p, const Projective &q) {
    const Modulus256 &f = p256_field();
    const auto mixed = [&](const Residue256 &a, const Residue256 &b, const Residue256 &c, const Residue256 &d,
                           const Residue256 &ac, const Residue256 &bd) {  // a d + b c
        return f.difference(f.product(f.sum(a, b), f.sum(c, d)), f.sum(ac, bd));
    };
    const Residue256 xx = f.product(p.x, q.x), yy = f.product(p.y, q.y), zz = f.product(p.z, q.z);
    const Residue256 xy = mixed(p.x, p.y, q.x, q.y, xx, yy), yz = mixed(p.y, p.z, q.y, q.z, yy, zz),
                     xz = mixed(p.x, p.z, q.x, q.z, xx, zz);
    const Residue256 w = thrice(f.difference(xz, f.product(curve_b(), zz)));
    const Residue256 plus = f.sum(yy, w), minus = f.difference(yy, w), zz3 = thrice(zz);
    const Residue256 v = thrice(f.difference(f.product(curve_b(), xz), f.sum(zz3, xx)));
    const Residue256 u = f.difference(thrice(xx), zz3);
    return {f.difference(f.product(xy, plus), f.product(yz, v)), f.sum(f.product(plus, minus), f.product(u, v)),
            f.sum(f.product(yz, minus), f.product(xy, u))};
}

Projective projective_multiple(const Number256 &multiplier, const P256Point &point) {
    constexpr size_t ENTRIES = 1 << DIGIT_BITS;
    Projective table[ENTRIES], out = neutral();
    table[0] = neutral();
    table[1] = {point.x, point.y, p256_field().one()};
    for (size_t i = 2; i < ENTRIES; i++) table[i] = sum(table[i - 1], table[1]);
    for (size_t at = 256; at; at -= DIGIT_BITS) {
        for (unsigned i = 0; i < DIGIT_BITS; i++) out = sum(out, out);
        const uint64_t digit = multiplier.word[(at - DIGIT_BITS) / 64] >> (at - DIGIT_BITS) % 64 & (ENTRIES - 1);
        Projective entry = table[0];
        for (size_t i = 1; i < ENTRIES; i++) {
            const uint64_t mask = 0 - (((i ^ digit) - 1) >> 63);
            entry = {chosen(mask, table[i].x, entry.x), chosen(mask, table[i].y, entry.y),
                     chosen(mask, table[i].z, entry.z)};
        }
        out = sum(out, entry);
        wipe(&entry, sizeof(entry));
    }
    wipe(table, sizeof(table));
    return out;
}

// X / Z = X Z / Z^2, Y / Z = Y Z^2 / Z^3
P256Jacobian jacobian(const Projective &point) {
    const Modulus256 &f = p256_field();
    return {f.product(point.x, point.z), f.product(point.y, f.product(point.z, point.z)), point.z};
}

Residue256 right_side(const Residue256 &x) {  // x^3 - 3 x + b
    const Modulus256 &f = p256_field();
    return f.sum(f.difference(f.product(f.product(x, x), x), thrice(x)), curve_b());
}

bool equal(const Residue256 &a, const Residue256 &b) { return p256_field().is_zero(p256_field().difference(a, b)); }

}  // namespace

const Modulus256 &p256_field() {
    static const Modulus256 field(PRIME);
    return field;
}

const Modulus256 &p256_order() {
    static const Modulus256 order(ORDER);
    return order;
}

P256Point p256_base() { return {p256_field().from_plain(BASE_X), p256_field().from_plain(BASE_Y)}; }

P256Point negative_where(uint64_t mask, const P256Point &point) {
    return {point.x, chosen(mask, p256_field().negative(point.y), point.y)};
}

bool decode(const uint8_t *bytes, size_t size, P256Point *point) {
    const Modulus256 &f = p256_field();
    const bool compressed = size == P256_COMPRESSED;
    if (compressed ? (bytes[0] | 1) != 3 : bytes[0] != 4) return false;
    const Number256 x = number256_from_bytes(bytes + 1);
    if (!f.is_reduced(x)) return false;
    point->x = f.from_plain(x);
    const Residue256 square = right_side(point->x);
    if (compressed) {
        const Residue256 root = f.power(square, ROOT);
        const uint64_t other = is_odd(f.to_plain(root)) ^ (bytes[0] & 1);
        point->y = chosen(0 - other, f.negative(root), root);
    } else {
        const Number256 y = number256_from_bytes(bytes + 1 + NUMBER256_BYTES);
        if (!f.is_reduced(y)) return false;
        point->y = f.from_plain(y);
    }
    return equal(f.product(point->y, point->y), square);
}

void encode(const P256Point &point, uint8_t *bytes) {
    bytes[0] = 4;
    put_number256(p256_field().to_plain(point.x), bytes + 1);
    put_number256(p256_field().to_plain(point.y), bytes + 1 + NUMBER256_BYTES);
}

P256Jacobian multiple(const Number256 &multiplier, const P256Point &point) {
    return jacobian(projective_multiple(multiplier, point));
}

P256Jacobian sum_of_multiples(const Number256 &a, const Number256 &b, const P256Point &point) {
    return jacobian(sum(projective_multiple(a, p256_base()), projective_multiple(b, point)));
}

void to_affine(const P256Jacobian *points, size_t n, P256Point *out, Residue256 *work) {
    const Modulus256 &f = p256_field();
    Residue256 *const inverses = work + n;
    for (size_t i = 0; i < n; i++) inverses[i] = points[i].z;
    f.invert(inverses, work, n);
    for (size_t i = 0; i < n; i++) {
        const Residue256 square = f.product(inverses[i], inverses[i]);
        out[i] = {f.product(points[i].x, square), f.product(points[i].y, f.product(square, inverses[i]))};
    }
}

}  // namespace cst

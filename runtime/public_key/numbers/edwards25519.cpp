#include "edwards25519.hpp"

#include <cstring>

#include "../../suite/secret.hpp"

namespace cst {

const uint8_t ONE_25519[POINT_BYTES] = {1};
const uint8_t TWICE_D_25519[POINT_BYTES] = {0x59, 0xf1, 0xb2, 0x26, 0x94, 0x9b, 0xd6, 0xeb, 0x56, 0xb1, 0x83,
                                            0x82, 0x9a, 0x14, 0xe0, 0x00, 0x30, 0xd1, 0xf3, 0xee, 0xf2, 0x80,
                                            0x8e, 0x19, 0xe7, 0xfc, 0xdf, 0x56, 0xdc, 0xd9, 0x06, 0x24};
namespace {

constexpr Number25519 ZERO = {{0, 0, 0, 0, 0}}, ONE = {{1, 0, 0, 0, 0}};
constexpr Number25519 D = {{0x34dca135978a3, 0x1a8283b156ebd, 0x5e7a26001c029, 0x739c663a03cbb, 0x52036cee2b6ff}};
// (p + 1) / 2 = 2^254 - 9
constexpr Number25519 HALF = {{0x7fffffffffff7, 0x7ffffffffffff, 0x7ffffffffffff, 0x7ffffffffffff, 0x3ffffffffffff}};
// 2^((p - 1) / 4), a square root of -1
constexpr Number25519 ROOT = {{0x61b274a0ea0b0, 0xd5a5fc8f189d, 0x7ef5e9cbd0c60, 0x78595a6804c9e, 0x2b8324804fc1d}};
constexpr AffinePoint BASE = {{{0x62d608f25d51a, 0x412a4b4f6592a, 0x75b7171a4b31d, 0x1ff60527118fe, 0x216936d3cd6e5}},
                              {{0x6666666666658, 0x4cccccccccccc, 0x1999999999999, 0x3333333333333, 0x6666666666666}}};

Number25519 chosen(uint64_t mask, const Number25519 &a, const Number25519 &b) {
    Number25519 out;
    for (size_t i = 0; i < 5; i++) out.limb[i] = (a.limb[i] & mask) | (b.limb[i] & ~mask);
    return out;
}

}  // namespace

AffinePoint neutral_point() { return {ZERO, ONE}; }

AffinePoint base_point() { return BASE; }

AffinePoint negative(const AffinePoint &point) { return {difference(ZERO, point.x), point.y}; }

// x = E F / (F G), y = G H / (F G)
void to_affine(const ChainPoint *chains, size_t n, AffinePoint *points, Number25519 *work) {
    Number25519 *const inverses = work + n;
    for (size_t i = 0; i < n; i++) inverses[i] = product(chains[i].f, chains[i].g);
    invert(inverses, work, n);
    for (size_t i = 0; i < n; i++) {
        const ChainPoint &c = chains[i];
        points[i] = {product(product(c.e, c.f), inverses[i]), product(product(c.g, c.h), inverses[i])};
    }
}

void encode_point(const AffinePoint &point, uint8_t *bytes) {
    put_number(point.y, bytes);
    bytes[POINT_BYTES - 1] = uint8_t(bytes[POINT_BYTES - 1] | is_odd(point.x) << 7);
}

// x^2 = u / v, u = y^2 - 1, v = d y^2 + 1; the candidate for x is u v^3 (u v^7)^((p - 5) / 8), and (p - 5) / 8 is
// 2^252 - 3.
Number25519 PointDecoder::begin(const uint8_t *encoded) {
    y_ = number_from_bytes(encoded);
    sign_ = encoded[POINT_BYTES - 1] >> 7;
    uint8_t again[POINT_BYTES];
    put_number(y_, again);
    again[POINT_BYTES - 1] = uint8_t(again[POINT_BYTES - 1] | sign_ << 7);
    canonical_ = same_bytes(again, encoded, POINT_BYTES);
    const Number25519 square = product(y_, y_);
    u_ = difference(square, ONE);
    v_ = sum(product(D, square), ONE);
    const Number25519 v2 = product(v_, v_);
    uv3_ = product(u_, product(v2, v_));
    return product(uv3_, product(v2, v2));
}

bool PointDecoder::finish(const Number25519 &power, bool any_encoding, AffinePoint *point) const {
    const Number25519 x = product(uv3_, power), vx2 = product(v_, product(x, x));
    const uint64_t right = is_zero(difference(vx2, u_)), turned = is_zero(sum(vx2, u_));
    const Number25519 root = chosen(right, x, product(x, ROOT));
    const uint64_t negate = 0 - (is_odd(root) ^ sign_);
    *point = {chosen(negate, difference(ZERO, root), root), y_};
    if (!(right | turned)) return false;
    return any_encoding || (canonical_ && !(is_zero(root) && sign_));
}

PointOperand operand_of(const AffinePoint &point) {
    return {{product(HALF, sum(point.y, point.x)), product(HALF, difference(point.y, point.x)),
             product(D, product(point.x, point.y))}};
}

}  // namespace cst

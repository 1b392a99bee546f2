#include "check_value.hpp"

#include <algorithm>

namespace cst {

namespace {

constexpr int64_t FAR = int64_t(1) << 40;  // no address in a contract is so far away, so sums cannot wrap
constexpr uint32_t MOST_RANGE = 1 << 20;   // and no range is so large

bool near(int64_t c) { return c > -FAR && c < FAR; }

}  // namespace

Value plus(const Value &a, int64_t c) {
    if (a.base == Value::unknown || a.base > Value::count || !near(a.c) || !near(c)) return Value();
    Value result = a;
    result.c += c;
    result.flipped = 0;
    return result;
}

Value sum(const Value &a, const Value &b) {
    if (a.base == Value::count && b.base == Value::reach) return sum(b, a);
    if (a.base == Value::reach && b.base == Value::count) {
        if (a.added || a.position || a.half || a.range || b.position) return Value();
        Value result = plus(a, b.c);
        result.added = uint16_t(b.lane + 1);
        return result;
    }
    if (a.base == Value::unknown || b.base == Value::unknown || (a.base != Value::number && b.base != Value::number))
        return Value();
    if ((a.position && b.position) || (a.half && b.half)) return Value();
    // The position is taken from a count, and added to all else.
    const Value &number = a.base == Value::number ? a : b, &other = a.base == Value::number ? b : a;
    if (other.base == Value::count && (number.position || number.half || number.range)) return Value();
    Value result = plus(a.base == Value::number ? b : a, a.base == Value::number ? a.c : b.c);
    result.position = a.position || b.position;
    result.half = std::max(a.half, b.half);
    if (a.range > MOST_RANGE || b.range > MOST_RANGE) return Value();
    result.range = a.range + b.range;
    result.part = !a.range ? b.part : !b.range ? a.part : uint16_t(0);
    return result;
}

Value scaled(const Value &a, uint32_t log2) {
    if (log2 == 0) return a;
    if (a.base != Value::number || a.position || a.half || !near(a.c) || a.range > MOST_RANGE) return Value();
    Value result = Value::of(Value::number, a.c * (int64_t(1) << log2));
    result.range = a.range << log2;
    return result;
}

Value masked(int64_t mask) {
    if (mask < 0 || mask > MOST_RANGE) return Value();
    Value result = Value::of(Value::number);
    result.range = uint32_t(mask);
    return result;
}

Value flip(const Value &a, int64_t mask, const Places &places) {
    if (mask <= 0 || mask > (1 << 30) || (mask & (mask - 1)) || a.position || a.range || a.c < 0 || !near(a.c))
        return Value();
    const uint32_t bit = uint32_t(mask);
    const uint32_t align = a.base == Value::state ? places.state_align : a.base == Value::from ? places.from_align : 0;
    if (a.base != Value::number && (align == 0 || align % (2 * bit) != 0)) return Value();
    Value result = a;
    if (a.half == 0) {
        result.c ^= bit;
        result.flipped = bit;
    } else if (a.half != bit || (a.c & bit)) {
        return Value();
    }
    return result;
}

Value join(const Value &head, const Value &left, const Places &places) {
    Value b = left;
    b.flipped = 0;
    const int64_t step = b.base == Value::count ? -int64_t(places.bytes) : places.bytes;
    if (b.position) b.c -= step;  // the next body's position is larger
    if (head.base == Value::unknown || !head.same_base(b)) return Value();
    if (head == b) return head;
    if (head.range || b.range) return Value();
    if (head.position || (head.half != 0 && b.half != 0)) return Value();
    // A head without position came from `enter`, where the position is 0.
    if (head.half == 0 && b.half == 0) {
        if (b.position) return head.c == b.c ? b : Value();
        if (left.flipped != 0 && head.c >= 0 && b.c == (head.c ^ left.flipped)) {
            Value either = b;
            either.half = left.flipped;
            either.c = std::min(head.c, b.c);
            return either;
        }
        if (b.c - head.c == step) {
            Value moving = head;
            moving.position = true;
            return moving;
        }
        return Value();
    }
    const Value &pair = head.half ? head : b, &one = head.half ? b : head;
    return !one.position && !pair.position && (one.c == pair.c || one.c == pair.c + pair.half) ? pair : Value();
}

}  // namespace cst

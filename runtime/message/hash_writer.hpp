// The common part of what lists segments of a hash for executors/walk.hpp.
#pragma once

#include "../executors/lane_state.hpp"
#include "../executors/walk.hpp"

namespace cst {

class HashWriter {
public:
    typedef HashSegment Segment;

    // Whether all jobs authenticated.
    bool all_right() const { return all_right_; }

    void point(uint32_t lane, const uint8_t *in) const { put_pointer(state_ + places_[lane].in, in); }
    template <typename Of>
    void load(const uint32_t *lanes, size_t n, Of segment) const {
        chains_.put(lanes, n, [&](size_t i) { return segment(i).load; });
    }

protected:
    HashWriter(const Variant &v, LaneMemory *memory)
        : memory_(*memory), chains_(v.hash, memory->state), places_(v.hash.lanes.data()), state_(memory->state) {}

    uint8_t *scratch(uint32_t lane) const { return memory_.scratch + lane * SCRATCH_PITCH; }

    LaneMemory &memory_;
    const Chains chains_;
    bool all_right_ = true;

private:
    const LanePlace *const places_;
    uint8_t *const state_;
};

}  // namespace cst

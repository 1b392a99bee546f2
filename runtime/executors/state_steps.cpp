#include "state_steps.hpp"

#include "lane_state.hpp"
#include "lanes.hpp"

namespace cst {
namespace {

class StepLanes : public HashLanes {
public:
    StepLanes(const AlgorithmRecord &step, const Variant &v, LaneMemory *memory) : HashLanes(step, v, memory) {}

    StateStep *message[MAX_LANES];

    void load(const uint32_t *lanes, size_t n) {
        chains_.put(lanes, n, [&](size_t i) { return message[lanes[i]]->from; });
        for (size_t i = 0; i < n; i++) {
            const StateStep &step = *message[lanes[i]];
            uint8_t *const input = memory_->scratch_of(lanes[i], hash_.input_bytes);
            put_step_input(hash_, step.key, step.behind, step.behind_bytes, input);
            begin(lanes[i], input, hash_.input_bytes);
        }
    }
    void turn(const uint32_t *lanes, size_t n) {
        chains_.take(lanes, n, [&](size_t i) { return message[lanes[i]]->to; });
        for (size_t i = 0; i < n; i++) left[lanes[i]] = 0;
    }
};

}  // namespace

void put_step_input(const AlgorithmRecord &step, const uint8_t *key, const void *behind, size_t behind_bytes,
                    uint8_t *to) {
    memset(to, 0, step.input_bytes);
    memcpy(to, key, step.key_bytes);
    if (behind_bytes) memcpy(to + whole_rows(step.key_bytes), behind, behind_bytes);
}

void run_state_steps(const Suite &suite, const Family &family, const AlgorithmRecord &step, Memory *memory,
                     StateStep *const *steps, size_t n) {
    const auto need_of = [&](StateStep *const *, size_t some) {
        Need need = {&family, some, step.input_bytes, step.input_bytes};
        need.grain = step.input_bytes;
        return need;
    };
    run_selected<StepLanes>(suite, &memory->lanes, steps, n, need_of, step);
}

}  // namespace cst

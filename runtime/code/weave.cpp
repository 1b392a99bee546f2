#include "weave.hpp"

namespace cst {

namespace {

struct Cursor {
    const WeaveInput *input;
    int64_t length;
    int64_t position = 0;
    size_t in_body = 0;
    int64_t key = 0;

    Cursor(const WeaveInput *in, int64_t n) : input(in), length(n) { set_key(); }

    bool done() const { return position == length; }

    // Sets where the next instruction belongs, in units of 2^-20 of an iteration: see the Python twin.
    void set_key() {
        if (!done()) key = (2 * position + 1) * (int64_t(1) << 20) / (2 * length) - int64_t(input->lead) * 1024;
    }

    const Ins *take() {
        const Ins *ins = &(*input->body)[in_body];
        position++;
        if (++in_body == input->body->size()) in_body = 0;
        return ins;
    }
};

}  // namespace

std::vector<Woven> weave(const std::vector<WeaveInput> &inputs, uint32_t strategy) {
    std::vector<Cursor> cursors;
    size_t total = 0;
    for (const WeaveInput &input : inputs) {
        cursors.emplace_back(&input, int64_t(input.body->size()) * input.ratio);
        total += input.body->size() * input.ratio;
    }
    std::vector<Woven> woven;
    woven.reserve(total);
    while (woven.size() < total) {
        Cursor *next = nullptr;
        for (Cursor &c : cursors) {
            if (c.done()) continue;
            if (next == nullptr || (strategy == WEAVE_PROPORTIONAL && c.key < next->key)) next = &c;
        }
        const Ins *ins;
        do {
            ins = next->take();
            woven.push_back({next->input->stream, ins});
        } while (ins->glue && !next->done());
        next->set_key();
    }
    return woven;
}

}  // namespace cst

// Two executors: one runs messages one after the other on a kernel of one lane; one runs them in the lanes of a kernel
// of several, which it refills as they become free. Both run any step.
//
// A step (message/text.cpp, message/mac.cpp, message/middle.cpp) knows what a lane has to do next:
//   message[lane], left[lane]   the lane's message; iterations until the step is asked again
//   load(lanes, n)              begins the messages of these lanes
//   advance(lane, iterations)   subtracts iterations that are done; `left` is what remains
//   turn(lanes, n)              all but at most `lag` iterations are done: switches the lanes to other work, or none
//   idle(lane, model)           a lane without a message repeats the input of `model`, for most_idle iterations
#pragma once

#include "../plan/lineup.hpp"
#include "../select/upper_halves.hpp"
#include "../suite/suite.hpp"
#include "message.hpp"

namespace cst {

// Prepares calls of a kernel whose state blocks lie in `memory`. The caller sets the iterations of each call.
inline cst_kernel_args begin_calls(const Engine &engine, const Variant &v, LaneMemory *memory) {
    cst_kernel_args args;
    for (uint32_t i = 0; i < v.n_streams; i++) args.state[i] = memory->state + v.state_offset[i];
    for (const Variant::Link &link : v.links) put_pointer(memory->state + link.from, memory->state + link.hand);
    if (v.legacy_sse && engine.avx()) clear_upper_halves();
    if (memory->state_used < v.state_bytes) memory->state_used = v.state_bytes;
    return args;
}

template <typename Step, typename Item>
uint64_t run_one_lane(const Variant &v, cst_kernel_fn fn, cst_kernel_args *args, Step *step, Item *const *messages,
                      size_t n) {
    constexpr uint32_t LANE = 0;
    uint64_t calls = 0;
    for (size_t i = 0; i < n; i++) {
        step->message[LANE] = messages[i];
        step->load(&LANE, 1);
        while (step->left[LANE] > v.lag) {
            args->iterations = step->left[LANE];
            fn(args);
            calls++;
            step->left[LANE] = 0;
            step->advance(LANE, args->iterations);
            step->turn(&LANE, 1);
        }
    }
    return calls;
}

template <typename Step, typename Item>
uint64_t run_lanes(const Variant &v, cst_kernel_fn fn, cst_kernel_args *args, Step *step, Item *const *messages,
                   size_t n) {
    uint32_t live[MAX_LANES], some[MAX_LANES];
    const size_t width = v.lanes;
    size_t next = 0, alive = 0;
    uint64_t calls = 0;
    // Gives messages to these free lanes. A message that has nothing to do makes way for the next.
    const auto refill = [&](uint32_t *lanes, size_t free) {
        while (free && next < n) {
            const size_t loads = n - next < free ? n - next : free;
            for (size_t i = 0; i < loads; i++) step->message[lanes[i]] = messages[next++];
            step->load(lanes, loads);
            size_t still = 0;
            for (size_t i = 0; i < free; i++)
                if (i >= loads || step->left[lanes[i]] <= v.lag) lanes[still++] = lanes[i];
            free = still;
        }
        if (free == width) return void(alive = 0);
        for (size_t i = 0; i < free; i++) step->message[lanes[i]] = nullptr;
        alive = 0;
        for (uint32_t lane = 0; lane < width; lane++)
            if (step->message[lane]) live[alive++] = lane;
    };
    for (uint32_t lane = 0; lane < width; lane++) some[lane] = lane;
    refill(some, width);
    while (alive) {
        uint64_t iterations = UINT64_MAX;
        for (size_t i = 0; i < alive; i++)
            if (step->left[live[i]] < iterations) iterations = step->left[live[i]];
        if (alive < width) {
            iterations = step->most_idle(iterations);
            for (uint32_t lane = 0; lane < width; lane++)
                if (!step->message[lane]) step->idle(lane, live[0]);
        }
        args->iterations = iterations;
        fn(args);
        calls++;
        size_t turns = 0, free = 0;
        for (size_t i = 0; i < alive; i++) {
            const uint32_t lane = live[i];
            step->left[lane] -= iterations;
            step->advance(lane, iterations);
            if (step->left[lane] <= v.lag) some[turns++] = lane;
        }
        if (!turns) continue;
        step->turn(some, turns);
        for (size_t i = 0; i < turns; i++)
            if (step->left[some[i]] <= v.lag) some[free++] = some[i];
        if (free) refill(some, free);
    }
    return calls;
}

// Runs messages, each of which has something to do for the kernel.
template <typename Step, typename Item>
void execute(const Engine &engine, const Variant &v, LaneMemory *memory, Step *step, Item *const *messages, size_t n) {
    const cst_kernel_fn fn = v.kernel.load(std::memory_order_acquire)->fn;
    cst_kernel_args args = begin_calls(engine, v, memory);
    v.calls.add(v.lanes == 1 ? run_one_lane(v, fn, &args, step, messages, n)
                             : run_lanes(v, fn, &args, step, messages, n));
}

// Runs the list on kernels that are selected for as many messages as are left, until all have run. need_of(list, n):
// what these need. Step: its constructor takes `of`, the kernel and the memory of its lanes.
template <typename Step, typename Item, typename NeedOf, typename... Of>
void run_selected(const Suite &suite, LaneMemory *memory, Item *const *list, size_t n, NeedOf need_of,
                  const Of &...of) {
    while (n) {
        const Lineup lineup = line_up(suite, need_of(list, n));
        const InSlot<Step> step(memory->step, of..., *lineup.variant, memory);
        execute(*suite.engine, *lineup.variant, memory, &*step, list, lineup.messages);
        list += lineup.messages;
        n -= lineup.messages;
    }
}

}  // namespace cst

// Runs texts of a cipher alone by one call each: ECB, CTR, CBC opened, XTS.
#pragma once

#include <optional>

#include "../executors/message_calls.hpp"
#include "text.hpp"
#include "xts.hpp"

namespace cst {

class TextCalls : public MessageCalls {
public:
    typedef CallRoom Room;

    // Whether the kernel can count as far as the text needs.
    static bool takes(const Suite &suite, const cst_job &job) {
        return !suite.counts() || CounterRoom(suite).holds(job);
    }

protected:
    using MessageCalls::MessageCalls;

    [[gnu::always_inline]] void run_text(const cst_job &job, uint64_t bytes) {
        if (bytes != bytes_) set_length(bytes);
        if (place_.chain != NO_FIELD) memcpy(state_ + place_.chain, job.iv, BLOCK);
        if (is_new(job.key)) {
            put_key(place_.key, job, call_.round_keys);
            if (place_.tweak_key != NO_FIELD) put_key(place_.tweak_key, job, call_.tweak);
        }
        call(job.in, job.out);
    }
};

class WholeTextCalls : public TextCalls {
public:
    [[gnu::always_inline]] WholeTextCalls(Room *room, const cst_job &) : TextCalls(room) {}

    [[gnu::always_inline]] bool run(cst_job *job) {
        text_done(job);
        run_text(*job, job->in_len);
        return true;
    }
};

// Runs XTS (IEEE 1619): whole blocks by one call, and a text's end by ciphertext stealing.
class XtsCalls : public TextCalls {
public:
    struct Room : CallRoom {
        using CallRoom::CallRoom;
        std::optional<BlockCalls> blocks;
        std::optional<StolenEnd> end;  // opening
    };

    [[gnu::always_inline]] XtsCalls(Room *room, const cst_job &) : TextCalls(room), its_room_(*room) {}

    [[gnu::always_inline]] bool run(cst_job *job) {
        // Sealing, the last whole block is enciphered as the others are, before the rest takes bytes from it.
        const uint64_t rest = job->in_len % BLOCK, done = job->in_len - rest - (rest && call_.opens ? BLOCK : 0);
        text_done(job);
        if (done) run_text(*job, done);
        if (rest) run_end(&its_room_, *job, done, state_ + place_.chain);
        return true;
    }

private:
    // Runs what is behind `done` bytes. first: their first tweak, which the kernel has left, if there are any. Not
    // inlined: most texts have no such end.
    static void run_end(Room *room, const cst_job &job, uint64_t done, const uint8_t *first);

    Room &its_room_;
};

}  // namespace cst

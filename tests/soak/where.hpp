// Where a thread is, for what must be said when it dies there.
#pragma once

#include <cstdint>

namespace soak {

struct Where {
    uint64_t burst = 0;
    unsigned thread = 0;
    const char *target = "", *suite = "";
    const char *options = "";  // all that a burst depends on but its number
};

// Of the calling thread.
extern thread_local Where here;

// From now on fatal signals, and what a sanitizer reports, say where. To be called before threads begin.
void say_where_on_death();
// On a signal in this thread too, when its stack is used up.
void use_signal_stack();
// On stderr: the command that comes to this burst.
void say_where(const char *what);

}  // namespace soak

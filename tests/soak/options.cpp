#include "options.hpp"

#include <getopt.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace soak {
namespace {

const char *const HELP = R"(usage: cst-soak [options]
Random bursts through contexts that live as long as the program; everything is compared with libcrypto.

  --seconds N      how long (default 10)
  --seed N         what is drawn (default: another each time; printed)
  --threads N      so many threads share contexts and keys; each has its own managers (default 1)
  --suite GLOB     suites whose names match (default "*")
  --target TARGET  this one alone, as in cst_options (default: every one that the CPU can run)
  --bursts A:B     of each thread only the bursts from A to before B, however long it takes: what a failure prints
  --no-jit         static kernels only
  --help

A burst depends on the seed, the thread and its number. To narrow a failure down, raise A: what then does not fail any
more needs what an earlier burst left behind. With several threads, how they meet is up to the machine.
)";

enum { SECONDS, SEED, THREADS, SUITE, TARGET, BURSTS, NO_JIT, HELP_OPTION };

int fail(const char *message) {
    fprintf(stderr, "cst-soak: %s (see --help)\n", message);
    return 2;
}

bool parse(const char *text, char end, uint64_t *value, const char **rest) {
    char *stop = nullptr;
    errno = 0;
    *value = strtoull(text, &stop, 0);
    *rest = stop;
    return stop != text && errno == 0 && *stop == end && *text != '-';
}

}  // namespace

int parse_options(int argc, char **argv, Options *o) {
    static const option known[] = {{"seconds", required_argument, nullptr, SECONDS},
                                   {"seed", required_argument, nullptr, SEED},
                                   {"threads", required_argument, nullptr, THREADS},
                                   {"suite", required_argument, nullptr, SUITE},
                                   {"target", required_argument, nullptr, TARGET},
                                   {"bursts", required_argument, nullptr, BURSTS},
                                   {"no-jit", no_argument, nullptr, NO_JIT},
                                   {"help", no_argument, nullptr, HELP_OPTION},
                                   {nullptr, 0, nullptr, 0}};
    std::random_device random;
    o->seed = random();
    uint64_t number;
    const char *rest;
    for (int which; (which = getopt_long(argc, argv, "h", known, nullptr)) != -1;) {
        switch (which) {
            case SECONDS: {
                char *stop = nullptr;
                o->seconds = strtod(optarg, &stop);
                if (stop == optarg || *stop || !(o->seconds > 0)) return fail("--seconds wants a number above 0");
                break;
            }
            case SEED:
                if (!parse(optarg, 0, &o->seed, &rest)) return fail("--seed wants a number");
                break;
            case THREADS:
                if (!parse(optarg, 0, &number, &rest) || number - 1 >= 8)
                    return fail("--threads wants a number from 1 to 8");
                o->threads = unsigned(number);
                break;
            case SUITE: o->suites = optarg; break;
            case TARGET: o->target = optarg; break;
            case BURSTS:
                if (!parse(optarg, ':', &o->first_burst, &rest) || !parse(rest + 1, 0, &o->end_burst, &rest) ||
                    o->first_burst >= o->end_burst)
                    return fail("--bursts wants two numbers, the second larger: --bursts 0:1000");
                break;
            case NO_JIT: o->no_jit = true; break;
            case 'h':
            case HELP_OPTION: fputs(HELP, stdout); return 0;
            default: return fail("no such option, or without its value");
        }
    }
    if (optind != argc) return fail("there is nothing but options");
    o->again = "--seed " + std::to_string(o->seed) + " --threads " + std::to_string(o->threads);
    if (o->suites != "*") o->again += " --suite '" + o->suites + "'";
    if (!o->target.empty()) o->again += " --target " + o->target;
    if (o->no_jit) o->again += " --no-jit";
    return -1;
}

}  // namespace soak

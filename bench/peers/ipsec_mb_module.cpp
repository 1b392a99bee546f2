// The way into a module: this peer compiled with another version's header.
#include "ipsec_mb_calls.hpp"

extern "C" __attribute__((visibility("default"))) bench::Peer *bench_make_ipsec_mb(const bench::Build &build,
                                                                                   std::string &error) {
    bench::ImbCalls calls;
    if (!bench::load_imb(build.file, calls, error)) return nullptr;
    return bench::make_imb_peer(calls, build, error).release();
}

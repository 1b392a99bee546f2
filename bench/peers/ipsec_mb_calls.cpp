#ifdef BENCH_IPSEC_MB
#include "ipsec_mb_calls.hpp"

#include "library.hpp"

namespace bench {

bool load_imb(const std::string &file, ImbCalls &calls, std::string &error) {
    Library library;
    return library.open(file, error) && library.find("alloc_mb_mgr", calls.alloc, error) &&
           library.find("free_mb_mgr", calls.free, error) && library.find("init_mb_mgr_auto", calls.init_auto, error) &&
           library.find("init_mb_mgr_avx2", calls.init_avx2, error) &&
           library.find("init_mb_mgr_sse", calls.init_sse, error) &&
           library.find("imb_get_version_str", calls.version, error);
}

} // namespace bench
#endif

// The functions that intel-ipsec-mb exports; all others are reached through its manager, whose layout is the header's.
#pragma once

#include "../peer.hpp"

#include <intel-ipsec-mb.h>

namespace bench {

struct ImbCalls {
    decltype(&::alloc_mb_mgr) alloc = nullptr;
    decltype(&::free_mb_mgr) free = nullptr;
    decltype(&::init_mb_mgr_auto) init_auto = nullptr;
    decltype(&::init_mb_mgr_avx2) init_avx2 = nullptr;
    decltype(&::init_mb_mgr_sse) init_sse = nullptr;
    decltype(&::imb_get_version_str) version = nullptr;
};
// False, and why: no library, or one without these functions.
bool load_imb(const std::string &file, ImbCalls &calls, std::string &error);
// The peer by functions whose jobs and manager are laid out as in the header that this was compiled with.
std::unique_ptr<Peer> make_imb_peer(const ImbCalls &calls, const Build &build, std::string &error);

} // namespace bench

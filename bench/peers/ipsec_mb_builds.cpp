// Which code drives which build of intel-ipsec-mb. The layouts of its jobs and of its manager change from minor version
// to minor version, so a build is only driven by code that was compiled with a header of the same one: what is linked,
// or a module beside the program, build/peers/ipsec-mb-MAJOR.MINOR.so.
#include "../peer.hpp"
#include "library.hpp"

#ifdef BENCH_IPSEC_MB
#include "ipsec_mb_calls.hpp"
#endif

namespace bench {
namespace {

std::string layout_of(const std::string &version) {
    return version.substr(0, version.find('.', version.find('.') + 1));
}

std::string module_of(const std::string &layout) { return peers_folder() + "ipsec-mb-" + layout + ".so"; }

std::unique_ptr<Peer> make_loaded(const Build &build, std::string &error) {
    Library library;
    const char *(*version_of)() = nullptr;
    if (!library.open(build.file, error) || !library.find("imb_get_version_str", version_of, error)) return nullptr;
    const std::string version = version_of(), layout = layout_of(version), module = module_of(layout);
#ifdef BENCH_IPSEC_MB
    if (layout == layout_of(IMB_VERSION_STR)) {
        ImbCalls calls;
        return load_imb(build.file, calls, error) ? make_imb_peer(calls, build, error) : nullptr;
    }
#endif
    Library code;
    Peer *(*make)(const Build &, std::string &) = nullptr;
    if (access(module.c_str(), R_OK) != 0) {
        error = build.file + " is ipsec-mb " + version +
                ", whose jobs may be laid out otherwise than in the header that cst-bench was compiled with. "
                "With the folder of its own intel-ipsec-mb.h, type: cmake build -DBENCH_IPSEC_MB_HEADERS=FOLDER && "
                "ninja -C build (makes " +
                module + ")";
        return nullptr;
    }
    if (!code.open(module, error) || !code.find("bench_make_ipsec_mb", make, error)) return nullptr;
    return std::unique_ptr<Peer>(make(build, error));
}

}  // namespace

std::unique_ptr<Peer> make_ipsec_mb(const Build &build, std::string &error) {
    if (!build.file.empty()) return make_loaded(build, error);
#ifdef BENCH_IPSEC_MB
    return make_imb_peer({::alloc_mb_mgr, ::free_mb_mgr, ::init_mb_mgr_auto, ::init_mb_mgr_avx2, ::init_mb_mgr_sse,
                          ::imb_get_version_str},
                         build, error);
#else
    return nullptr;
#endif
}

}  // namespace bench

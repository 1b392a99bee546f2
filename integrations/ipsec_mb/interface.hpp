// The binary interface: Intel's public header, without the names of its version 0.53, which are macros; and what one
// version of it has alone (version.hpp, in interface_1 or interface_2).
#pragma once

#define NO_COMPAT_IMB_API_053
#include <intel-ipsec-mb.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cst::imb {

typedef const uint8_t *Bytes;

// Returns the number that a caller has put into a field, which need not be a value of its enum.
template <typename Enum>
unsigned number_of(const Enum &field) {
    unsigned number;
    static_assert(sizeof(number) == sizeof(field), "as C has enums");
    memcpy(&number, &field, sizeof(number));
    return number;
}

inline Bytes octets(const void *p) { return static_cast<Bytes>(p); }
inline uint8_t *octets(void *p) { return static_cast<uint8_t *>(p); }

// An error and its text.
struct ErrorText {
    int error;
    const char *text;
};
// A CPU feature of the library and the interface's flag for it; "": every CPU has it.
struct FeatureFlag {
    const char *name;
    uint64_t flag;
};
// A kind of manager, and the flags that the CPU must have for it.
struct Architecture {
    IMB_ARCH number;
    uint64_t needs;
};

}  // namespace cst::imb

#include "version.hpp"

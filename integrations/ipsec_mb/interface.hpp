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

// What a caller has put into a field, which need not be a value of its enum.
template <typename Enum>
unsigned number_of(const Enum &field) {
    unsigned number;
    static_assert(sizeof(number) == sizeof(field), "as C has enums");
    memcpy(&number, &field, sizeof(number));
    return number;
}

inline Bytes octets(const void *p) { return static_cast<Bytes>(p); }
inline uint8_t *octets(void *p) { return static_cast<uint8_t *>(p); }

// An error and what is said of it.
struct ErrorText {
    int error;
    const char *text;
};
// What of a CPU that the library has by that name the interface has by a flag; "": every CPU has it.
struct FeatureFlag {
    const char *name;
    uint64_t flag;
};
// What a manager may be made for, and the flags that a CPU must have.
struct Architecture {
    IMB_ARCH number;
    uint64_t needs;
};

}  // namespace cst::imb

#include "version.hpp"

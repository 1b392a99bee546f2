// What is left to `default`, which is faster there.
#pragma once

#include "select/features.hpp"

namespace cst::ossl {

// names: of an algorithm, separated by colons. openssl: 100 * major + minor. cpu: what the CPU has, for `default` uses
// that whatever the provider's `target` is.
bool is_slower(const char *names, unsigned openssl, Features cpu);

}  // namespace cst::ossl

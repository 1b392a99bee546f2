#include "errors.hpp"

#include <system_error>

#include "names.hpp"

namespace sum {

std::string what_is_wrong(const std::string &name, int error) {
    switch (error) {
        case SHRANK: return quoted(name) + ": file shrank while it was read";
        case TOO_MANY_PARTS:
            return quoted(name) + ": more than " + std::to_string(S3_MOST_PARTS) + " parts, which S3 does not take";
        default: return quoted(name) + ": " + std::generic_category().message(error);
    }
}

}  // namespace sum

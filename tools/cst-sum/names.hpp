// How names of files are written: in lists, and in messages.
#pragma once

#include <string>

namespace sum {

// In lists, backslashes, newlines and carriage returns are escaped; a line with such a name begins with a backslash.
bool needs_escape(const std::string &name);
std::string escaped(const std::string &name);
// False: it is not such.
bool unescape(std::string *name);

// As a shell would take it, and quoted only where it must be.
std::string quoted(const std::string &name);

}  // namespace sum

// Writes names of files, in lists and in messages.
#pragma once

#include <string>

namespace sum {

// In lists, backslashes, newlines and carriage returns are escaped; a line with such a name begins with a backslash.
bool needs_escape(const std::string &name);
std::string escaped(const std::string &name);
// Returns false if the name is not escaped correctly.
bool unescape(std::string *name);

// Returns the name as a shell would take it, quoted only where necessary.
std::string quoted(const std::string &name);

}  // namespace sum

// Says in words which kernels a burst would take.
#pragma once

#include <cstring>
#include <string>

#include "../suite/suite.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {

// Copies a text into a field of a C struct and truncates it to the field's size.
template <size_t size>
void put_text(char (&field)[size], const std::string &text) {
    size_t n = text.size() < size - 1 ? text.size() : size - 1;
    memcpy(field, text.data(), n);
    field[n] = 0;
}

// Describes in words which kernel a burst would take (explain.cpp).
int explain(const Suite &suite, int direction, size_t jobs, size_t bytes, bool one_key, cst_choice *choice);

}  // namespace cst

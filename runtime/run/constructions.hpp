// What each construction does with the messages of a class (suite.hpp): its steps, in order.
#pragma once

#include "message.hpp"

namespace cst {

// Each sets status and out_len of all jobs.
void run_cipher_alone(const Class &c);             // compose.cpp
void run_mac_alone(const Class &c);
void run_encrypt_then_mac(const Class &c);
void seal_records(const Class &c);                 // record_seal.cpp
void open_records(const Class &c);                 // record_open.cpp
void run_xts(const Class &c);                      // xts.cpp
void run_ccm(const Class &c);                      // ccm.cpp
void run_gcm(const Class &c);                      // gcm.cpp
void run_chacha_poly(const Class &c);              // chacha_poly.cpp

}  // namespace cst

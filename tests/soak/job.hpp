// One job: what is drawn, where it lies, what must come of it.
#pragma once

#include "guarded.hpp"
#include "subject.hpp"

namespace soak {

// What somebody changed on the way.
enum class Forged { no, tag, input, aad, iv, padding, length };

// A buffer in one piece or several.
struct Laid {
    std::vector<cst_piece> pieces;
    bool scattered = false;

    void put(const Bytes &bytes) const;
    Bytes get() const;
    void *data() const { return scattered || pieces.empty() ? nullptr : pieces[0].data; }
};

struct Job {
    // Drawn.
    const Suite *suite = nullptr;
    const cst_key *key = nullptr;
    int direction = CST_SEAL;
    Forged forged = Forged::no;
    Message message;
    // Made by the model: sealed.
    Bytes sealed, sealed_tag;
    // What the library is given.
    Bytes given, given_iv, given_aad, given_tag;
    // Where that lies.
    bool in_place = false;
    Laid in, out;
    uint8_t *iv = nullptr, *aad = nullptr, *tag = nullptr;
    cst_job job;
    // What must come of it.
    int status = CST_OK;
    size_t out_len = 0;
    Bytes expected, expected_tag;  // all of `out`, and of the tag's buffer

    bool enciphers() const { return !suite->meaning.cipher.empty() && suite->meaning.form != Form::cmac; }
    bool scattered() const { return in.scattered || out.scattered; }
    // Sets what follows from what is drawn and what the model made.
    void settle(Random &random);
    // Puts the buffers into memory and fills `job`. neighbour: whose input this one may read where it lies, if it is
    // the same; or NULL.
    void lay(Guarded *memory, Random &random, unsigned scattered_percent, const Job *neighbour);
    // Puts back what was there before the job ran.
    void put_back() const;
    // What is wrong after it has run; empty: nothing.
    std::string problem() const;
    // What is wrong if it must not have run; empty: nothing.
    std::string touched() const;
    std::string describe() const;

private:
    void forge(Random &random);
    void forge_length(Random &random);
    void lay_texts(Guarded *memory, Random &random, unsigned scattered_percent, size_t cap, const Job *neighbour);
    std::string inputs_changed() const;
    Bytes before() const;
};

}  // namespace soak

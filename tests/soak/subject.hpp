// What is under test: a context for each target, their suites, and keys that live as long.
#pragma once

#include <memory>
#include <mutex>

#include "model.hpp"
#include "options.hpp"

namespace soak {

constexpr size_t KEYS = 4;  // of a suite, under which most jobs run

struct Suite {
    std::string name;
    Meaning meaning;
    cst_suite_info info;
    Secret secrets[KEYS];
};

// Of lengths that the suite takes.
Secret draw_secret(const Suite &suite, Random &random);
cst_key *new_key(const cst_suite *suite, const Secret &secret, const std::string &name);

// A suite in a context. Made by the thread that first wants it.
struct Offer {
    std::once_flag once;
    const cst_suite *suite = nullptr;  // NULL: the target has no kernels for it
    cst_key *keys[KEYS] = {};
};

struct Target {
    std::string name;
    cst_ctx *ctx = nullptr;
    std::unique_ptr<Offer[]> offers;  // as Subject::suites
};

class Subject {
public:
    // Throws when there is nothing to test, or a suite that is not understood.
    explicit Subject(const Options &options);
    ~Subject();
    Subject(const Subject &) = delete;
    Subject &operator=(const Subject &) = delete;

    const std::vector<Suite> &suites() const { return suites_; }
    const std::vector<Target> &targets() const { return targets_; }
    // By thread or number of suite. The context is asked each time, and must say the same.
    const Offer &offer(const Target &target, size_t suite) const;
    // Places in suites(), by kind.
    const std::vector<std::vector<size_t>> &kinds() const { return kinds_; }

private:
    void add_target(const std::string &name, uint32_t flags, std::vector<std::string> *seen);
    void find_suites(const Options &options);

    std::vector<Suite> suites_;
    std::vector<Target> targets_;
    std::vector<std::vector<size_t>> kinds_;
};

// Throws with the library's text for what is not CST_OK.
void want_ok(int error, const std::string &what);

}  // namespace soak

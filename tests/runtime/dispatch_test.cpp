// What the library would choose on the CPUs of a file (dispatch_test FILE): CPU, suite, direction, jobs, bytes,
// one_key, target, kernel, between tabs; the target is the error code where the suite cannot be had. Code is assembled,
// as it would be there, and never run.

#include <cstdio>
#include <string>

#include "cpuid/dump.hpp"
#include "run/explain.hpp"
#include "suite/suite.hpp"

using namespace cst;

namespace {

const char *const kSuites[] = {
    "sha1", "sha256", "md5", "aes-128-cbc", "aes-128-cbc+hmac-sha1-etm", "aes-256-cbc+hmac-sha256-etm", "aes-256-gcm"};

struct Work {
    size_t jobs, bytes;
    bool one_key;
};
const Work kWorks[] = {{1, 16384, true}, {64, 16384, false}, {64, 16384, true}};

void show(const dump::Dump &one) {
    Engine engine;
    if (int error = engine.init(dump::cpu(one), nullptr, false)) dump::refuse("init: " + std::to_string(error));
    Suites suites;
    suites.derive(engine);
    for (const char *name : kSuites) {
        const Suite *suite = suites.find(name);
        if (!suite) dump::refuse(std::string("no suite ") + name);
        const int error = prepare_suite(*suite);
        for (int direction : {CST_SEAL, CST_OPEN}) {
            if (direction == CST_OPEN && suite->kind != CST_CIPHER) continue;
            for (const Work &work : kWorks) {
                if (work.one_key && work.jobs > 1 && !suite->enciphers()) continue;
                std::string target = std::to_string(error), kernel = "-";
                if (!error) {
                    cst_choice choice = {};
                    const int wrong = explain(*suite, direction, work.jobs, work.bytes, work.one_key, &choice);
                    if (wrong) dump::refuse("explain: " + std::to_string(wrong));
                    const Variant *variant = engine.find(choice.kernel);
                    if (variant->features & ~engine.cpu().features)
                        dump::refuse(one.name + " cannot run " + choice.kernel);
                    target = variant->target;
                    kernel = choice.kernel;
                }
                printf("%s\t%s\t%s\t%zu\t%zu\t%d\t%s\t%s\n", one.name.c_str(), name,
                       direction == CST_SEAL ? "seal" : "open", work.jobs, work.bytes, int(work.one_key),
                       target.c_str(), kernel.c_str());
            }
        }
    }
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    for (const dump::Dump &one : dump::read(argv[1])) show(one);
    return 0;
}

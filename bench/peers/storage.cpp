// Checksums and erasure codes: isa-l's and zlib's functions, one call per buffer, where their headers and libraries are
// there; and the definition, bit by bit, as the reference for everybody's output.
#include "codes.hpp"
#include "summed.hpp"

#include <cstring>
#include <utility>

#ifdef BENCH_ISAL
#include <isa-l/crc.h>
#include <isa-l/crc64.h>
#include <isa-l/igzip_lib.h>
#endif
#ifdef BENCH_ZLIB
#include <zlib.h>
#endif

namespace bench {
namespace {

using Function = uint64_t (*)(const uint8_t *, size_t);

// G. Cook, "Catalogue of parametrised CRC algorithms": polynomial, start and end; reflected.
template <int width, uint64_t polynomial, uint64_t ends, bool reflected>
uint64_t by_definition(const uint8_t *data, size_t bytes) {
    const uint64_t top = uint64_t(1) << (width - 1), mask = top | (top - 1);
    uint64_t value = ends;
    for (size_t i = 0; i < 8 * bytes; i++) {
        const int place = int(reflected ? i % 8 : 7 - i % 8);
        if (data[i / 8] >> place & 1) value ^= top;
        value = (value << 1 & mask) ^ (value & top ? polynomial : 0);
    }
    value ^= ends;
    uint64_t turned = 0;
    for (int i = 0; i < width; i++) turned |= (value >> i & 1) << (width - 1 - i);
    return reflected ? turned : value;
}

// RFC 1950, 8.2.
uint64_t adler32_by_definition(const uint8_t *in, size_t n) {
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < n; i++) b = (b + (a = (a + in[i]) % 65521)) % 65521;
    return b << 16 | a;
}

constexpr uint64_t ONES = ~uint64_t(0), ONES_32 = ONES >> 32;

struct Checksum {
    const char *name;
    bool big_endian;
    Function definition;
};
const Checksum CHECKSUMS[] = {
    {"crc32c", false, by_definition<32, 0x1edc6f41, ONES_32, true>},
    {"crc32", false, by_definition<32, 0x04c11db7, ONES_32, true>},
    {"crc64-nvme", false, by_definition<64, 0xad93d23594c93659, ONES, true>},
    {"crc64-xz", false, by_definition<64, 0x42f0e1eba9ea3693, ONES, true>},
    {"crc32-bzip2", true, by_definition<32, 0x04c11db7, ONES_32, false>},
    {"crc16-t10-dif", true, by_definition<16, 0x8bb7, 0, false>},
    {"adler32", true, adler32_by_definition},
};

const Checksum *find(const std::string &name) {
    for (const Checksum &known : CHECKSUMS)
        if (name == known.name) return &known;
    return nullptr;
}

class ChecksumTask : public Task {
public:
    ChecksumTask(const Checksum &checksum, Function function, const Batch &batch, const char *called)
        : form_(checksum.name), function_(function), batch_(batch) {
        variant = called;
    }
    bool run() override {
        const size_t first = turns_.next();
        for (size_t i = first; i < first + batch_.jobs; i++) {
            const Buffer &b = batch_.buffers[i];
            form_.put(function_(b.in, b.bytes), b.tag);
        }
        return true;
    }

private:
    const ChecksumForm form_;
    const Function function_;
    const Batch &batch_;
    Turns turns_{batch_};
};

class StoragePeer : public Peer {
public:
    struct Known {
        const char *name, *called;
        Function function;
    };
    // codes: what it offers for an erasure code, or for sectors.
    StoragePeer(std::string name, std::string version, std::vector<Known> known, MakeCodes codes)
        : name_(std::move(name)), version_(std::move(version)), known_(std::move(known)), codes_(codes) {}

    std::string name() const override { return name_; }
    std::string version() const override { return version_; }
    std::vector<std::unique_ptr<Task>> prepare(const Row &row, const Batch &batch) override {
        if (row.stored() && codes_) return codes_(row, batch);
        const Checksum *const checksum = find(row.suite);
        for (const Known &known : known_)
            if (checksum && row.suite == known.name)
                return tasks_of(std::make_unique<ChecksumTask>(*checksum, known.function, batch, known.called));
        return {};
    }

private:
    const std::string name_, version_;
    const std::vector<Known> known_;
    const MakeCodes codes_;
};

#ifdef BENCH_ISAL
std::vector<StoragePeer::Known> isal_checksums() {
    return {
        {"crc32c", "crc32_iscsi",
         [](const uint8_t *in, size_t n) {
             return uint64_t(uint32_t(~crc32_iscsi(const_cast<uint8_t *>(in), int(n), ~0u)));
         }},
        {"crc32", "crc32_gzip_refl", [](const uint8_t *in, size_t n) { return uint64_t(crc32_gzip_refl(0, in, n)); }},
        {"crc32-bzip2", "crc32_ieee", [](const uint8_t *in, size_t n) { return uint64_t(crc32_ieee(0, in, n)); }},
        {"crc16-t10-dif", "crc16_t10dif", [](const uint8_t *in, size_t n) { return uint64_t(crc16_t10dif(0, in, n)); }},
        {"adler32", "isal_adler32", [](const uint8_t *in, size_t n) { return uint64_t(isal_adler32(1, in, n)); }},
        {"crc64-xz", "crc64_ecma_refl", [](const uint8_t *in, size_t n) { return crc64_ecma_refl(0, in, n); }},
    };
}
#endif

}  // namespace

ChecksumForm::ChecksumForm(const std::string &suite)
    : big_endian_(find(suite)->big_endian), bytes_(checksum_bytes(suite)) {}

SumFunction sum_function(const std::string &suite, std::string *called) {
#ifdef BENCH_ISAL
    for (const StoragePeer::Known &known : isal_checksums())
        if (suite == known.name) return *called = known.called, known.function;
#endif
    *called = "definition";
    return find(suite)->definition;
}

std::unique_ptr<Peer> make_storage_reference() {
    std::vector<StoragePeer::Known> all;
    for (const Checksum &known : CHECKSUMS) all.push_back({known.name, "definition", known.definition});
    return std::make_unique<StoragePeer>("reference", "", all, codes_by_definition);
}

std::unique_ptr<Peer> make_isal() {
#ifdef BENCH_ISAL
    return std::make_unique<StoragePeer>("isa-l", BENCH_ISAL, isal_checksums(), codes_of_isal);
#else
    return nullptr;
#endif
}

std::unique_ptr<Peer> make_zlib() {
#ifdef BENCH_ZLIB
    std::vector<StoragePeer::Known> known = {
        {"crc32", "crc32_z", [](const uint8_t *in, size_t n) { return uint64_t(crc32_z(0, in, n)); }},
        {"adler32", "adler32_z", [](const uint8_t *in, size_t n) { return uint64_t(adler32_z(1, in, n)); }}};
    return std::make_unique<StoragePeer>("zlib", zlibVersion(), known, nullptr);
#else
    return nullptr;
#endif
}

}  // namespace bench

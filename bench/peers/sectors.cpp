#include "sectors.hpp"

#ifdef BENCH_ISAL
#include <isa-l/crc.h>
#endif

namespace bench {
namespace {

constexpr size_t INFORMATION = 8;

// The guard, an application tag of 0, and the sector's number, big-endian (SBC-4, 4.21).
uint64_t information(uint16_t guard, size_t sector) {
    return __builtin_bswap64(uint64_t(guard) << 48 | uint32_t(sector));
}

uint16_t crc_by_definition(const uint8_t *data, size_t bytes) {
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; i++) {
        value ^= uint32_t(data[i]) << 8;
        for (int bit = 0; bit < 8; bit++) value = value << 1 ^ (value & 0x8000 ? 0x18bb7 : 0);
    }
    return uint16_t(value);
}

// copy_and_sum(out, in, bytes) copies a sector's data and returns its guard.
template <typename CopyAndSum>
class SectorsTask : public Task {
public:
    SectorsTask(const Row &row, const Batch &batch, const char *called, CopyAndSum copy_and_sum)
        : row_(row), batch_(batch), copy_and_sum_(copy_and_sum) {
        variant = called;
    }
    bool run() override {
        const size_t first = turns_.next();
        for (size_t i = first; i < first + batch_.jobs; i++) {
            const Buffer &b = batch_.buffers[i];
            if (!(row_.open ? strip(b) : insert(b))) return false;
        }
        return true;
    }

private:
    bool insert(const Buffer &b) {
        const size_t bytes = row_.sector_bytes;
        uint8_t *out = b.out;
        for (size_t i = 0; i < b.bytes / bytes; i++, out += bytes + INFORMATION) {
            const uint64_t behind = information(copy_and_sum_(out, b.in + i * bytes, bytes), i);
            memcpy(out + bytes, &behind, INFORMATION);
        }
        return true;
    }
    bool strip(const Buffer &b) {
        const size_t bytes = row_.sector_bytes;
        const uint8_t *in = b.in;
        for (size_t i = 0; i < b.bytes / bytes; i++, in += bytes + INFORMATION) {
            const uint64_t behind = information(copy_and_sum_(b.out + i * bytes, in, bytes), i);
            if (memcmp(in + bytes, &behind, INFORMATION) != 0) return false;
        }
        return true;
    }

    const Row row_;
    const Batch &batch_;
    const CopyAndSum copy_and_sum_;
    Turns turns_{batch_};
};
template <typename CopyAndSum>
std::unique_ptr<Task> sectors_task(const Row &row, const Batch &batch, const char *called, CopyAndSum copy_and_sum) {
    return std::make_unique<SectorsTask<CopyAndSum>>(row, batch, called, copy_and_sum);
}

}  // namespace

std::vector<std::unique_ptr<Task>> sectors_by_definition(const Row &row, const Batch &batch) {
    return tasks_of(sectors_task(row, batch, "definition", [](uint8_t *out, const uint8_t *in, size_t bytes) {
        memcpy(out, in, bytes);
        return crc_by_definition(in, bytes);
    }));
}

#ifdef BENCH_ISAL
std::vector<std::unique_ptr<Task>> sectors_of_isal(const Row &row, const Batch &batch) {
    auto tasks =
        tasks_of(sectors_task(row, batch, "memcpy, crc16_t10dif", [](uint8_t *out, const uint8_t *in, size_t bytes) {
            memcpy(out, in, bytes);
            return crc16_t10dif(0, out, bytes);
        }));
    tasks.push_back(sectors_task(row, batch, "crc16_t10dif_copy", [](uint8_t *out, const uint8_t *in, size_t bytes) {
        return crc16_t10dif_copy(0, out, const_cast<uint8_t *>(in), bytes);
    }));
    return tasks;
}
#else
std::vector<std::unique_ptr<Task>> sectors_of_isal(const Row &, const Batch &) { return {}; }
#endif

}  // namespace bench

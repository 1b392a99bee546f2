#include "codes.hpp"

#include "sectors.hpp"

#ifdef BENCH_ISAL
#include <isa-l/erasure_code.h>
#include <isa-l/raid.h>
#endif

namespace bench {
namespace {

uint8_t times(uint8_t a, uint8_t b) {
    uint8_t product = 0;
    for (; b; b >>= 1) {
        if (b & 1) product ^= a;
        a = uint8_t(a << 1 ^ (a & 0x80 ? 0x1d : 0));
    }
    return product;
}

// By which data block j is multiplied in parity block i: 1 / ((k + i) + j), or x^(i j) (J. Blomer et al., "An XOR-based
// erasure-resilient coding scheme", 1995; H. P. Anvin, "The mathematics of RAID-6").
uint8_t coefficient(const Row &row, size_t i, size_t j) {
    uint8_t value = 1;
    if (row.cauchy) {
        const uint8_t of = uint8_t((row.data_blocks + i) ^ j);
        while (times(value, of) != 1) value++;
        return value;
    }
    for (size_t n = 0; n < i * j; n++) value = times(value, 2);
    return value;
}

// Calls encode(blocks) for each job.
template <typename Encode>
class CodeTask : public Task {
public:
    CodeTask(const Row &row, const Batch &batch, const char *called, Encode encode)
        : batch_(batch), encode_(std::move(encode)) {
        for (const Buffer &b : batch.buffers) blocks_.emplace_back(row, b);
        variant = called;
    }
    bool run() override {
        const size_t first = turns_.next();
        for (size_t i = first; i < first + batch_.jobs; i++)
            if (!encode_(blocks_[i])) return false;
        return true;
    }

private:
    const Batch &batch_;
    Encode encode_;
    std::vector<Blocks> blocks_;
    Turns turns_{batch_};
};
template <typename Encode>
std::unique_ptr<Task> code_task(const Row &row, const Batch &batch, const char *called, Encode encode) {
    return std::make_unique<CodeTask<Encode>>(row, batch, called, std::move(encode));
}

}  // namespace

std::vector<std::unique_ptr<Task>> codes_by_definition(const Row &row, const Batch &batch) {
    if (row.sector_bytes) return sectors_by_definition(row, batch);
    return tasks_of(code_task(row, batch, "definition", [row](Blocks &b) {
        for (size_t i = 0; i < row.parity_blocks; i++) {
            memset(b.parity[i], 0, b.bytes);
            for (size_t j = 0; j < row.data_blocks; j++) {
                const uint8_t by = coefficient(row, i, j);
                for (size_t at = 0; at < b.bytes; at++) b.parity[i][at] ^= times(b.data[j][at], by);
            }
        }
        return true;
    }));
}

#ifdef BENCH_ISAL
std::vector<std::unique_ptr<Task>> codes_of_isal(const Row &row, const Batch &batch) {
    if (row.sector_bytes) return sectors_of_isal(row, batch);
    const int k = int(row.data_blocks), m = int(row.parity_blocks);
    std::vector<uint8_t> matrix(size_t(k + m) * size_t(k)), tables(32 * size_t(k) * size_t(m));
    if (row.cauchy) gf_gen_cauchy1_matrix(matrix.data(), k + m, k);
    else gf_gen_rs_matrix(matrix.data(), k + m, k);
    ec_init_tables(k, m, matrix.data() + k * k, tables.data());
    auto tasks = tasks_of(code_task(row, batch, "ec_encode_data", [k, m, tables](Blocks &b) mutable {
        ec_encode_data(int(b.bytes), k, m, tables.data(), b.data.data(), b.parity.data());
        return true;
    }));
    if (row.cauchy) return tasks;
    std::vector<void *> all(size_t(k + m));  // data, then parity, which these want
    tasks.push_back(code_task(row, batch, m == 1 ? "xor_gen" : "pq_gen", [k, m, all](Blocks &b) mutable {
        std::copy(b.data.begin(), b.data.end(), all.begin());
        std::copy(b.parity.begin(), b.parity.end(), all.begin() + k);
        return (m == 1 ? xor_gen : pq_gen)(k + m, int(b.bytes), all.data()) == 0;
    }));
    return tasks;
}
#else
std::vector<std::unique_ptr<Task>> codes_of_isal(const Row &, const Batch &) { return {}; }
#endif

}  // namespace bench

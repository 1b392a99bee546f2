// A cipher with a checksum beside it, as two functions one after the other: for peers that have no more.
#pragma once

#include <functional>

#include "../peer.hpp"

namespace bench {

typedef std::function<uint64_t(const uint8_t *, size_t)> SumFunction;

// Returns the fastest function here for a checksum: isa-l's, or by the definition; and its name. The suite is known.
SumFunction sum_function(const std::string &suite, std::string *called);

class SummedTask : public Task {
public:
    // cipher: runs the row without its checksum.
    SummedTask(std::unique_ptr<Task> cipher, SumFunction sum, const std::string &called, const Row &row,
               const Batch &batch)
        : cipher_(std::move(cipher)),
          sum_(std::move(sum)),
          row_(row),
          bytes_(checksum_bytes(row.sum)),
          form_(row.sum),
          batch_(batch) {
        variant = cipher_->variant + ", " + called;
    }
    bool run() override {
        if (!cipher_->run()) return false;
        const size_t at = row_.tag_bytes - bytes_, first = turns_.next();
        for (size_t i = first; i < first + batch_.jobs; i++) {
            const Buffer &b = batch_.buffers[i];
            uint8_t sum[8];
            form_.put(sum_(row_.sums_plaintext == row_.open ? b.out : b.in, b.bytes), sum);
            if (!row_.open) memcpy(b.tag + at, sum, bytes_);
            else if (memcmp(b.expected_tag + at, sum, bytes_) != 0) return false;
        }
        return true;
    }

private:
    const std::unique_ptr<Task> cipher_;
    const SumFunction sum_;
    const Row row_;
    const size_t bytes_;
    const ChecksumForm form_;
    const Batch &batch_;
    Turns turns_{batch_};
};

// Returns the row of the cipher alone.
inline Row without_sum(Row row) {
    row.suite.resize(row.suite.find('+'));
    row.tag_bytes -= checksum_bytes(row.sum);
    row.sum.clear();
    row.name = row.suite + (row.open ? "/open" : "");
    return row;
}

// Makes tasks with checksums of a peer's tasks for the cipher alone.
inline std::vector<std::unique_ptr<Task>> summed_tasks(Peer &peer, const Row &row, const Batch &batch) {
    std::string called;
    const SumFunction sum = sum_function(row.sum, &called);
    auto tasks = peer.prepare(without_sum(row), batch);
    for (auto &task : tasks) task = std::make_unique<SummedTask>(std::move(task), sum, called, row, batch);
    return tasks;
}

}  // namespace bench

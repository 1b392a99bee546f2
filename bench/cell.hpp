// One cell of the table: a row under one load. Owns the buffers and the expected answers.
#pragma once

#include "pages.hpp"
#include "peer.hpp"
#include "plan.hpp"

namespace bench {

// One way in which an implementation can do the cell.
struct Candidate {
    std::string impl;
    std::unique_ptr<Task> task;
};

class Cell {
public:
    // ok() is false if the reference cannot do this row.
    Cell(const Row &row, const Load &load, Peer &reference);
    Cell(const Cell &) = delete;
    bool ok() const { return ok_; }
    // The tasks that `peers` offer and whose output is right. Says on stderr which is not, and failed() is true then.
    // The cell outlives the tasks.
    std::vector<Candidate> candidates(const std::vector<Peer *> &peers);
    bool failed() const { return failed_; }

    const Row &row() const { return row_; }
    const Load &load() const { return load_; }
    const Batch &batch() const { return batch_; }
    size_t runs() const { return batch_.buffers.size() / batch_.jobs; }  // until all buffers have had their turn

private:
    void lay_out();
    bool answer();
    bool are_verified() const;
    bool is_right(const Buffer &buffer, size_t i, std::vector<uint8_t> &scratch) const;
    const char *fault(Task &task);
    Row row_;
    Load load_;
    Peer &reference_;
    Batch batch_;
    size_t tag_pitch() const;
    Table<uint8_t> keys_, in_, out_, tags_, expected_tags_;
    std::vector<std::unique_ptr<ClosedPage>> closed_;
    std::vector<std::vector<uint8_t>> expected_out_;
    bool ok_ = false, failed_ = false;
};

} // namespace bench

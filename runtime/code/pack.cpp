#include "pack.hpp"

#include <cstring>

#include "check.hpp"
#include "cryptostitch/cryptostitch.h"
#include "reader.hpp"

namespace cst {

namespace {

constexpr uint32_t VERSION = 10;
constexpr uint32_t HEADER_BYTES = 96;
constexpr uint32_t CRC_START = 24;
constexpr uint32_t MAX_SIZE = 256u << 20;
// Limits far beyond anything real; they keep hostile packs from asking for gigabytes.
constexpr uint32_t MAX_RECORDS = 1u << 16, MAX_LANES = 256, MAX_FIELDS = 64, MAX_CONSTANTS = 4096,
                   MAX_INSTRUCTIONS = 1u << 16;
constexpr uint32_t MAX_STATE_BYTES = 1u << 20, MAX_STATE_ALIGN = 4096, MAX_RATIO = 64, MAX_LAG = 8, MAX_LEAD = 1u << 20;
constexpr uint32_t MAX_ANSWER_BYTES = 1u << 16;  // of each part

uint32_t crc32(const uint8_t *data, size_t size) {
    uint32_t table[256];
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) crc = table[(crc ^ data[i]) & 0xff] ^ (crc >> 8);
    return ~crc;
}

LeavesRecord leaves(Reader *r) {
    LeavesRecord l;
    uint32_t *const numbers[] = {&l.leaf_bytes,  &l.digest_bytes, &l.leaf_domain, &l.node_domain,
                                 &l.behind.size, &l.marker.size,  &l.end.size};
    for (uint32_t *number : numbers) *number = r->u32();
    for (LeavesRecord::Bytes *part : {&l.behind, &l.marker, &l.end}) part->data = r->bytes(part->size);
    return l;
}

bool power_of_two(uint32_t n) { return n != 0 && (n & (n - 1)) == 0; }

bool has_bits(uint64_t n, uint32_t bits) { return bits >= 64 || n >> bits == 0; }

bool in_state(const FieldRecord &f, const ProgramRecord &program) {
    uint64_t size = uint64_t(f.rows) * f.row_bytes;
    if (f.offset > program.state_bytes || size > program.state_bytes - f.offset) return false;
    for (uint32_t i = 0; i < f.n_lanes; i++) {
        uint64_t last = uint64_t(f.rows ? f.rows - 1 : 0) * f.row_bytes + f.lane_offsets[i] + f.entry_bytes;
        if (f.offset + last > program.state_bytes) return false;
    }
    return true;
}

}  // namespace

const char *AlgorithmRecord::broken_rule() const {
#define RULE(of, holds, says) \
    if ((of) && !(holds)) return says;
#define BASE_RULE(of, holds, says)
#include "row_rules.inc"
#undef RULE
#undef BASE_RULE
    return nullptr;
}

const char *AlgorithmRecord::broken_base_rule(const AlgorithmRecord &base) const {
#define RULE(of, holds, says)
#define BASE_RULE(of, holds, says) \
    if ((of) && !(holds)) return says;
#include "row_rules.inc"
#undef RULE
#undef BASE_RULE
    return nullptr;
}

const FieldRecord *ProgramRecord::field(const char *field_name) const {
    for (const FieldRecord &f : fields)
        if (std::strcmp(f.name, field_name) == 0) return &f;
    return nullptr;
}

int Pack::open(const void *bytes, size_t size, Origin origin) {
    if (bytes == nullptr || reinterpret_cast<uintptr_t>(bytes) % 4 != 0) return CST_ERR_ARGUMENT;
    if (size < HEADER_BYTES || size > MAX_SIZE) return CST_ERR_PACK;
    data_ = static_cast<const uint8_t *>(bytes);
    size_ = uint32_t(size);
    origin_ = origin;
    Reader r(data_, size_, 8, size_);
    uint32_t version = r.u32(), stated = r.u32(), crc = r.u32();
    r.u32();
    if (std::memcmp(data_, "CSTPACK", 8) != 0) return CST_ERR_PACK;
    if (version != VERSION)
        return refuse(
            &why_,
            "it is a pack of version %u; this library reads version %u: make it again (cryptostitch emit --pack)",
            version, VERSION);
    if (stated != size_) return CST_ERR_PACK;
    Section *sections[] = {&strings_,  &mnemonics_, &algorithms_, &fields_, &constants_,
                           &programs_, &kernels_,   &costs_,      &answers_};
    for (Section *section : sections) {
        section->offset = r.u32();
        section->count = r.u32();
        uint64_t bytes_each = section == &strings_ ? 1 : 4;
        if (section->offset % 4 != 0 || section->offset < HEADER_BYTES || section->offset > size_ ||
            section->count * bytes_each > size_ - section->offset)
            return CST_ERR_PACK;
        if (section != &strings_ && section->count > MAX_RECORDS) return CST_ERR_PACK;
    }
    if (strings_.count == 0 || data_[strings_.offset + strings_.count - 1] != 0) return CST_ERR_PACK;
    if (origin == Origin::built_in) return CST_OK;
    if (crc32(data_ + CRC_START, size_ - CRC_START) != crc) return CST_ERR_PACK;
    return check_pack(*this, &why_);
}

int Pack::record(const Section &section, uint32_t index, uint32_t *offset) const {
    if (index >= section.count) return CST_ERR_PACK;
    std::memcpy(offset, data_ + section.offset + 4 * size_t(index), 4);
    return *offset % 4 == 0 && *offset >= HEADER_BYTES && *offset < size_ ? CST_OK : CST_ERR_PACK;
}

int Pack::mnemonic(uint32_t index, const char **out) const {
    if (index >= mnemonics_.count) return CST_ERR_PACK;
    Reader r(data_, size_, mnemonics_.offset + 4 * index, size_);
    *out = r.string(strings_.offset, strings_.count);
    return r.ok() && **out != 0 ? CST_OK : CST_ERR_PACK;
}

int Pack::algorithm(uint32_t index, AlgorithmRecord *out, const char **broken) const {
    const char *ignored, **rule = broken ? broken : &ignored;
    *rule = nullptr;
    if (int error = plain_algorithm(index, out)) return error;
    if ((*rule = out->broken_rule())) return CST_ERR_PACK;
    if (out->base == 0) return CST_OK;
    AlgorithmRecord base;
    if (int error = plain_algorithm(out->base - 1, &base)) return error;
    *rule = out->broken_base_rule(base);
    return *rule || base.broken_rule() ? CST_ERR_PACK : CST_OK;
}

int Pack::plain_algorithm(uint32_t index, AlgorithmRecord *out) const {
    uint32_t offset;
    if (int error = record(algorithms_, index, &offset)) return error;
    Reader r(data_, size_, offset, size_);
    out->name = r.string(strings_.offset, strings_.count);
    out->suite = r.string(strings_.offset, strings_.count);
    uint32_t *numbers[] = {&out->kind,         &out->block_bytes, &out->word_bytes,   &out->words,
                           &out->digest_bytes, &out->flags,       &out->length_bytes, &out->key_bytes,
                           &out->iv_bytes,     &out->rounds,      &out->base,         &out->padding,
                           &out->input_bytes,  &out->domain,      &out->last,         &out->squeeze_bytes};
    for (uint32_t *number : numbers) *number = r.u32();
    out->cipher = r.string(strings_.offset, strings_.count);
    if (!out->input_bytes) out->input_bytes = out->block_bytes;
    for (uint32_t i = 0; i < MOST_WORDS; i++) out->initial[i] = i < out->words ? r.u64() : 0;
    out->leaves = out->has_leaves() ? leaves(&r) : LeavesRecord();
    return r.ok() && out->known_kind() ? CST_OK : CST_ERR_PACK;
}

int Pack::field(uint32_t index, FieldRecord *out) const {
    uint32_t offset;
    if (int error = record(fields_, index, &offset)) return error;
    Reader r(data_, size_, offset, size_);
    out->name = r.string(strings_.offset, strings_.count);
    uint32_t *numbers[] = {&out->offset, &out->rows,  &out->row_bytes, &out->entry_bytes,
                           &out->flags,  &out->reach, &out->n_lanes};
    for (uint32_t *number : numbers) *number = r.u32();
    if (out->n_lanes > MAX_LANES) return CST_ERR_PACK;
    out->lane_offsets = reinterpret_cast<const uint16_t *>(r.bytes(2 * out->n_lanes));
    return r.ok() ? CST_OK : CST_ERR_PACK;
}

int Pack::constant(uint32_t index, ConstantRecord *out) const {
    uint32_t offset;
    if (int error = record(constants_, index, &offset)) return error;
    Reader r(data_, size_, offset, size_);
    out->size = r.u32();
    if (!power_of_two(out->size) || out->size < 4 || out->size > 64) return CST_ERR_PACK;
    out->data = r.bytes(out->size);
    return r.ok() ? CST_OK : CST_ERR_PACK;
}

int Pack::program(uint32_t index, ProgramRecord *out) const {
    uint32_t offset;
    if (int error = record(programs_, index, &offset)) return error;
    Reader r(data_, size_, offset, size_);
    out->name = r.string(strings_.offset, strings_.count);
    out->stream = r.string(strings_.offset, strings_.count);
    out->algorithm = r.u32();
    out->lanes = r.u32();
    out->bytes = r.u32();
    out->flags = r.u32();
    out->vectors = r.u8();
    out->generals = r.u8();
    out->masks = r.u8();
    r.u8();
    out->state_bytes = r.u32();
    out->state_align = r.u32();
    out->features = r.string(strings_.offset, strings_.count);
    uint32_t n_fields = r.u32(), n_constants = r.u32();
    out->n_enter = r.u32();
    out->n_body = r.u32();
    out->n_leave = r.u32();
    out->code_bytes = r.u32();
    out->stored_bytes = r.u32();
    if (!r.ok() || out->algorithm >= n_algorithms() || out->lanes == 0 || out->lanes > MAX_LANES || out->bytes == 0 ||
        out->bytes > 65536 || out->vectors > 32 || out->generals == 0 || out->generals > 14 || out->masks > 7 ||
        out->state_bytes > MAX_STATE_BYTES || !power_of_two(out->state_align) || out->state_align > MAX_STATE_ALIGN ||
        out->state_bytes % out->state_align != 0 || n_fields > MAX_FIELDS || n_constants > MAX_CONSTANTS ||
        out->n_enter > MAX_INSTRUCTIONS || out->n_body > MAX_INSTRUCTIONS || out->n_leave > MAX_INSTRUCTIONS ||
        out->code_bytes > MAX_CODE_BYTES || out->stored_bytes > out->code_bytes)
        return CST_ERR_PACK;
    out->fields.resize(n_fields);
    for (FieldRecord &f : out->fields)
        if (field(r.u16(), &f) || !in_state(f, *out)) return CST_ERR_PACK;
    out->constants.resize(n_constants);
    for (ConstantRecord &c : out->constants)
        if (constant(r.u16(), &c)) return CST_ERR_PACK;
    r.align4();
    out->stored = r.bytes(out->stored_bytes);
    out->record_bytes = r.at() - offset;
    return r.ok() ? CST_OK : CST_ERR_PACK;
}

int Pack::kernel(uint32_t index, KernelRecord *out) const {
    uint32_t offset;
    if (int error = record(kernels_, index, &offset)) return error;
    Reader r(data_, size_, offset, size_);
    out->name = r.string(strings_.offset, strings_.count);
    out->target = r.string(strings_.offset, strings_.count);
    out->features = r.string(strings_.offset, strings_.count);
    out->strategy = r.u32();
    out->flags = r.u32();
    out->n_streams = r.u32();
    if (!r.ok() || out->strategy > 1 || out->n_streams == 0 || out->n_streams > MAX_STREAMS) return CST_ERR_PACK;
    for (uint32_t i = 0; i < out->n_streams; i++) {
        StreamRecord &s = out->streams[i];
        s.program = r.u32();
        s.ratio = r.u32();
        s.lead = int32_t(r.u32());
        s.lag = r.u32();
        if (!r.ok() || s.program >= n_programs() || s.ratio == 0 || s.ratio > MAX_RATIO || s.lag > MAX_LAG ||
            s.lead > int32_t(MAX_LEAD) || s.lead < -int32_t(MAX_LEAD))
            return CST_ERR_PACK;
    }
    return CST_OK;
}

int Pack::cost(uint32_t index, CostRecord *out) const {
    uint32_t offset;
    if (int error = record(costs_, index, &offset)) return error;
    Reader r(data_, size_, offset, size_);
    out->microarchitecture = r.string(strings_.offset, strings_.count);
    out->centicycles_per_message = r.u32();
    uint32_t n = r.u32();
    if (!r.ok() || n > MAX_RECORDS) return CST_ERR_PACK;
    out->entries.clear();
    out->entries.reserve(n);
    for (uint32_t i = 0; i < n; i++) {
        CostEntry entry;
        entry.kernel = r.u32();
        entry.centicycles_per_iteration = r.u32();
        entry.centicycles_per_call = r.u32();
        if (!r.ok() || entry.kernel >= n_kernels()) return CST_ERR_PACK;
        out->entries.push_back(entry);
    }
    return CST_OK;
}

int Pack::answer(uint32_t index, AnswerRecord *out) const {
    uint32_t offset;
    if (int error = record(answers_, index, &offset)) return error;
    Reader r(data_, size_, offset, size_);
    out->suite = r.string(strings_.offset, strings_.count);
    AnswerRecord::Part *parts[] = {&out->key, &out->mac_key, &out->iv, &out->aad, &out->in, &out->out, &out->tag};
    for (AnswerRecord::Part *part : parts)
        if ((part->size = r.u32()) > MAX_ANSWER_BYTES) return CST_ERR_PACK;
    for (AnswerRecord::Part *part : parts) part->data = r.bytes(part->size);
    r.align4();
    out->record_bytes = r.at() - offset;
    return r.ok() && (out->out.size || out->tag.size) ? CST_OK : CST_ERR_PACK;
}

int Pack::find_kernel(const char *name, uint32_t *index) const {
    for (uint32_t i = 0; i < n_kernels(); i++) {
        uint32_t offset;
        if (int error = record(kernels_, i, &offset)) return error;
        Reader r(data_, size_, offset, size_);
        const char *candidate = r.string(strings_.offset, strings_.count);
        if (!r.ok()) return CST_ERR_PACK;
        if (std::strcmp(candidate, name) == 0) {
            *index = i;
            return CST_OK;
        }
    }
    return CST_ERR_NAME;
}

}  // namespace cst

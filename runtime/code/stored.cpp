#include "stored.hpp"

#include <memory>

#include "cryptostitch/cryptostitch.h"
#include "zstd_names.h"
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

namespace cst {

int stored_code(const ProgramRecord &record, std::vector<uint8_t> *buffer, const uint8_t **code) {
    *code = record.stored;
    if (record.stored_bytes == record.code_bytes) return CST_OK;
    const size_t size = ZSTD_estimateDCtxSize();  // all memory that it takes, because the whole result is in one place
    std::unique_ptr<uint64_t[]> memory(new uint64_t[size / 8 + 1]);
    ZSTD_DCtx *zstd = ZSTD_initStaticDCtx(memory.get(), size);
    if (zstd == nullptr) return CST_ERR_MEMORY;
    buffer->resize(record.code_bytes);
    *code = buffer->data();
    return ZSTD_decompressDCtx(zstd, buffer->data(), buffer->size(), record.stored, record.stored_bytes) ==
                   record.code_bytes
               ? CST_OK
               : CST_ERR_PACK;
}

}  // namespace cst

// The C API: QUIC's keys and key schedule.

#include "arguments.hpp"
#include "../quic/key_schedule.hpp"
#include "../quic/packets.hpp"
#include "../suite/registers.hpp"

using namespace cst;

namespace {

constexpr size_t MOST_RETRY = 65535 - QUIC_TAG;

const uint8_t *octets(const void *p) { return static_cast<const uint8_t *>(p); }
uint8_t *octets(void *p) { return static_cast<uint8_t *>(p); }

cst_quic_key *released(QuicKeyPointer *key) { return reinterpret_cast<cst_quic_key *>(key->release()); }

}  // namespace

int cst_quic_key_new(cst_ctx *ctx, const char *name, const void *key, size_t key_len, const void *iv, size_t iv_len,
                     const void *hp, size_t hp_len, cst_quic_key **out) {
    if (!ctx || !name) return CST_ERR_ARGUMENT;
    const QuicAlgorithm *const algorithm = QuicAlgorithm::find(name);
    const Argument buffers[] = {Argument::input(key, key_len), Argument::input(iv, iv_len), Argument::input(hp, hp_len),
                                Argument::outputs(out)};
    if (any_wrong_pointer(buffers)) return CST_ERR_ARGUMENT;
    if (!algorithm) return CST_ERR_NAME;
    const bool right = key_len == algorithm->key_bytes && hp_len == algorithm->key_bytes && iv_len == QUIC_IV;
    if (int error = check_arguments(length_error(right), buffers)) return error;
    const ClearRegisters clear(ctx->engine.cpu());
    return guarded([&]() -> int {
        QuicKeyPointer made;
        if (int error = new_quic_key(ctx->suites, *algorithm, octets(key), octets(iv), octets(hp), nullptr, &made))
            return error;
        *out = released(&made);
        return CST_OK;
    });
}

int cst_quic_key_from_secret(cst_ctx *ctx, const char *name, uint32_t number, const void *secret, size_t secret_len,
                             const cst_quic_key *before, cst_quic_key **out) {
    if (!ctx || !name) return CST_ERR_ARGUMENT;
    const QuicAlgorithm *const algorithm = QuicAlgorithm::find(name);
    const QuicVersion *const version = QuicVersion::find(number);
    const Argument buffers[] = {Argument::input(secret, secret_len), Argument::outputs(out)};
    if (any_wrong_pointer(buffers)) return CST_ERR_ARGUMENT;
    if (!algorithm) return CST_ERR_NAME;
    if (before && (&from(before)->algorithm != algorithm || from(before)->aead->suite->engine != &ctx->engine))
        return CST_ERR_ARGUMENT;
    if (int error = check_arguments(version ? length_error(secret_len == algorithm->secret_bytes) : CST_ERR_UNSUPPORTED,
                                    buffers))
        return error;
    const ClearRegisters clear(ctx->engine.cpu());
    return guarded([&]() -> int {
        QuicKeyPointer made;
        if (int error = new_quic_key(ctx->suites, *algorithm, *version, octets(secret), from(before), &made))
            return error;
        *out = released(&made);
        return CST_OK;
    });
}

void cst_quic_key_free(cst_quic_key *handle) {
    if (!handle) return;
    QuicKey *const key = reinterpret_cast<QuicKey *>(handle);
    const ClearRegisters clear(key->aead->suite->engine->cpu());
    WipingDelete<QuicKey>()(key);
}

int cst_quic_key_info_get(const cst_quic_key *handle, cst_quic_key_info *info) {
    if (!handle || !is_object(info) || info->size != sizeof(*info)) return CST_ERR_ARGUMENT;
    const QuicKey &key = *from(handle);
    *info = {sizeof(*info),     key.algorithm.name, key.sealed.used(),
             key.sealed.most(), key.failed->used(), key.failed->most()};
    return CST_OK;
}

int cst_quic_next_secret(cst_ctx *ctx, const char *name, uint32_t number, const void *secret, size_t secret_len,
                         void *next) {
    if (!ctx || !name) return CST_ERR_ARGUMENT;
    const QuicAlgorithm *const algorithm = QuicAlgorithm::find(name);
    const QuicVersion *const version = QuicVersion::find(number);
    const Argument buffers[] = {Argument::input(secret, secret_len).or_in_place(),
                                Argument::output(next, secret_len).or_in_place()};
    if (any_wrong_pointer(buffers)) return CST_ERR_ARGUMENT;
    if (!algorithm) return CST_ERR_NAME;
    if (int error = check_arguments(version ? length_error(secret_len == algorithm->secret_bytes) : CST_ERR_UNSUPPORTED,
                                    buffers))
        return error;
    const ClearRegisters clear(ctx->engine.cpu());
    return guarded(
        [&]() -> int { return next_secret(ctx->suites, *algorithm, *version, octets(secret), octets(next)); });
}

int cst_quic_initial_secrets(cst_ctx *ctx, uint32_t number, const void *connection_id, size_t connection_id_len,
                             void *client, void *server) {
    if (!ctx) return CST_ERR_ARGUMENT;
    const QuicVersion *const version = QuicVersion::find(number);
    if (int error = check_arguments(
            version ? length_error(connection_id_len <= QUIC_MOST_CONNECTION_ID) : CST_ERR_UNSUPPORTED,
            {Argument::input(connection_id, connection_id_len), Argument::output(client, QUIC_INITIAL_SECRET),
             Argument::output(server, QUIC_INITIAL_SECRET)}))
        return error;
    const ClearRegisters clear(ctx->engine.cpu());
    return guarded([&]() -> int {
        return initial_secrets(ctx->suites, *version, octets(connection_id), connection_id_len, octets(client),
                               octets(server));
    });
}

int cst_quic_retry_tag(cst_ctx *ctx, uint32_t number, const void *connection_id, size_t connection_id_len,
                       const void *packet, size_t packet_len, void *tag) {
    if (!ctx) return CST_ERR_ARGUMENT;
    const QuicVersion *const version = QuicVersion::find(number);
    if (int error = check_arguments(
            version ? length_error(connection_id_len <= QUIC_MOST_CONNECTION_ID && packet_len <= MOST_RETRY)
                    : CST_ERR_UNSUPPORTED,
            {Argument::input(connection_id, connection_id_len), Argument::input(packet, packet_len),
             Argument::output(tag, QUIC_TAG)}))
        return error;
    const ClearRegisters clear(ctx->engine.cpu());
    return guarded([&]() -> int {
        return retry_tag(ctx->suites, *version, octets(connection_id), connection_id_len, octets(packet), packet_len,
                         octets(tag));
    });
}

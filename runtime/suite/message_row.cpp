#include "message_row.hpp"

#include "suite.hpp"

namespace cst {

MessageRow row_of(const Suite &suite) {
    typedef MessageRow Row;
    constexpr uint16_t RECORD_LENGTH = TLS_HEAD - TLS_AAD, CCM_FIRST = 18;  // B0 and the length of a short AAD
    Row row;
    row.chain = suite.tweaked() ? Row::Chain::tweak : suite.half_blocks() ? Row::Chain::half_block : Row::Chain::iv;
    switch (suite.construction) {
        case Construction::etm:
        case Construction::rc4_hmac: row.head_besides = uint16_t(suite.mac_iv_bytes); break;
        case Construction::rfc7518:
            row.added = Row::Added::padding;
            row.head_besides = uint16_t(suite.mac_iv_bytes);
            row.trailer = Row::Trailer::aad_bits;
            row.most_trailer = AAD_LENGTH_BYTES;
            break;
        case Construction::esp:
            row.head_aad = ESP_HEADER;
            row.head_besides = uint16_t(suite.mac_iv_bytes);
            row.trailer = Row::Trailer::sequence;
            row.most_trailer = ESP_EXTENSION;
            break;
        case Construction::tls:
            row.added = Row::Added::record;
            row.covers_plaintext = true;
            row.head_besides = RECORD_LENGTH;
            break;
        case Construction::ccm:
            row.chain = Row::Chain::ccm_block;
            row.covers_plaintext = true;
            row.head_besides = CCM_FIRST;
            break;
        default: break;
    }
    return row;
}

}  // namespace cst

#include "kept_keys.hpp"

#include <memory>
#include <new>

#include "gcm.hpp"
#include "suite/secret.hpp"

namespace cst::imb {

ExpandedKey gcm_parts(const gcm_key_data &data) {
    ExpandedKey parts;
    parts.cipher = data.expanded_keys;
    parts.powers = powers_of(data);
    return parts;
}

KeptKeys *KeptKeys::of_thread() {
    static thread_local const std::unique_ptr<KeptKeys> kept(new (std::nothrow) KeptKeys);
    return kept.get();
}

const Key *KeptKeys::get(const Suite &suite, const gcm_key_data &data) {
    constexpr uintptr_t line = 64;
    const uintptr_t address = reinterpret_cast<uintptr_t>(&data) / line;
    Place &place = places_[(address ^ address / PLACES) % PLACES];
    const size_t bytes = (suite.encrypt->record.rounds + 1) * sizeof(KeyRow);
    const bool is_there =
        place.key && place.key->suite == &suite && same_bytes(octets(place.key->encrypt()), data.expanded_keys, bytes);
    if (!is_there) {
        if ((place.key && place.round == round_) || suite.key_layout.bytes > ROOM) return nullptr;
        place.key = nullptr;
        if (take_expanded_key(suite, gcm_parts(data), place.memory, &place.key)) return nullptr;
        any_ = true;
    }
    place.round = round_;
    return place.key;
}

void KeptKeys::forget() {
    if (!any_) return;
    for (Place &place : places_) {
        if (place.key) wipe(place.memory, place.key->suite->key_layout.bytes);
        place.key = nullptr;
    }
    any_ = false;
}

}  // namespace cst::imb

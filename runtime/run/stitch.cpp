// The stitched middle of messages. Let p be the hash's position in the body and c the cipher's, a multiple of 16; B bytes are an iteration.
//
// The hash of what the cipher wrote (encrypt-then-MAC, sealing): a pair kernel's hash lags one iteration behind its cipher: in the call's iteration
// i it reads body bytes [p + iB, p + (i + 1)B) while the cipher, in iteration i + 1, writes from c + (i + 1)B on. So what it reads was
// written in earlier iterations if and only if p <= c. Therefore the cipher first runs alone up to c = p rounded up to 16, the head block
// is hashed, and the pair starts from there. Where c = p (heads of a multiple of 16 bytes) both stand at the same byte, and kernels that hand
// the ciphertext over in the state block can run too.
//
// The hash of what the cipher overwrites, where input and output are the same buffer (MAC-then-encrypt, sealing; encrypt-then-MAC, opening): in
// iteration i the cipher writes [c + iB, c + (i + 1)B), and until then the hash has read up to p + (i - lag)B; the order of the two inside an iteration
// is the weaver's. So p >= c + (lag + 1)B, which is what `need` says: the hash first runs alone that far. It is right for any lag, none too.
// Kernels that decrypt and hand the ciphertext over need none of this: the hash reads the hand-over buffer. They do need c = p, so they begin where the
// head block ends, if that is a multiple of 16: it is hashed, and then what it holds of the body is decrypted.
// In both cases the hash goes first wherever the two run one after the other.
//
// In a scattered buffer a pair kernel runs over what lies together on both sides; between such stretches cipher and hash run one after the other.

#include <algorithm>

#include "work.hpp"

namespace cst {
namespace {

Phase phase_of(const Batch &batch, const Middle &middle) {
    Phase phase;
    phase.suite = batch.suite;
    phase.family = middle.family;
    phase.one_key = batch.one_key;
    phase.aligned = middle.aligned;
    phase.pair = true;
    phase.first = middle.choice;
    return phase;
}

uint64_t left_of(const Work &work, uint64_t cipher_at, uint64_t hash_at) {
    const uint64_t end = std::max(work.bulk, cipher_at), body_end = std::max(work.body_bytes, hash_at);
    return std::min(end - cipher_at, body_end - hash_at);
}

// Bytes from both positions on that lie together.
uint64_t stretch(Work *work, uint64_t cipher_at, uint64_t hash_at) {
    const uint64_t left = left_of(*work, cipher_at, hash_at);
    if (!work->scattered()) return left;
    return std::min({left, work->in.together(cipher_at), work->out.together(cipher_at), work->body->together(hash_at)});
}

bool takes_part(const Work &work, const Middle &middle) { return work.paired && work.aligned == middle.aligned; }

// One call for every work whose next stretch is long enough.
void run_stretches(const Batch &batch, const Middle &middle, Phase *phase, uint64_t need) {
    Item **items = batch.arena->items;
    size_t n = 0;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        if (!takes_part(work, middle)) continue;
        const uint64_t bytes = stretch(&work, work.ciphered, work.hashed);
        if (bytes < need) continue;
        Item &item = work.item;
        items[n++] = &item;
        item.in = work.in.at(work.ciphered);
        item.out = work.out.at(work.ciphered);
        item.hash_in = work.body->at(work.hashed);
        item.bytes = bytes;
        item.done = 0;
    }
    if (!n) return;
    run_phase(*phase, &batch.arena->lanes, items, batch.arena->order, n);
    phase->first = nullptr;
    for (size_t i = 0; i < n; i++) {
        Work &work = *static_cast<Work *>(items[i]->owner);
        work.ciphered += work.item.done;
        work.hashed += work.item.done;
    }
}

// Sets how far cipher and hash go alone until a long stretch begins. False when no work has a pair kernel before it.
bool find_stretches(const Batch &batch, const Middle &middle, uint64_t need) {
    const uint64_t unit = batch.suite->hash->record.block_bytes, enough = std::max(need, LONG_STRETCH);
    bool found = false;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        work.cipher_end = work.ciphered;
        work.hash_end = work.hashed;
        if (!takes_part(work, middle) || !work.scattered()) continue;
        const uint64_t left = left_of(work, work.ciphered, work.hashed);
        for (uint64_t at = unit; at + need <= left; at += unit) {
            if (stretch(&work, work.ciphered + at, work.hashed + at) < std::min(enough, left - at)) continue;
            work.cipher_end += at;
            work.hash_end += at;
            found = true;
            break;
        }
    }
    return found;
}

}  // namespace

uint64_t cipher_start(const Work &work, const Middle &middle) { return middle.ahead() ? 0 : (uint64_t(work.boundary) + 15) & ~uint64_t(15); }

uint64_t hash_start(const Work &work, const Middle &middle) {
    if (!middle.ahead()) return work.boundary;
    const uint64_t unit = work.key->suite->hash->record.block_bytes;
    return work.boundary + (middle.family->needs.front() + unit - 1) / unit * unit;
}

void choose_middle(const Batch &batch, Middle *middle) {
    if (middle->family->variants.empty()) return;
    const std::vector<const Variant *> &variants = middle->family->variants;
    const bool forced = std::find(variants.begin(), variants.end(), batch.suite->forced) != variants.end();
    const uint64_t need = forced ? batch.suite->forced->need() : middle->family->needs.back();
    size_t n = 0;
    uint64_t sum = 0, least = UINT64_MAX;
    for (size_t i = 0; i < batch.n; i++) {
        Work &work = batch.works[i];
        const bool aligned = !middle->ahead() && work.boundary % 16 == 0;
        if (work.whole || work.paired || aligned != middle->aligned) continue;
        const uint64_t bytes = left_of(work, cipher_start(work, *middle), hash_start(work, *middle));
        if (bytes < need || before_carry(work) <= work.bulk) continue;  // pair kernels count in 32 bits
        work.paired = true;
        work.aligned = aligned;
        n++;
        sum += bytes;
        least = std::min(least, bytes);
    }
    if (!n) return;
    for (uint64_t some : middle->family->needs) {
        if (some > least) continue;
        least = some;
        break;
    }
    const Phase phase = phase_of(batch, *middle);
    middle->choice = decide(phase, query_of(phase, n, sum / n, least));
    if (middle->choice) return;
    for (size_t i = 0; i < batch.n; i++)
        if (batch.works[i].aligned == middle->aligned) batch.works[i].paired = false;
}

void run_middle(const Batch &batch, const Middle &middle) {
    if (!middle.choice) return;
    Phase phase = phase_of(batch, middle);
    const uint64_t need = middle.choice->need();
    run_stretches(batch, middle, &phase, need);
    while (find_stretches(batch, middle, need)) {
        if (middle.overwrites) hash_bodies(batch);
        run_cipher(batch, middle.opens);
        if (!middle.overwrites) hash_bodies(batch);
        run_stretches(batch, middle, &phase, need);
    }
}

}  // namespace cst

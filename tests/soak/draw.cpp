// What a burst is made of.

#include <algorithm>

#include "worker.hpp"

namespace soak {
namespace {

constexpr size_t MOST_BYTES = 300'000;  // of a burst
constexpr size_t MOST_OWN_KEYS = 40;
constexpr size_t MOST_PADDING = 256;    // RFC 5246, 6.2.3.2

enum class Lengths { equal, few, different };

// A counter that soon carries: of a big-endian one the end, of ChaCha20's the begin (RFC 8439, 2.4).
void make_carry(Bytes *iv, Random &random) {
    if (iv->size() < 16) return;
    const size_t n = random.of<size_t>({3, 4, 8, 15});
    if (random.chance(50)) std::fill(iv->end() - long(n), iv->end(), 0xff);
    else std::fill(iv->begin(), iv->begin() + long(n), 0xff);
}

}  // namespace

// What the jobs of a burst have in common.
struct Worker::Shape {
    Lengths lengths;
    size_t jobs, length, aad, iv, tag;
    const Job *text_of = nullptr;  // whose text the others have
};

Model *Worker::model_of(size_t suite, size_t key) {
    std::unique_ptr<Model> &model = models_[suite * KEYS + key];
    const Suite &of = subject_.suites()[suite];
    if (!model) model = std::make_unique<Model>(of.meaning, of.secrets[key]);
    return model.get();
}

void Worker::choose_key(Random &random, size_t suite, Job *job, Model **model) {
    const Offer &offer = habits_.target->offers[suite];
    const size_t which = habits_.keys == Keys::one ? 0 : random.below(KEYS);
    if (habits_.keys != Keys::own || own_keys_.size() == MOST_OWN_KEYS) {
        job->key = offer.keys[which];
        *model = model_of(suite, which);
        return;
    }
    const Secret secret = draw_secret(*job->suite, random);
    cst_key *const key = new_key(offer.suite, secret, job->suite->name);
    own_keys_.push_back(key);
    own_models_.push_back(std::make_unique<Model>(job->suite->meaning, secret));
    job->key = key;
    *model = own_models_.back().get();
}

void Worker::draw_job(Random &random, size_t place, Shape *shape, Job *job) {
    const Suite &suite = subject_.suites()[place];
    const Form form = suite.meaning.form;
    const bool equal = shape->lengths == Lengths::equal;
    auto of = [&](const std::vector<size_t> &habit, size_t common) { return equal ? common : random.pick(habit); };
    job->suite = &suite;
    Model *model;
    choose_key(random, place, job, &model);
    job->direction = random.chance(habits_.seals_percent) ? CST_SEAL : CST_OPEN;
    if (form == Form::digest || form == Form::both || form == Form::checksum || form == Form::tree ||
        form == Form::multi)
        job->direction = CST_SEAL;
    job->in_place = random.chance(habits_.in_place_percent);

    Message &m = job->message;
    m.iv.resize(fit_iv(suite, of(habits_.ivs, shape->iv)));
    random.fill(m.iv.data(), m.iv.size());
    if (random.chance(10)) make_carry(&m.iv, random);
    m.aad.resize(fit_aad(suite, std::min(of(habits_.aads, shape->aad), MOST_BYTES / shape->jobs)));
    random.fill(m.aad.data(), m.aad.size());
    size_t length = shape->lengths == Lengths::different ? draw_length(random) : of(habits_.lengths, shape->length);
    length = std::min(length, MOST_BYTES / shape->jobs);
    m.text.resize(fit_length(suite, length, m.iv.size()));
    if (shape->text_of && shape->text_of->message.text.size() == m.text.size()) m.text = shape->text_of->message.text;
    else random.fill(m.text.data(), m.text.size());
    if (habits_.same_texts && !shape->text_of) shape->text_of = job;
    m.tag_bytes = form == Form::tls ? 0 : fit_tag(suite, of(habits_.tags, shape->tag));

    m.padding = 0;
    m.bad_padding = false;
    job->forged = Forged::no;
    const bool opens = job->direction == CST_OPEN;
    if (opens && form == Form::tls && random.chance(40)) {
        const size_t least = model->least_padding(m.text.size());
        m.padding = least + 16 * random.below((MOST_PADDING - least) / 16 + 1);
    }
    // Of a short tag one forgery in 2^32 is right, but for a wrong tag.
    if (opens && suite.info.tag_max + suite.info.expansion && random.chance(habits_.forged_percent)) {
        job->forged = Forged::tag;
        if (m.tag_bytes >= 8 || form == Form::tls)
            job->forged = random.of<Forged>({Forged::tag, Forged::input, Forged::aad, Forged::iv, Forged::padding});
        if (job->forged == Forged::padding && !suite.info.expansion) job->forged = Forged::input;
        if (job->forged == Forged::iv && form == Form::unprefixed) job->forged = Forged::input;  // no forgery
        const bool has_rules = suite.info.open_block_bytes > 1 || suite.info.open_min_bytes;
        if (has_rules && suite.info.kind == CST_AEAD && random.chance(10)) job->forged = Forged::length;
        m.bad_padding = job->forged == Forged::padding;
    }
    model->seal(m, &job->sealed, &job->sealed_tag);
    job->settle(random);
}

// A lone job; jobs of one length; of few; of as many lengths as there are.
void Worker::draw(Random &random) {
    Shape shape;
    const unsigned which = unsigned(random.below(100));
    const bool one_suite = random.chance(70);
    shape.lengths = which < 60 ? Lengths::equal : which < 82 ? Lengths::few : Lengths::different;
    shape.jobs = which < 25 ? 1 : random.pick(habits_.counts);
    shape.length = random.pick(habits_.lengths);
    shape.aad = random.pick(habits_.aads);
    shape.iv = random.pick(habits_.ivs);
    shape.tag = random.pick(habits_.tags);
    // An AAD may be much longer than the text. Of a lone job the length is as it was drawn.
    shape.jobs = std::min(shape.jobs, std::max<size_t>(1, MOST_BYTES / (shape.aad + 1)));
    if (shape.lengths == Lengths::equal)
        shape.jobs = std::min(shape.jobs, std::max<size_t>(1, MOST_BYTES / (shape.length + 1)));
    const size_t common = random.chance(60) ? habits_.suites[0] : random.pick(habits_.suites);
    const unsigned scattered = habits_.scattered_percent;
    jobs_.resize(shape.jobs);
    for (size_t i = 0; i < shape.jobs; i++) {
        draw_job(random, one_suite ? common : random.pick(habits_.suites), &shape, &jobs_[i]);
        jobs_[i].lay(&memory_, random, scattered, habits_.same_texts && i ? &jobs_[0] : nullptr);
        add(&tally_.bytes, jobs_[i].given.size());
        add(&tally_.forged, jobs_[i].forged != Forged::no);
        add(&tally_.scattered, jobs_[i].scattered());
        tally_.suites[size_t(jobs_[i].suite - subject_.suites().data())]++;
    }
    add(&tally_.jobs, shape.jobs);
    tally_.targets[size_t(habits_.target - subject_.targets().data())] += shape.jobs;
}

}  // namespace soak

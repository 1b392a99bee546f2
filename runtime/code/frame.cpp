#include "frame.hpp"

#include <algorithm>
#include <map>
#include <new>
#include <string_view>

#include "assemble.hpp"
#include "cryptostitch/cryptostitch.h"
#include "weave.hpp"

namespace cst {

namespace {

constexpr uint64_t MAX_WOVEN = 1u << 18;

// The registers that a kernel saves, and where. [rsp] is aligned to 16 below the save area, given rsp = 8 mod 16 at
// entry.
struct Saves {
    std::vector<uint8_t> generals, vectors;
    int32_t area;
};

struct Load {
    uint8_t dst;
    int32_t disp;
};

class Framer {
public:
    Framer(const Pack &pack, const KernelRecord &kernel, const AbiInfo &abi)
        : kernel_(kernel), abi_(abi), pack_(pack), out_(pack, pack.origin() == Origin::foreign) {}

    int build(std::vector<uint8_t> *code, KernelFrame *frame) {
        if (int error = prepare()) return error;
        entry();
        if (listed_) next_job();
        for (uint32_t i = 0; i < kernel_.n_streams; i++) straight(i, programs_[i].enter);
        uint32_t lag = 0;
        for (uint32_t i = 0; i < kernel_.n_streams; i++) lag = std::max(lag, kernel_.streams[i].lag);
        for (uint32_t p = 0; p < lag; p++) bodies([&](uint32_t stream_lag) { return stream_lag <= p; });
        if (lag != 0) out_.emit("sub", Width::g64, binding_.counter, int32_t(lag));
        const bool skips = !lag && std::any_of(programs_.begin(), programs_.end(),
                                               [](const Program &program) { return program.record.skips(); });
        if (skips) out_.emit("sub", Width::g64, binding_.counter, 0);
        const uint32_t head = listed_ ? programs_[0].record.text_head() : 0;
        if (head) count_strides(head);
        if (skips || head) out_.skip_loop();
        if (!listed_ || head) {
            out_.bind_loop();
            bodies([](uint32_t) { return true; });
            out_.emit("sub", Width::g64, listed_ ? binding_.strides : binding_.counter, 1);
            out_.jump_to_loop();
        }
        if (skips || head) out_.bind_behind();
        for (uint32_t e = 0; e < lag; e++) bodies([&](uint32_t stream_lag) { return stream_lag > e; });
        for (uint32_t i = 0; i < kernel_.n_streams; i++) straight(i, programs_[i].leave);
        if (listed_) {
            out_.emit("sub", Width::g64, binding_.counter, 1);
            out_.jump_to_job();
        }
        wipe();
        if (frame != nullptr) *frame = {saves_.generals, out_.size()};
        exit();
        if (!pool_.empty()) out_.pool(pool_);
        return out_.finish(code);
    }

private:
    int prepare() {
        programs_.resize(kernel_.n_streams);
        uint64_t woven = 0;
        for (uint32_t i = 0; i < kernel_.n_streams; i++) {
            const StreamRecord &stream = kernel_.streams[i];
            if (i != 0 && stream.program == kernel_.streams[i - 1].program) {
                programs_[i] = programs_[i - 1];
            } else {
                ProgramRecord record;
                if (int error = pack_.program(stream.program, &record)) return error;
                if (int error = decode_program(pack_, record, &programs_[i])) return error;
            }
            woven += uint64_t(programs_[i].record.n_body) * stream.ratio;
        }
        if (woven > MAX_WOVEN) return CST_ERR_PACK;
        listed_ = std::any_of(programs_.begin(), programs_.end(),
                              [](const Program &program) { return program.record.is_listed(); });
        if (int error = cst::bind(programs_, abi_, &binding_)) return error;
        if (int error = find_avx()) return error;
        find_hops();
        for (uint32_t i = 0; i < binding_.n_generals; i++)
            if (abi_.saves_general(binding_.order[i])) saves_.generals.push_back(binding_.order[i]);
        for (uint32_t v = abi_.saved_vectors_begin; v < abi_.saved_vectors_end && (avx_ || v < binding_.n_vectors);
             v++)  // vzeroall wipes all sixteen
            saves_.vectors.push_back(uint8_t(v));
        saves_.area = int32_t(16 * saves_.vectors.size() + (saves_.generals.size() % 2 == 0 ? 8 : 0));
        constants();
        return CST_OK;
    }

    void next_job() {
        out_.bind_job();
        out_.load("mov", Width::g64, binding_.generals[0][0], binding_.jobs, 0);
        out_.emit("add", Width::g64, binding_.jobs, 8);
    }

    void count_strides(uint32_t head) {
        const ProgramRecord &program = programs_[0].record;
        const uint8_t job = binding_.generals[0][0];
        out_.load("mov", Width::g64, binding_.strides, job, int32_t(program.field("text_bytes")->offset));
        out_.emit("sub", Width::g64, binding_.strides, int32_t(head + 1));
        out_.emit("shr", Width::g64, binding_.strides, int32_t(__builtin_ctz(program.bytes)));
    }

    // passes/frame.py explains why there are hops, and how many.
    static constexpr uint32_t HOP_FROM = 1024, HOP_EVERY = 256;
    void find_hops() {
        uint64_t found = 0;
        for (uint32_t i = 0; i < kernel_.n_streams; i++)
            found += kernel_.streams[i].ratio *
                     uint64_t(std::count_if(programs_[i].body.begin(), programs_[i].body.end(), [](const Ins &ins) {
                         return ins.mask == Ins::NO_MASK &&
                                std::all_of(ins.operands, ins.operands + ins.n_operands, [](const Operand &o) {
                                    return o.kind != Operand::reg || class_of(o.width) == RegClass::general;
                                });
                     }));
        hops_ = found >= HOP_FROM;
    }

    // Finds out whether the kernel uses AVX: exactly the mnemonics of AVX and AVX-512 begin with a v.
    int find_avx() {
        std::vector<bool> is_v(pack_.n_mnemonics());
        for (uint32_t i = 0; i < pack_.n_mnemonics(); i++) {
            const char *mnemonic;
            if (int error = pack_.mnemonic(i, &mnemonic)) return error;
            is_v[i] = mnemonic[0] == 'v';
        }
        for (const Program &program : programs_)
            for (const std::vector<Ins> *section : {&program.enter, &program.body, &program.leave})
                for (const Ins &ins : *section) avx_ = avx_ || is_v[ins.mnemonic];
        return CST_OK;
    }

    // Lays out the constants. Equal bytes are stored once; large entries come first, which aligns each to its own size.
    void constants() {
        auto bytes = [](const ConstantRecord &c) {
            return std::string_view(reinterpret_cast<const char *>(c.data), c.size);
        };
        std::map<std::string_view, uint32_t> offsets;
        std::vector<std::string_view> entries;
        for (const Program &program : programs_)
            for (const ConstantRecord &c : program.record.constants)
                if (offsets.emplace(bytes(c), 0).second) entries.push_back(bytes(c));
        std::stable_sort(entries.begin(), entries.end(),
                         [](std::string_view a, std::string_view b) { return a.size() > b.size(); });
        for (std::string_view entry : entries) {
            offsets[entry] = uint32_t(pool_.size());
            pool_.insert(pool_.end(), entry.begin(), entry.end());
        }
        for (uint32_t i = 0; i < kernel_.n_streams; i++)
            for (const ConstantRecord &c : programs_[i].record.constants) pool_offsets_[i].push_back(offsets[bytes(c)]);
    }

    void instruction(uint32_t stream, const Ins &ins) {
        Ins bound = binding_.apply(stream, ins);
        for (uint32_t i = 0; i < bound.n_operands; i++) {
            Operand &o = bound.operands[i];
            if (o.kind == Operand::constant) o.value = pool_offsets_[stream][size_t(o.value)];
        }
        out_.emit(bound);
    }

    void straight(uint32_t stream, const std::vector<Ins> &code) {
        for (const Ins &ins : code) instruction(stream, ins);
    }

    template <class Choose>
    void bodies(Choose choose) {
        std::vector<WeaveInput> inputs;
        for (uint32_t i = 0; i < kernel_.n_streams; i++) {
            const StreamRecord &s = kernel_.streams[i];
            if (choose(s.lag)) inputs.push_back({&programs_[i].body, i, s.ratio, s.lead});
        }
        uint32_t since = 0;
        bool glued = false;
        for (const Woven &w : weave(inputs, kernel_.strategy)) {
            if (hops_ && since >= HOP_EVERY && !glued) {
                out_.hop();
                since = 0;
            }
            instruction(w.stream, *w.ins);
            since++;
            glued = w.ins->glue;
        }
    }

    void entry() {
        out_.emit("endbr64");
        for (uint8_t g : saves_.generals) out_.emit("push", Width::g64, g);
        if (!saves_.vectors.empty()) {
            out_.emit("sub", Width::g64, RSP, saves_.area);
            for (size_t i = 0; i < saves_.vectors.size(); i++)
                out_.store(avx_ ? "vmovups" : "movups", Width::v128, RSP, int32_t(16 * i), saves_.vectors[i]);
        }
        std::vector<Load> loads;
        for (uint32_t i = 0; i < kernel_.n_streams; i++)
            loads.push_back({listed_ ? binding_.jobs : binding_.generals[i][0], int32_t(8 + 8 * i)});
        loads.push_back({binding_.counter, 0});
        // The pointer to the arguments is overwritten last.
        std::stable_partition(loads.begin(), loads.end(), [&](const Load &load) { return load.dst != abi_.args; });
        for (const Load &load : loads) out_.load("mov", Width::g64, load.dst, abi_.args, load.disp);
    }

    void wipe() {
        if (avx_) {
            out_.emit("vzeroall");
            for (uint32_t v = 16; v < binding_.n_vectors; v++)
                out_.emit3("vpxord", Width::v512, uint8_t(v), uint8_t(v), uint8_t(v));
        } else {
            for (uint32_t v = 0; v < binding_.n_vectors; v++) out_.emit2("pxor", Width::v128, uint8_t(v), uint8_t(v));
        }
        for (uint32_t k = 1; k <= binding_.n_masks; k++)
            out_.emit3("kxorw", Width::mask, uint8_t(k), uint8_t(k), uint8_t(k));
        for (uint32_t i = 0; i < binding_.n_generals; i++)
            if (!abi_.saves_general(binding_.order[i]))
                out_.emit2("xor", Width::g32, binding_.order[i], binding_.order[i]);
    }

    void exit() {
        if (!saves_.vectors.empty()) {
            for (size_t i = 0; i < saves_.vectors.size(); i++)
                out_.load(avx_ ? "vmovups" : "movups", Width::v128, saves_.vectors[i], RSP, int32_t(16 * i));
            out_.emit("add", Width::g64, RSP, saves_.area);
        }
        for (size_t i = saves_.generals.size(); i-- > 0;) out_.emit("pop", Width::g64, saves_.generals[i]);
        out_.emit("ret");
    }

    const KernelRecord &kernel_;
    const AbiInfo &abi_;
    const Pack &pack_;
    Encoder out_;
    std::vector<Program> programs_;
    Binding binding_;
    Saves saves_;
    bool avx_ = false, hops_ = false, listed_ = false;
    std::vector<uint8_t> pool_;
    std::vector<uint32_t> pool_offsets_[MAX_STREAMS];
};

}  // namespace

int build_kernel(const Pack &pack, uint32_t kernel_index, Abi abi, std::vector<uint8_t> *code, KernelFrame *frame) {
    try {
        KernelRecord kernel;
        if (int error = pack.kernel(kernel_index, &kernel)) return error;
        return Framer(pack, kernel, abi_info(abi)).build(code, frame);
    } catch (const std::bad_alloc &) {
        return CST_ERR_MEMORY;
    }
}

}  // namespace cst

#include "announce.hpp"

#if defined(__linux__) && defined(__x86_64__)

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <mutex>
#include <new>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "file_size_signal.hpp"

// gdb's JIT interface ("JIT Compilation Interface" in its manual): gdb stops in the function and reads the descriptor.
// In a stripped library gdb finds only exported symbols. These are protected, so that those of another library do not
// replace them, and weak, so that the static library can be linked with another JIT compiler that defines them.
extern "C" {

struct JitCodeEntry {
    JitCodeEntry *next, *previous;
    const void *file;
    uint64_t file_bytes;
};

struct JitDescriptor {
    uint32_t version, action;
    JitCodeEntry *relevant, *first;
};

// NOLINTNEXTLINE(bugprone-reserved-identifier): gdb's name
__attribute__((visibility("protected"), weak, used)) JitDescriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};

// NOLINTNEXTLINE(bugprone-reserved-identifier): gdb's name
__attribute__((visibility("protected"), weak, used, noinline)) void __jit_debug_register_code() {
    __asm__ volatile("");
}
}

namespace cst {

namespace {

constexpr uint32_t REGISTER = 1, UNREGISTER = 2;
constexpr size_t ENDBR64_BYTES = 4;

// If a process forks while another thread holds the mutex, it stays locked in the child: accepted for a process that is
// being watched.
std::mutex registering;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

using Bytes = std::vector<uint8_t>;

template <class T>
void put(Bytes *out, const T &value) {
    const auto *bytes = reinterpret_cast<const uint8_t *>(&value);
    out->insert(out->end(), bytes, bytes + sizeof value);
}

// Returns DWARF's number of a general register of the instruction set.
uint8_t dwarf(uint8_t general) {
    constexpr uint8_t LOW[8] = {0, 2, 1, 3, 7, 6, 4, 5};
    return general < 8 ? LOW[general] : general;
}

constexpr uint8_t ADVANCE = 0x40, OFFSET = 0x80, RESTORE = 0xc0;  // DW_CFA_advance_loc, _offset, _restore
constexpr uint8_t ADVANCE_4 = 0x04, DEF_CFA = 0x0c, DEF_CFA_OFFSET = 0x0e;
constexpr uint8_t DWARF_RSP = 7, DWARF_RETURN = 16;

void cfa_offset(Bytes *out, size_t pushed) {
    out->push_back(DEF_CFA_OFFSET);
    out->push_back(uint8_t(8 * (pushed + 1)));
}

size_t push_bytes(uint8_t general) { return general < 8 ? 1 : 2; }

// Describes the state after each push and each pop.
void frame_steps(Bytes *out, const KernelFrame &frame) {
    size_t at = ENDBR64_BYTES, since = ENDBR64_BYTES;
    for (size_t i = 0; i < frame.pushed.size(); i++) {
        at += push_bytes(frame.pushed[i]);
        since += push_bytes(frame.pushed[i]);
        out->push_back(uint8_t(ADVANCE | since));
        since = 0;
        cfa_offset(out, i + 1);
        out->push_back(OFFSET | dwarf(frame.pushed[i]));
        out->push_back(uint8_t(i + 2));
    }
    if (frame.pushed.empty()) return;
    out->push_back(ADVANCE_4);
    put(out, uint32_t(frame.exit - at));
    for (size_t i = frame.pushed.size(); i-- > 0;) {
        out->push_back(uint8_t(ADVANCE | push_bytes(frame.pushed[i])));
        cfa_offset(out, i);
        out->push_back(RESTORE | dwarf(frame.pushed[i]));
    }
}

// Appends a record with its length in front, and zeros (DW_CFA_nop) at its end.
void put_record(Bytes *out, Bytes record) {
    record.resize((record.size() + 4 + 7) / 8 * 8 - 4);
    put(out, uint32_t(record.size()));
    out->insert(out->end(), record.begin(), record.end());
}

Bytes eh_frame(const uint8_t *code, size_t code_bytes, const KernelFrame &frame) {
    Bytes out, cie, fde;
    put(&cie, uint32_t(0));
    // version 1, augmentation "", factors 1 and -8 (SLEB128): addresses are absolute, of 8 bytes
    cie.insert(cie.end(), {1, 0, 1, 0x78, DWARF_RETURN, DEF_CFA, DWARF_RSP, 8, OFFSET | DWARF_RETURN, 1});
    put_record(&out, cie);
    put(&fde, uint32_t(out.size() + 4));
    put(&fde, reinterpret_cast<uint64_t>(code));
    put(&fde, uint64_t(code_bytes));
    frame_steps(&fde, frame);
    put_record(&out, fde);
    put(&out, uint32_t(0));
    return out;
}

enum Section { NONE, TEXT, EH_FRAME, SYMTAB, STRTAB, SECTIONS };
constexpr char SECTION_NAMES[] = "\0.text\0.eh_frame\0.symtab\0.strtab";  // the symbol's name follows
constexpr uint32_t SECTION_NAME_AT[SECTIONS] = {0, 1, 7, 17, 25};

// Makes an object file with one function, whose code is not in the file but at its address in memory.
Bytes elf(const char *name, const uint8_t *code, size_t code_bytes, const KernelFrame &frame) {
    Elf64_Ehdr head = {};
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_ident[EI_VERSION] = EV_CURRENT;
    head.e_type = ET_REL;
    head.e_machine = EM_X86_64;
    head.e_version = EV_CURRENT;
    head.e_shoff = sizeof head;
    head.e_ehsize = sizeof head;
    head.e_shentsize = sizeof(Elf64_Shdr);
    head.e_shnum = SECTIONS;
    head.e_shstrndx = STRTAB;

    Elf64_Sym symbols[2] = {};
    symbols[1].st_name = sizeof SECTION_NAMES;
    symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbols[1].st_shndx = TEXT;
    symbols[1].st_size = code_bytes;
    Bytes strings(SECTION_NAMES, SECTION_NAMES + sizeof SECTION_NAMES);
    strings.insert(strings.end(), name, name + std::strlen(name) + 1);
    const Bytes unwind = eh_frame(code, code_bytes, frame);

    Elf64_Shdr sections[SECTIONS] = {};
    uint64_t at = sizeof head + sizeof sections;
    const auto section = [&](Section which, uint32_t type, uint64_t flags, uint64_t bytes) {
        Elf64_Shdr &s = sections[which];
        s.sh_name = SECTION_NAME_AT[which];
        s.sh_type = type;
        s.sh_flags = flags;
        s.sh_offset = at;
        s.sh_size = bytes;
        s.sh_addralign = 8;
        if (type != SHT_NOBITS) at += bytes;
    };
    section(TEXT, SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, code_bytes);
    sections[TEXT].sh_addr = reinterpret_cast<uint64_t>(code);
    section(EH_FRAME, SHT_PROGBITS, SHF_ALLOC, unwind.size());
    section(SYMTAB, SHT_SYMTAB, 0, sizeof symbols);
    sections[SYMTAB].sh_link = STRTAB;
    sections[SYMTAB].sh_info = 1;
    sections[SYMTAB].sh_entsize = sizeof *symbols;
    section(STRTAB, SHT_STRTAB, 0, strings.size());

    Bytes out;
    put(&out, head);
    put(&out, sections);
    out.insert(out.end(), unwind.begin(), unwind.end());
    put(&out, symbols);
    out.insert(out.end(), strings.begin(), strings.end());
    return out;
}

// Writes a line by one call, as other compilers in the process do that append to the file. Follows no symbolic link,
// and writes to no file of another user.
void tell_perf(const char *name, const uint8_t *code, size_t code_bytes) {
    char path[40], line[256];
    std::snprintf(path, sizeof path, "/tmp/perf-%d.map", int(getpid()));
    const int length =
        std::snprintf(line, sizeof line, "%zx %zx %s\n", reinterpret_cast<size_t>(code), code_bytes, name);
    const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return;
    struct stat file = {};
    const FileSizeSignal signal;
    if (length > 0 && size_t(length) < sizeof line && fstat(fd, &file) == 0 && file.st_uid == geteuid() &&
        S_ISREG(file.st_mode) && write(fd, line, size_t(length)) < 0) {
        // Ignored: perf only lacks the name.
    }
    close(fd);
}

void tell_gdb(JitCodeEntry *entry, uint32_t action) {
    __jit_debug_descriptor.relevant = entry;
    __jit_debug_descriptor.action = action;
    __jit_debug_register_code();
}

}  // namespace

struct Announced {
    JitCodeEntry entry;
    Bytes file;
};

Announced *announce_kernel(const char *name, const uint8_t *code, size_t code_bytes, const KernelFrame &frame) {
    const char *wanted = secure_getenv("CRYPTOSTITCH_ANNOUNCE");
    if (wanted == nullptr) return nullptr;
    if (std::strstr(wanted, "perf") != nullptr) tell_perf(name, code, code_bytes);
    if (std::strstr(wanted, "gdb") == nullptr) return nullptr;
    try {
        auto *announced = new Announced{{}, elf(name, code, code_bytes, frame)};
        const std::lock_guard<std::mutex> lock(registering);
        JitCodeEntry *first = __jit_debug_descriptor.first;
        announced->entry = {first, nullptr, announced->file.data(), announced->file.size()};
        if (first != nullptr) first->previous = &announced->entry;
        __jit_debug_descriptor.first = &announced->entry;
        tell_gdb(&announced->entry, REGISTER);
        return announced;
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void withdraw_kernel(Announced *announced) {
    if (announced == nullptr) return;
    {
        const std::lock_guard<std::mutex> lock(registering);
        JitCodeEntry *entry = &announced->entry;
        if (entry->next != nullptr) entry->next->previous = entry->previous;
        (entry->previous != nullptr ? entry->previous->next : __jit_debug_descriptor.first) = entry->next;
        tell_gdb(entry, UNREGISTER);
    }
    delete announced;
}

}  // namespace cst

#else

namespace cst {

struct Announced {};

Announced *announce_kernel(const char *, const uint8_t *, size_t, const KernelFrame &) { return nullptr; }
void withdraw_kernel(Announced *) {}

}  // namespace cst

#endif

#include "options.hpp"

#include <cryptostitch/cryptostitch.h>
#include <getopt.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

// NOLINTBEGIN(concurrency-mt-unsafe): there are no threads yet
namespace sum {
namespace {

constexpr unsigned MOST_THREADS = 256;
constexpr uint64_t MOST_LENGTH = uint64_t(1) << 20;
constexpr const char *DEFAULT = "sha256";

constexpr char HELP[] =
    "Usage: %s [OPTION]... [FILE]...\n"
    "Writes or checks digests of files; many files are digested side by side.\n"
    "\n"
    "With no FILE, or when FILE is -, reads the standard input.\n"
    "  -a, --algorithm=NAME  md5, sha1, sha224, sha256, sha384, sha512, sha512_256, sm3, sha3-224, sha3-256,\n"
    "                          sha3-384, sha3-512, shake128 (32 bytes), shake256 (64), blake2b-512,\n"
    "                          blake2s-256, blake3, crc32c, crc32, crc64-nvme or adler32; or several of them\n"
    "                          with commas between them, all from one reading of a file: a line with a tag\n"
    "                          for each. By default what the program's name begins with (md5sum, ...), else\n"
    "                          sha256. With -c and neither, lines with a tag may be of any\n"
    "  -b, --binary          mark files as read in binary mode (which makes no difference)\n"
    "  -c, --check           read digests from the FILEs and check them\n"
    "      --tag             write BSD-style lines\n"
    "  -t, --text            mark files as read in text mode (default)\n"
    "  -z, --zero            end each line with NUL, not newline, and do not escape names\n"
    "  -r, --recursive       of folders, the files in them, sorted by name; symbolic links in them are left out\n"
    "  -j, --threads=N       from 1 to 256; by default as many as there are processors\n"
    "      --keyed           BLAKE3's keyed hash: its key is the standard input, 32 bytes\n"
    "      --derive-key=CONTEXT  BLAKE3's key derivation: files are key material\n"
    "      --length=N        of blake3, shake128 and shake256: bytes of a digest, at most 1M\n"
    "      --chunks=SIZE     a digest of each SIZE bytes: DIGEST  FROM+BYTES  NAME. K, M, G stand for KiB, MiB, GiB\n"
    "      --dedupe[=SIZE]   a digest of each chunk, in the lines of --chunks, where the content decides where a "
    "chunk\n"
    "                          ends (FastCDC, SIZE bytes on average, a multiple of 8 from 256 to 4M; by default 8K),\n"
    "                          and how much it would save to store equal chunks once\n"
    "      --s3-etag=PART    the ETag of an object that was uploaded to S3 in parts of PART bytes (md5), or its "
    "composite\n"
    "                          checksum (others); of files shorter than PART, of an upload at once; at most 10000\n"
    "                          parts\n"
    "      --fs-verity       the digest that Linux's fs-verity makes of a file, sha256 or sha512: HASH:DIGEST NAME\n"
    "      --block-size=N    of fs-verity, a power of two from 1024 to 65536; by default 4096\n"
    "      --salt=DIGITS     of fs-verity, hexadecimal, at most 32 bytes; by default none\n"
    "      --pack=FILE       load hashes of one's own, a file of `cryptostitch pack`; may be repeated\n"
    "\n"
    "When checking:\n"
    "      --ignore-missing  leave out files that are missing\n"
    "      --quiet           do not write OK for each file that is right\n"
    "      --status          write nothing, the exit status says it\n"
    "      --strict          fail where a line is improperly formatted\n"
    "  -w, --warn            tell of improperly formatted lines\n"
    "\n"
    "      --help, --version\n"
    "\n"
    "The lines are those of GNU coreutils, and so is the exit status: 0, or 1 when a file could not be read, a\n"
    "digest is another, or a list has no line that is one.\n";

enum Long {
    IGNORE_MISSING = 256,
    QUIET,
    STATUS,
    STRICT,
    TAG,
    HELP_OPTION,
    VERSION_OPTION,
    CHUNKS,
    DEDUPE,
    S3_ETAG,
    FS_VERITY,
    BLOCK_SIZE,
    SALT,
    PACK,
    KEYED,
    DERIVE_KEY,
    LENGTH
};
const option LONG_OPTIONS[] = {{"algorithm", required_argument, nullptr, 'a'},
                               {"binary", no_argument, nullptr, 'b'},
                               {"check", no_argument, nullptr, 'c'},
                               {"ignore-missing", no_argument, nullptr, IGNORE_MISSING},
                               {"quiet", no_argument, nullptr, QUIET},
                               {"status", no_argument, nullptr, STATUS},
                               {"strict", no_argument, nullptr, STRICT},
                               {"tag", no_argument, nullptr, TAG},
                               {"text", no_argument, nullptr, 't'},
                               {"warn", no_argument, nullptr, 'w'},
                               {"zero", no_argument, nullptr, 'z'},
                               {"recursive", no_argument, nullptr, 'r'},
                               {"threads", required_argument, nullptr, 'j'},
                               {"chunks", required_argument, nullptr, CHUNKS},
                               {"dedupe", optional_argument, nullptr, DEDUPE},
                               {"s3-etag", required_argument, nullptr, S3_ETAG},
                               {"fs-verity", no_argument, nullptr, FS_VERITY},
                               {"block-size", required_argument, nullptr, BLOCK_SIZE},
                               {"salt", required_argument, nullptr, SALT},
                               {"pack", required_argument, nullptr, PACK},
                               {"keyed", no_argument, nullptr, KEYED},
                               {"derive-key", required_argument, nullptr, DERIVE_KEY},
                               {"length", required_argument, nullptr, LENGTH},
                               {"help", no_argument, nullptr, HELP_OPTION},
                               {"version", no_argument, nullptr, VERSION_OPTION},
                               {nullptr, 0, nullptr, 0}};

// "md5sum" and "/usr/bin/md5sum" are md5.
std::string algorithm_of_program(const std::string &program) {
    std::string name = program.substr(program.rfind('/') + 1);
    const size_t end = name.size() > 3 ? name.size() - 3 : 0;
    if (name == "b3sum") return "blake3";
    return name != "cst-sum" && name.compare(end, 3, "sum") == 0 ? name.substr(0, end) : "";
}

[[noreturn]] void refuse(const Options &options, const std::string &why) {
    fprintf(stderr, "%s: %s\n", options.program.c_str(), why.c_str());
    refer_to_help(options);
}

std::string named(const Options &options, const char *text) {
    if (!*text) refuse(options, "the --algorithm option wants the name of a hash, not ''");
    return text;
}

unsigned number_of(const Options &options, const char *text) {
    char *end = nullptr;
    errno = 0;
    const unsigned long value = strtoul(text, &end, 10);
    if (errno || *end || end == text || *text == '-' || !value || value > MOST_THREADS)
        refuse(options, std::string("invalid number of threads: '") + text + "' is not from 1 to " +
                            std::to_string(MOST_THREADS));
    return unsigned(value);
}

// Reads a number that may end with K, M, G or T, powers of 1024.
uint64_t size_of(const Options &options, const char *text) {
    constexpr char UNITS[] = "KMGT";
    char *end = nullptr;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    const bool number = !errno && end != text && isdigit(static_cast<unsigned char>(*text));
    const char *const unit = *end ? strchr(UNITS, *end) : nullptr;
    const int shift = unit ? 10 * int(unit - UNITS + 1) : 0;
    const std::string rest = unit ? end + 1 : end;
    if (!number || !(rest.empty() || (unit && rest == "iB")) || !value || value > UINT64_MAX >> (shift + 1))
        refuse(options, std::string("invalid size: '") + text + "'");
    return value << shift;
}

size_t block_size_of(const Options &options, const char *text) {
    constexpr uint64_t LEAST = 1024, MOST = 65536;
    const uint64_t size = size_of(options, text);
    if (size < LEAST || size > MOST || (size & (size - 1)))
        refuse(options, std::string("invalid block size: '") + text + "'");
    return size_t(size);
}

uint64_t average_of(const Options &options, const char *text) {
    constexpr uint64_t USUAL = 8192, LEAST = 256, MOST = uint64_t(4) << 20;
    const uint64_t size = text ? size_of(options, text) : USUAL;
    if (size < LEAST || size > MOST || size % 8) refuse(options, std::string("invalid size of chunks: '") + text + "'");
    return size;
}

size_t length_of(const Options &options, const char *text) {
    const uint64_t length = size_of(options, text);
    if (length > MOST_LENGTH) refuse(options, std::string("invalid length: '") + text + "' is more than 1M");
    return size_t(length);
}

std::string salt_of(const Options &options, const std::string &digits) {
    constexpr size_t MOST = 32;
    std::string salt;
    bool right = digits.size() % 2 == 0 && digits.size() <= 2 * MOST;
    for (size_t i = 0; right && i < digits.size(); i += 2) {
        const std::string pair = digits.substr(i, 2);
        right = isxdigit(static_cast<unsigned char>(pair[0])) && isxdigit(static_cast<unsigned char>(pair[1]));
        if (right) salt += char(std::stoi(pair, nullptr, 16));
    }
    if (!right) refuse(options, "invalid salt: '" + digits + "'");
    return salt;
}

[[noreturn]] void leave(const Options &options) {
    if (fflush(stdout) == 0) exit(EXIT_SUCCESS);
    fprintf(stderr, "%s: write error: %s\n", options.program.c_str(), std::generic_category().message(errno).c_str());
    exit(EXIT_FAILURE);
}

// Rejects modes of BLAKE3 and lengths where they have no meaning. Other digests are made of 64 bytes at most.
void check_mode(const Options &options) {
    const bool modes = options.keyed || options.derives;
    const std::string &hash = options.algorithm;
    if (options.keyed && options.derives) refuse(options, "only one of --keyed and --derive-key can be used");
    if (modes && hash != "blake3") refuse(options, "the --keyed and --derive-key options are modes of blake3");
    if (options.length && hash != "blake3" && hash != "shake128" && hash != "shake256")
        refuse(options, "the --length option is for one of blake3, shake128 and shake256");
    if (options.length && (options.chunk || options.dedupe || options.part || options.verity))
        refuse(options, "--length does not support --chunks, --dedupe, --s3-etag and --fs-verity");
    if (!options.keyed) return;
    for (const std::string &name : options.files)
        if (name == "-") refuse(options, "with --keyed the standard input is the key, not a file");
}

// Rejects options that need -c, or that -c excludes.
void check_combination(const Options &options, bool mode_named) {
    if (options.tag && mode_named && !options.binary) refuse(options, "--tag does not support --text mode");
    if (options.zero && options.check) refuse(options, "the --zero option is not supported when verifying checksums");
    if (options.tag && options.check) refuse(options, "the --tag option is meaningless when verifying checksums");
    if (mode_named && options.check)
        refuse(options, "the --binary and --text options are meaningless when verifying checksums");
    if (options.recursive && options.check)
        refuse(options, "the --recursive option is meaningless when verifying checksums");
    const int others = (options.chunk != 0) + (options.dedupe != 0) + (options.part != 0) + options.verity;
    if (others && options.check)
        refuse(options,
               "the --chunks, --dedupe, --s3-etag and --fs-verity options are meaningless when verifying checksums");
    if (others && options.algorithm.find(',') != std::string::npos)
        refuse(options, "the --chunks, --dedupe, --s3-etag and --fs-verity options take one hash");
    if (others > 1) refuse(options, "only one of --chunks, --dedupe, --s3-etag and --fs-verity can be written");
    if (others && options.tag) refuse(options, "--tag does not support --chunks, --dedupe, --s3-etag and --fs-verity");
    if (!options.verity && (!options.salt.empty() || options.verity_block != Options().verity_block))
        refuse(options, "the --block-size and --salt options are meaningful only with --fs-verity");
    if (options.check) return;
    const struct {
        bool given;
        const char *name;
    } only_checking[] = {{options.ignore_missing, "ignore-missing"},
                         {options.status, "status"},
                         {options.warn, "warn"},
                         {options.quiet, "quiet"},
                         {options.strict, "strict"}};
    for (const auto &one : only_checking)
        if (one.given)
            refuse(options, std::string("the --") + one.name + " option is meaningful only when verifying checksums");
}

}  // namespace

void refer_to_help(const Options &options) {
    fprintf(stderr, "Try '%s --help' for more information.\n", options.program.c_str());
    exit(EXIT_FAILURE);
}

Options options_of(int argc, char **argv) {
    Options options;
    options.program = argc ? argv[0] : "cst-sum";
    options.algorithm = algorithm_of_program(options.program);
    bool mode_named = false;
    for (int c; (c = getopt_long(argc, argv, "a:bcj:rtwz", LONG_OPTIONS, nullptr)) != -1;) {
        switch (c) {
            case 'a': options.algorithm = named(options, optarg); break;
            case 'b': options.binary = mode_named = true; break;
            case 't': options.binary = false, mode_named = true; break;
            case 'c': options.check = true; break;
            case 'j': options.threads = number_of(options, optarg); break;
            case 'r': options.recursive = true; break;
            case 'z': options.zero = true; break;
            case CHUNKS: options.chunk = size_of(options, optarg); break;
            case DEDUPE: options.dedupe = average_of(options, optarg); break;
            case S3_ETAG: options.part = size_of(options, optarg); break;
            case FS_VERITY: options.verity = true; break;
            case BLOCK_SIZE: options.verity_block = block_size_of(options, optarg); break;
            case KEYED: options.keyed = true; break;
            case DERIVE_KEY: options.derives = true, options.context = optarg; break;
            case LENGTH: options.length = length_of(options, optarg); break;
            case PACK: options.packs.push_back(optarg); break;
            case SALT: options.salt = salt_of(options, optarg); break;
            case TAG: options.tag = true; break;
            case IGNORE_MISSING: options.ignore_missing = true; break;
            case STRICT: options.strict = true; break;
            // The last of these three counts.
            case 'w': options.warn = true, options.status = options.quiet = false; break;
            case QUIET: options.quiet = true, options.status = options.warn = false; break;
            case STATUS: options.status = true, options.quiet = options.warn = false; break;
            case HELP_OPTION: printf(HELP, options.program.c_str()); leave(options);
            case VERSION_OPTION: printf("cst-sum (Cryptostitch) %s\n", cst_version()); leave(options);
            default: refer_to_help(options);
        }
    }
    check_combination(options, mode_named);
    options.files.assign(argv + optind, argv + argc);
    if (options.files.empty()) options.files.emplace_back(options.recursive ? "." : "-");
    if (options.algorithm.empty() && (options.keyed || options.derives)) options.algorithm = "blake3";
    if (options.algorithm.empty() && !options.check) options.algorithm = options.part ? "md5" : DEFAULT;
    if (options.verity && options.algorithm != "sha256" && options.algorithm != "sha512")
        refuse(options, "fs-verity is made with sha256 or sha512, not " + options.algorithm);
    check_mode(options);
    return options;
}

}  // namespace sum
// NOLINTEND(concurrency-mt-unsafe)

// Where there is no libFuzzer: gives the target every file of the folders and files named, once. Switches of libFuzzer
// are ignored.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t replayed = 0;

static void replay(const std::filesystem::path &path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    replayed++;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-') continue;
        if (std::filesystem::is_directory(argv[i])) {
            for (const auto &entry : std::filesystem::directory_iterator(argv[i])) replay(entry.path());
        } else {
            replay(argv[i]);
        }
    }
    std::printf("replayed %zu inputs\n", replayed);
    return replayed == 0;
}

#include "progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace sum {
namespace {

std::string amount(double bytes) {
    constexpr const char *UNITS[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t unit = 0;
    for (; bytes >= 1000 && unit < 5; unit++) bytes /= 1024;
    char text[32];
    snprintf(text, sizeof(text), unit ? "%.1f %s" : "%.0f %s", bytes, UNITS[unit]);
    return text;
}

std::string duration(double seconds) {
    const auto all = static_cast<unsigned long long>(std::llround(seconds));
    char text[32];
    if (all < 3600) snprintf(text, sizeof(text), "%llu:%02llu", all / 60, all % 60);
    else snprintf(text, sizeof(text), "%llu:%02llu:%02llu", all / 3600, all / 60 % 60, all % 60);
    return text;
}

}  // namespace

std::string Progress::line(uint64_t files, uint64_t bytes) const {
    constexpr size_t WIDTH = 20;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (seconds < 1) return "";
    const double rate = double(bytes) / seconds;
    std::string text;
    if (total_) {
        const double share = std::min(1.0, double(bytes) / double(total_));
        const auto filled = static_cast<size_t>(share * WIDTH);
        text = "[" + std::string(filled, '#') + std::string(WIDTH - filled, ' ') + "] " +
               std::to_string(int(share * 100)) + " %  ";
    }
    text += std::to_string(files) + (files == 1 ? " file, " : " files, ") + amount(double(bytes)) + ", " +
            amount(rate) + "/s";
    if (total_ > bytes && rate > 0) text += ", " + duration(double(total_ - bytes) / rate) + " left";
    return text;
}

}  // namespace sum

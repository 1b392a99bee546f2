#include "saved_costs.hpp"

#include <utility>

#include "calibrate.hpp"
#include "cost_file.hpp"
#include "cryptostitch/cryptostitch.h"

namespace cst {
namespace {

int take_file(Engine *engine, const char *path, bool measure) {
    CostFile file;
    bool absent;
    if (int error = read_costs(path, &file, &absent)) return absent && measure ? CST_OK : error;
    if (file.is_table() && !measure) engine->take_table(file.table, file.message, file.kernels);
    return file.made_on(engine->cpu()) ? engine->take_costs(std::move(file.kernels)) : CST_OK;
}

}  // namespace

int begin_costs(Engine *engine, const char *path, bool measure) {
    if (path)
        if (int error = take_file(engine, path, measure)) return error;
    if (!measure || engine->all_measured()) return CST_OK;
    if (path)
        if (int error = try_to_write(path)) return error;
    std::vector<KernelCost> costs;
    if (int error = measure_costs(*engine, nullptr, 0, Progress(), &costs)) return error;
    if (int error = engine->take_costs(std::move(costs))) return error;
    return path ? save_costs(*engine, path) : CST_OK;
}

int save_costs(const Engine &engine, const char *path) {
    return write_costs(path, CostFile(engine.cpu(), engine.measured_costs()).text());
}

}  // namespace cst

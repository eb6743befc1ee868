// The readers of what local drives have and arrays have not: the fabric of kind `local`, which is
// none, and the RAID engine of a pool.
#include <algorithm>

#include "sim/scenario/reading.hpp"

namespace storcast::reading {
namespace {

const std::vector<std::string>& engine_words() {
  static const std::vector<std::string> words{"md", "roc", "gpu"};
  return words;
}

std::optional<EngineParams> read_params(const ConfigNode& engine, Problems& problems,
                                        ReadLog& log) {
  const ConfigNode* model = engine.find("model");
  const auto& words = engine_words();
  const bool known = model != nullptr && model->is_scalar() &&
                     std::find(words.begin(), words.end(), model->text()) != words.end();
  if (!known) {
    if (model == nullptr && engine.find("use") != nullptr) return std::nullopt;  // said already
    complain(model == nullptr ? engine : *model,
             model == nullptr ? "model is missing: which engine these values are for"
                              : "'" + model->text() + "' is not a RAID engine",
             problems, words);
    return std::nullopt;
  }
  std::vector<ConfigEntry> values;
  for (const ConfigEntry& entry : engine.entries()) {
    if (entry.key != "model") values.push_back(entry);
  }
  const ConfigNode sheet =
      with_path(ConfigNode::map(std::move(values), engine.where()), engine.path());
  if (model->text() == "md") return MdEngine::schema().read(sheet, problems, &log);
  if (model->text() == "roc") return RocEngine::schema().read(sheet, problems, &log);
  return GpuEngine::schema().read(sheet, problems, &log);
}

}  // namespace

bool is_local(const ConfigNode& system) {
  const ConfigNode* fabric = system.find("fabric");
  const ConfigNode* kind = fabric != nullptr && fabric->is_map() ? fabric->find("kind") : nullptr;
  return kind != nullptr && kind->is_scalar() && kind->text() == "local";
}

void read_engine(const ConfigNode& pool, bool local, PoolConfig& config, Problems& problems,
                 ReadLog& log) {
  const ConfigNode* engine = pool.find("engine");
  if (!local) {
    if (engine == nullptr) return;
    complain(*engine,
             "an array's controllers do its RAID; engines belong to drives in a host "
             "(fabric.kind: local)",
             problems);
    return;
  }
  for (const char* key : {"controller", "shelf"}) {
    if (pool.find(key) == nullptr) continue;
    complain(place(pool, key), std::string("local drives have no ") + key, problems);
  }
  if (engine == nullptr) {
    problems.add(pool.where(), "",
                 pool.path() + ".engine is missing: who does the RAID of local drives",
                 {"{use: engines/linux-md}"});
    return;
  }
  if (const ConfigNode* sheet = map_at(pool, "engine", problems)) {
    config.engine = read_params(*sheet, problems, log);
  }
}

void let_engines_work(ArrayConfig& array) {
  ControllerParams& threads = array.controllers.front().params;
  for (const PoolConfig& pool : array.pools) {
    if (!pool.engine) continue;
    const auto* md = std::get_if<MdEngine::Params>(&*pool.engine);
    if (md == nullptr) continue;
    threads.cores = md->group_threads;
    threads.parity_recover = md->parity_recover;
  }
}

void read_local(const ConfigNode& system, Scenario& scenario, Problems& problems, ReadLog& log) {
  scenario.fabric.local = true;
  scenario.fabric.protocol = "local";
  scenario.fabric.own = local_schema().read(place(system, "fabric"), problems, &log);
  if (scenario.hosts.size() > 1) {
    complain(place(system, "hosts"), "local drives are in one host", problems);
  }
  // Stands for the engine's own threads, whose work is a rebuild; a card's keep up with its link.
  ControllerConfig threads;
  threads.name = "engine";
  threads.params.cores = 1;
  threads.params.parity_update = threads.params.parity_generate = Bandwidth{1e11};
  threads.params.parity_recover = Bandwidth{1e11};
  scenario.array.controllers.push_back(std::move(threads));
}

}  // namespace storcast::reading

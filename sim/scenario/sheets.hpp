// The data sheets of the parts of a scenario that are no models: pool, volumes, workload, run, for
// `storcast describe`. Each is defined beside its reader.
#pragma once

#include <vector>

#include "models/catalog.hpp"

namespace storcast {

// In the order of the text.
[[nodiscard]] std::vector<ModelInfo> scenario_sheets();

namespace reading {

template <class Part>
ModelInfo sheet_of(const Schema<Part>& sheet) {
  return {sheet.name(), sheet.summary(), sheet.fields(), sheet.describe()};
}
[[nodiscard]] ModelInfo pool_sheet();
[[nodiscard]] ModelInfo volumes_sheet();
[[nodiscard]] ModelInfo workload_sheet();
[[nodiscard]] std::vector<ModelInfo> run_sheets();  // run, precision, limit

}  // namespace reading
}  // namespace storcast

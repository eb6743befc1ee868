// The capacity ledger as JSON, for programs; results/README.md explains each key.
#pragma once

#include <string>

#include "sim/scenario/capacity.hpp"

namespace storcast {

// The text, indented by one space, with a line break at its end. Bytes are whole numbers.
[[nodiscard]] std::string capacity_json(const ArrayCapacity& capacity);

}  // namespace storcast

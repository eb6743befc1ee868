// The summary of a run as JSON, for programs; results/README.md explains each key.
//
// SI units. The same result gives the same bytes: keys in a fixed order, numbers as the shortest
// text that reads back exactly, no wall time. What is not known is null (never nan or infinity),
// refused percentiles with the reason under "percentiles_refused". Rounding is for people; here
// all digits stay, beside the half-width of the 95 % interval.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/run/result.hpp"

namespace storcast {

// The text, indented by one space, without a line end after it. Broken UTF-8 of a name becomes
// U+FFFD. Throws InvariantError if two streams or two stations share a name.
[[nodiscard]] std::string summary_json(const RunResult& result);

// The same as an object, to be put into a larger one.
[[nodiscard]] nlohmann::ordered_json summary_object(const RunResult& result);

// A JSON object as all writers of results print it.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& object);

}  // namespace storcast

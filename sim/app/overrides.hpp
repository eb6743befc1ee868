// Texts of the command line that change a scenario: path=value.
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace storcast::app {

// "workloads.main.iodepth=4" of the option `option` ("--set"); ScenarioError if there is no path.
[[nodiscard]] Override parse_override(const std::string& text, const std::string& option);
[[nodiscard]] std::vector<Override> parse_sets(const std::vector<std::string>& texts);

}  // namespace storcast::app

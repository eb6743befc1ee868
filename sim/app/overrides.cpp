#include "sim/app/overrides.hpp"

namespace storcast::app {

Override parse_override(const std::string& text, const std::string& option) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw ScenarioError(
        {{{option, 0, 0},
          text,
          "path=value is wanted, such as workloads.main.iodepth=4, not " + quote(text),
          {}}});
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<Override> parse_sets(const std::vector<std::string>& texts) {
  std::vector<Override> sets;
  for (const std::string& text : texts) sets.push_back(parse_override(text, "--set"));
  return sets;
}

}  // namespace storcast::app

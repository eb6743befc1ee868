// The capacity ledger for people: one table for each pool, one for all together.
//
// Every figure exactly in bytes, beside it in TB (10^12) and TiB (2^40), rounded to three decimals,
// and as a share of the raw capacity. The rule of rounding is that of sim/scenario/capacity.hpp.
#pragma once

#include <string>

#include "sim/scenario/capacity.hpp"

namespace storcast {

// The table; ends with a line break.
[[nodiscard]] std::string capacity_report(const ArrayCapacity& capacity);

}  // namespace storcast

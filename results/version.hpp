// The program's version, as it is written into each result. CMake may define STORCAST_VERSION.
#pragma once

#include <string_view>

namespace storcast {

#ifdef STORCAST_VERSION
inline constexpr std::string_view version = STORCAST_VERSION;
#else
inline constexpr std::string_view version = "0.1.0";
#endif

// Version of the shape of the summary JSON and of the HDF5 file; raised when a key changes meaning.
inline constexpr int result_schema = 1;

}  // namespace storcast

// A run as an HDF5 file: all figures, full histograms, time series, provenance. The layout is in
// results/README.md; each dataset carries `title` and `unit`. results_file.cpp is the only includer
// of HDF5.
//
// The file is built in memory, written under a temporary name beside the target, flushed to the
// disk and renamed: a reader sees the old file or the new one, never a part. Limits: one run a
// file; not for sweeps (those are JSON).
#pragma once

#include <string>

#include "sim/run/result.hpp"

namespace storcast {

// Creates missing folders. Throws std::runtime_error with path and reason when it cannot be written
// or the target is not a regular file; an existing file is then untouched and no part is left.
void write_results_file(const RunResult& result, const std::string& path);

// The summary JSON stored in such a file. Throws std::runtime_error if the file is missing,
// unreadable, not HDF5, not ours, or of a newer schema.
[[nodiscard]] std::string read_summary(const std::string& path);

}  // namespace storcast

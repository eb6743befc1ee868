// The sections of the terminal report; report.hpp says what they are for. Internal to results/.
// Each appends whole lines to `out`, starts with an empty line where it opens a block, and writes
// nothing when the result holds nothing for it.
#pragma once

#include <string>

#include "results/page.hpp"
#include "sim/run/result.hpp"

namespace storcast {

void stream_section(const RunResult& result, const StreamResult& stream, const Page& page,
                    std::string& out);
void station_section(const RunResult& result, const Page& page, std::string& out);
void bottleneck_section(const RunResult& result, const Page& page, std::string& out);
void stage_section(const RunResult& result, const StreamResult& stream, const Page& page,
                   std::string& out);
void bounds_section(const RunResult& result, const Page& page, std::string& out);
void power_section(const RunResult& result, const Page& page, std::string& out);
void self_check_section(const RunResult& result, const Page& page, std::string& out);
void phases_section(const RunResult& result, const Page& page, std::string& out);
void rebuilds_section(const RunResult& result, const Page& page, std::string& out);
void basis_section(const RunResult& result, const Page& page, std::string& out);

}  // namespace storcast

// Replacing a file as a whole: temporary name in the same folder, fsync, rename, fsync of the
// folder (POSIX rename is atomic within a file system). Internal to results/ and sim/app.
#pragma once

#include <string>
#include <string_view>

namespace storcast {

// Creates missing folders. Throws std::runtime_error "cannot write <path>: <reason>"; an existing
// file is then untouched and no temporary file remains. A symbolic link is followed. A target that
// exists and is not a regular file (a folder, a device, a pipe) is refused: a rename would replace
// it.
void replace_file(const std::string& path, std::string_view content);

}  // namespace storcast

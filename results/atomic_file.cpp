#include "results/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace storcast {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw std::runtime_error(fmt::format("cannot write {}: {}", path, reason));
}

std::string reason_of(int error) { return std::generic_category().message(error); }

// An open file that is removed again unless it was committed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target) {
    constexpr int most_names = 100;  // leftovers of killed runs with the same process id
    for (int n = 0; n < most_names && descriptor_ < 0; ++n) {
      name_ = target;
      name_.replace_filename(fmt::format(".storcast-{}-{}.partial", ::getpid(), n));
      descriptor_ = ::open(name_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
      if (descriptor_ < 0 && errno != EEXIST) break;
    }
    if (descriptor_ < 0) fail(target.string(), reason_of(errno));
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!committed_) ::unlink(name_.c_str());
  }

  // Each returns 0 or errno.
  int write(std::string_view content) noexcept {
    while (!content.empty()) {
      const ssize_t written = ::write(descriptor_, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return errno;
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    return ::fsync(descriptor_) != 0 ? errno : 0;
  }
  int commit(const fs::path& target) noexcept {
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) return errno;
    if (::rename(name_.c_str(), target.c_str()) != 0) return errno;
    committed_ = true;
    return 0;
  }

 private:
  fs::path name_;
  int descriptor_ = -1;
  bool committed_ = false;
};

// The new name survives a power cut only when the folder itself is flushed; file systems that
// cannot do it say so, and the file is complete all the same.
void flush_folder(const fs::path& folder) noexcept {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

fs::path checked_target(const std::string& path) {
  if (path.empty()) fail("''", "the path is empty");
  std::error_code error;
  fs::path target = path;
  if (fs::is_symlink(target, error)) {
    target = fs::weakly_canonical(target, error);
    if (error) fail(path, error.message());
  }
  if (!target.has_filename()) fail(path, "it names a folder");
  const fs::file_status status = fs::status(target, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    fail(path, fs::is_directory(status) ? "it is a folder" : "it is not a regular file");
  }
  if (target.has_parent_path()) {
    fs::create_directories(target.parent_path(), error);
    if (error) fail(path, error.message());
  }
  return target;
}

}  // namespace

void replace_file(const std::string& path, std::string_view content) {
  const fs::path target = checked_target(path);
  TemporaryFile file(target);
  int error = file.write(content);
  if (error == 0) error = file.commit(target);
  if (error != 0) fail(path, reason_of(error));
  flush_folder(target.has_parent_path() ? target.parent_path() : fs::path("."));
}

}  // namespace storcast

#include "results/atomic_file.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace storcast;
namespace fs = std::filesystem;

namespace {

class FolderUnderTest {
 public:
  FolderUnderTest() {
    std::string pattern = (fs::temp_directory_path() / "storcast-XXXXXX").string();
    path = ::mkdtemp(pattern.data());
  }
  ~FolderUnderTest() { fs::remove_all(path); }
  [[nodiscard]] std::string in(const std::string& name) const { return (path / name).string(); }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
  fs::path path;
};

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A limit of the size of files stands for a full disk, as long as it lives.
class FullDisk {
 public:
  FullDisk() {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit small = before_;
    small.rlim_cur = 4096;
    ::setrlimit(RLIMIT_FSIZE, &small);
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

}  // namespace

TEST_CASE("a file is replaced as a whole, and missing folders are created") {
  const FolderUnderTest folder;
  replace_file(folder.in("a/b/c.txt"), "old and long");
  replace_file(folder.in("a/b/c.txt"), "new");
  CHECK(content_of(folder.in("a/b/c.txt")) == "new");
  CHECK(std::distance(fs::directory_iterator(folder.path / "a/b"), fs::directory_iterator()) == 1);
}

TEST_CASE("a disk that fills up leaves the old file and no part of the new one") {
  const FolderUnderTest folder;
  replace_file(folder.in("r"), "old");
  const std::string large(100000, 'x');
  {
    const FullDisk full;
    CHECK_THROWS_WITH(replace_file(folder.in("r"), large), Catch::Contains("File too large"));
  }
  CHECK(content_of(folder.in("r")) == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("a target that is a folder is refused and stays") {
  const FolderUnderTest folder;
  fs::create_directory(folder.path / "r");
  CHECK_THROWS_WITH(replace_file(folder.in("r"), "x"), Catch::Contains("it is a folder"));
  CHECK_THROWS_WITH(replace_file(folder.in("r/"), "x"), Catch::Contains("it names a folder"));
  CHECK(fs::is_directory(folder.path / "r"));
  CHECK(folder.entries() == 1);
}

TEST_CASE("a device or pipe is refused: a rename would replace it") {
  const FolderUnderTest folder;
  REQUIRE(::mkfifo(folder.in("pipe").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(replace_file(folder.in("pipe"), "x"), Catch::Contains("not a regular file"));
  CHECK(fs::is_fifo(folder.path / "pipe"));
}

TEST_CASE("a parent that is a file is an error with its reason") {
  const FolderUnderTest folder;
  replace_file(folder.in("file"), "old");
  CHECK_THROWS_AS(replace_file(folder.in("file/r"), "x"), std::runtime_error);
  CHECK(content_of(folder.in("file")) == "old");
  CHECK_THROWS_WITH(replace_file("", "x"), Catch::Contains("empty"));
}

TEST_CASE("a read-only folder leaves the old file") {
  const FolderUnderTest folder;
  replace_file(folder.in("r"), "old");
  fs::permissions(folder.path, fs::perms::owner_read | fs::perms::owner_exec);
  if (::geteuid() == 0) {  // root may write all the same; then the whole new file must be there
    replace_file(folder.in("r"), "new");
    CHECK(content_of(folder.in("r")) == "new");
  } else {
    CHECK_THROWS_WITH(replace_file(folder.in("r"), "new"), Catch::Contains("Permission denied"));
    CHECK(content_of(folder.in("r")) == "old");
  }
  fs::permissions(folder.path, fs::perms::owner_all);
}

TEST_CASE("a symbolic link is followed, not replaced") {
  const FolderUnderTest folder;
  replace_file(folder.in("real"), "old");
  fs::create_symlink("real", folder.path / "link");
  replace_file(folder.in("link"), "new");
  CHECK(fs::is_symlink(folder.path / "link"));
  CHECK(content_of(folder.in("real")) == "new");
}

TEST_CASE("a leftover of a killed run does not stop the next") {
  const FolderUnderTest folder;
  std::ofstream(folder.in(".storcast-" + std::to_string(::getpid()) + "-0.partial")) << "part";
  replace_file(folder.in("r"), "new");
  CHECK(content_of(folder.in("r")) == "new");
}

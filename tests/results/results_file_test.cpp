#include "results/results_file.hpp"

#include <hdf5.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "results/summary_json.hpp"
#include "tests/results/example.hpp"

using namespace storcast;
using Catch::Contains;
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
  fs::path path;
};

// An HDF5 file opened without our own code.
class FileUnderTest {
 public:
  explicit FileUnderTest(const std::string& path)
      : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {
    REQUIRE(file_ >= 0);
  }
  ~FileUnderTest() { H5Fclose(file_); }

  [[nodiscard]] std::vector<double> numbers(const std::string& name) const {
    const hid_t set = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
    REQUIRE(set >= 0);
    const hid_t space = H5Dget_space(set);
    std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    CHECK(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    return values;
  }
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const {
    const hid_t set = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
    REQUIRE(set >= 0);
    const hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    std::vector<char*> raw(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    CHECK(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.data()) >= 0);
    std::vector<std::string> values(raw.begin(), raw.end());
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, raw.data());
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
    return values;
  }
  [[nodiscard]] std::string attribute(const std::string& object, const char* name) const {
    const hid_t id = H5Aopen_by_name(file_, object.c_str(), name, H5P_DEFAULT, H5P_DEFAULT);
    REQUIRE(id >= 0);
    const hid_t type = H5Aget_type(id);
    char* raw = nullptr;
    CHECK(H5Aread(id, type, &raw) >= 0);
    const std::string value = raw == nullptr ? "" : raw;
    H5free_memory(raw);
    H5Tclose(type);
    H5Aclose(id);
    return value;
  }
  [[nodiscard]] bool exists(const std::string& name) const {
    return H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0;
  }
  // Names of all datasets that lack a title or a unit, and how many datasets there are.
  [[nodiscard]] std::pair<int, std::vector<std::string>> unlabelled() const {
    std::pair<int, std::vector<std::string>> found{0, {}};
    H5Ovisit(file_, H5_INDEX_NAME, H5_ITER_INC, visit, &found);
    return found;
  }

 private:
  static herr_t visit(hid_t file, const char* name, const H5O_info_t* info, void* data) {
    auto& found = *static_cast<std::pair<int, std::vector<std::string>>*>(data);
    if (info->type != H5O_TYPE_DATASET) return 0;
    ++found.first;
    for (const char* label : {"title", "unit"}) {
      if (H5Aexists_by_name(file, name, label, H5P_DEFAULT) <= 0) found.second.push_back(name);
    }
    return 0;
  }
  hid_t file_;
};

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("the figures of a results file read back") {
  const FolderUnderTest folder;
  const RunResult result = example_result();
  write_results_file(result, folder.in("new/r.h5"));
  const FileUnderTest file(folder.in("new/r.h5"));
  using Numbers = std::vector<double>;
  CHECK(file.numbers("/streams/main/all/iops") == Numbers{262000});
  CHECK(file.numbers("/streams/main/read/response_time_mean") == Numbers{0.0071});
  CHECK(file.numbers("/streams/main/all/percentiles/fraction") ==
        Numbers{0.5, 0.9, 0.95, 0.99, 0.999});
  CHECK(file.numbers("/streams/main/all/percentiles/response_time")[3] == 0.00782 * 1.93);
  CHECK(file.texts("/streams/main/all/percentiles/refused") ==
        std::vector<std::string>{"p99.99 needs 1,000,000 samples, 445,400 seen"});
  CHECK(file.texts("/stations/name") ==
        std::vector<std::string>{"host.ports", "array.controller_a.cores", "array.pools.a.drives"});
  CHECK(file.numbers("/stations/utilisation") == Numbers{0.046, 0.993, 0.31});
  CHECK(file.numbers("/stations/queues") == Numbers{4, 4, 4});
  CHECK(file.numbers("/series/throughput") == Numbers{250000, 262000});
  CHECK(file.numbers("/bounds/mva_throughput") == Numbers{263500});
  CHECK(file.numbers("/power/maximum") == Numbers{812});
  CHECK(file.numbers("/streams/main/stages/mean")[2] == 0.007133);
  CHECK(file.attribute("/", "scenario_text") == result.scenario_text);
  CHECK(file.attribute("/streams/main/all/response_time_mean", "unit") == "s");
  CHECK(file.numbers("/timeline/at") == Numbers{1.2});
  CHECK(file.texts("/timeline/what") == std::vector<std::string>{"drive 3 of pool a failed"});
}

TEST_CASE("the phases of the timeline read back") {
  const FolderUnderTest folder;
  RunResult result = example_result();
  result.phases = {{"begin", 0, 1.2, 250000, 0.008, 0.016},
                   {"drive 3", 1.2, 0.4, 190000, 0.01, {}}};
  write_results_file(result, folder.in("r.h5"));
  const FileUnderTest file(folder.in("r.h5"));
  CHECK(file.texts("/phases/what") == std::vector<std::string>{"begin", "drive 3"});
  CHECK(file.numbers("/phases/start") == std::vector<double>{0, 1.2});
  CHECK(file.numbers("/phases/throughput") == std::vector<double>{250000, 190000});
  const auto p99 = file.numbers("/phases/response_time_p99");
  CHECK(p99[0] == 0.016);
  CHECK(std::isnan(p99[1]));
}

TEST_CASE("the histogram keeps its non-empty cells and all I/Os") {
  const FolderUnderTest folder;
  write_results_file(example_result(), folder.in("r.h5"));
  const FileUnderTest file(folder.in("r.h5"));
  CHECK(file.numbers("/streams/main/all/histogram/count") == std::vector<double>{445399, 1});
  const auto lower = file.numbers("/streams/main/all/histogram/lower_edge");
  const auto middle = file.numbers("/streams/main/all/histogram/middle");
  REQUIRE(lower.size() == 2);
  CHECK(lower[0] <= 0.00782);
  CHECK(middle[0] == Approx(0.00782).epsilon(1.0 / 128));
  CHECK(middle[1] == Approx(0.01564).epsilon(1.0 / 128));
}

TEST_CASE("every dataset of a results file has a title and a unit") {
  const FolderUnderTest folder;
  write_results_file(example_result(), folder.in("r.h5"));
  const auto [count, unlabelled] = FileUnderTest(folder.in("r.h5")).unlabelled();
  CHECK(count > 50);
  CHECK(unlabelled.empty());
}

TEST_CASE("the stored summary is the summary") {
  const FolderUnderTest folder;
  write_results_file(example_result(), folder.in("r.h5"));
  CHECK(read_summary(folder.in("r.h5")) == summary_json(example_result()));
}

TEST_CASE("the same result gives the same file") {
  const FolderUnderTest folder;
  write_results_file(example_result(), folder.in("a.h5"));
  write_results_file(example_result(), folder.in("b.h5"));
  CHECK(bytes_of(folder.in("a.h5")) == bytes_of(folder.in("b.h5")));
}

TEST_CASE("a scenario longer than 64 KiB is stored whole") {
  const FolderUnderTest folder;
  RunResult result = example_result();
  result.scenario_text.assign(200000, 'x');
  write_results_file(result, folder.in("r.h5"));
  CHECK(FileUnderTest(folder.in("r.h5")).attribute("/", "scenario_text").size() == 200000);
}

TEST_CASE("a stream's name with a slash is one group") {
  const FolderUnderTest folder;
  RunResult result = example_result();
  result.streams[0].name = "a/b%";
  write_results_file(result, folder.in("r.h5"));
  const FileUnderTest file(folder.in("r.h5"));
  CHECK(file.exists("/streams/a%2Fb%25"));
  CHECK(file.attribute("/streams/a%2Fb%25", "name") == "a/b%");
}

TEST_CASE("unstable streams and absent directions have no such datasets") {
  const FolderUnderTest folder;
  RunResult result = example_result();
  result.streams[0].stable = false;
  result.streams[0].write = ResponseResult{};
  write_results_file(result, folder.in("r.h5"));
  const FileUnderTest file(folder.in("r.h5"));
  CHECK(file.exists("/streams/main/all/iops"));
  CHECK_FALSE(file.exists("/streams/main/all/response_time_mean"));
  CHECK_FALSE(file.exists("/streams/main/write"));
}

TEST_CASE("an empty result can be written") {
  const FolderUnderTest folder;
  write_results_file(RunResult{}, folder.in("r.h5"));
  CHECK(FileUnderTest(folder.in("r.h5")).numbers("/stations/utilisation").empty());
}

TEST_CASE("what cannot be written is an error, and nothing is left or lost") {
  const FolderUnderTest folder;
  fs::create_directory(folder.path / "r.h5");
  CHECK_THROWS_WITH(write_results_file(example_result(), folder.in("r.h5")),
                    Contains("it is a folder"));
  std::ofstream(folder.in("file")) << "old";
  CHECK_THROWS_WITH(write_results_file(example_result(), folder.in("file/r.h5")),
                    Contains("cannot write"));
  CHECK(bytes_of(folder.in("file")) == "old");
  CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 2);
}

TEST_CASE("files that are not ours are refused with the reason") {
  const FolderUnderTest folder;
  CHECK_THROWS_WITH(read_summary(folder.in("none.h5")),
                    Contains("no such file") || Contains("No such file"));
  CHECK_THROWS_WITH(read_summary(folder.path.string()), Contains("not a regular file"));
  std::ofstream(folder.in("text.h5")) << "hello";
  CHECK_THROWS_WITH(read_summary(folder.in("text.h5")), Contains("not an HDF5 file"));
  std::ofstream(folder.in("empty.h5")) << "";
  CHECK_THROWS_WITH(read_summary(folder.in("empty.h5")), Contains("not an HDF5 file"));
  H5Fclose(H5Fcreate(folder.in("other.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  CHECK_THROWS_WITH(read_summary(folder.in("other.h5")), Contains("not a result of storcast"));
}

TEST_CASE("a truncated results file is refused") {
  const FolderUnderTest folder;
  write_results_file(example_result(), folder.in("r.h5"));
  fs::resize_file(folder.in("r.h5"), fs::file_size(folder.in("r.h5")) / 2);
  CHECK_THROWS_WITH(read_summary(folder.in("r.h5")), Contains("cannot read"));
}

TEST_CASE("a file of a newer schema is refused") {
  const FolderUnderTest folder;
  write_results_file(example_result(), folder.in("r.h5"));
  const hid_t file = H5Fopen(folder.in("r.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t schema = H5Aopen(file, "schema", H5P_DEFAULT);
  const std::int64_t newer = 99;
  H5Awrite(schema, H5T_NATIVE_INT64, &newer);
  H5Aclose(schema);
  H5Fclose(file);
  CHECK_THROWS_WITH(read_summary(folder.in("r.h5")),
                    Contains("its schema is 99, this program knows 1 to 1"));
}

// A file gets its name only by commit().
#include "workloads/part_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "tests/workloads/input_files.hpp"
#include "workloads/workload_error.hpp"

namespace flashloom::part_file_test {
namespace {

namespace fs = std::filesystem;

TEST(PartFile, GetsItsNameByCommit) {
  const InputFiles files;
  const std::string path = files.write("whole", "before");
  {
    PartFile file(path);
    file.write("abc", 3);
    file.out() << "de";
    EXPECT_EQ(fs::file_size(path), 6U);  // the earlier file
    file.commit();
  }
  EXPECT_EQ(fs::file_size(path), 5U);
  EXPECT_FALSE(fs::exists(path + ".part"));
}

TEST(PartFile, LeavesNothingWithoutCommit) {
  const InputFiles files;
  const std::string path = files.write("kept", "before");
  {
    PartFile file(path);
    file.write("abc", 3);
    EXPECT_TRUE(fs::exists(path + ".part"));
  }
  EXPECT_EQ(fs::file_size(path), 6U);
  EXPECT_FALSE(fs::exists(path + ".part"));
}

TEST(PartFile, HasOneWriter) {
  const InputFiles files;
  const PartFile file(files.write("busy", ""));
  EXPECT_THROW(PartFile{file.path()}, WorkloadError);
}

TEST(PartFile, SaysWhatCouldNotBeWritten) {
  const InputFiles files;
  PartFile nowhere(files.write("a", "") + "/no/folder");
  EXPECT_NE(nowhere.open_error(), 0);
  EXPECT_THROW(nowhere.write("abc", 3), std::runtime_error);
  EXPECT_THROW(nowhere.commit(), std::runtime_error);
}

}  // namespace
}  // namespace flashloom::part_file_test

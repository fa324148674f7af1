#include "sc_main/run/result_folder.hpp"

#include <unistd.h>

#include <stdexcept>
#include <system_error>

#include "sc_main/options/options.hpp"
#include "workloads/part_file.hpp"

namespace flashloom {
namespace fs = std::filesystem;

FileLock make_result_folder(const std::string& path, const std::vector<fs::path>& answers) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error == std::errc::no_space_on_device) throw std::runtime_error(path + ": cannot be made: " + error.message());
  FileLock lock = FileLock::of_folder(path);
  for (const fs::path& file : answers) {
    std::error_code ignored;
    fs::remove(fs::path(path) / file, ignored);
  }
  if (error || !fs::is_directory(path) || ::access(path.c_str(), W_OK) != 0)
    throw UsageError("--out: cannot write into '" + path + "'" + (error ? ": " + error.message() : ""));
  return lock;
}

void write_whole(const fs::path& path, const std::string& text) {
  PartFile file(path);
  file.write(text.data(), text.size());
  file.commit();
}

}  // namespace flashloom

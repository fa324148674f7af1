#include "workloads/output_path.hpp"

#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <system_error>

namespace flashloom {
namespace {

namespace fs = std::filesystem;

/// The number of this process's descriptor that `path` names; -1: none.
int descriptor_of(const fs::path& path) {
  std::error_code error;
  const fs::path folder = fs::canonical(path.has_parent_path() ? path.parent_path() : ".", error);
  if (error || folder != "/proc/" + std::to_string(::getpid()) + "/fd") return -1;
  const std::string name = path.filename().string();
  int number = -1;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), number);
  return failure == std::errc{} && end == name.data() + name.size() ? number : -1;
}

}  // namespace

OutputPath OutputPath::of(const std::string& path) {
  constexpr int kMostLinks = 40;  // Linux's limit
  OutputPath output{.file = path};
  if (path == "-") {
    output.descriptor = STDOUT_FILENO;
    output.through = true;
    return output;
  }
  fs::path at = path;
  for (int links = 0; links < kMostLinks; ++links) {
    output.descriptor = descriptor_of(at);
    std::error_code error;
    if (output.descriptor >= 0 || !fs::is_symlink(at, error)) break;
    const fs::path target = fs::read_symlink(at, error);
    if (error) break;
    at = target.is_absolute() ? target : at.parent_path() / target;
  }
  output.file = at.string();
  std::error_code error;
  const fs::file_status status = fs::status(at, error);
  output.through =
      output.descriptor >= 0 || (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status));
  return output;
}

void remove_output(const std::string& path) {
  const OutputPath output = OutputPath::of(path);
  std::error_code ignored;
  if (!output.through && fs::is_regular_file(output.file, ignored)) fs::remove(output.file, ignored);
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return fs::is_regular_file(a, error) && fs::is_regular_file(b, error) && fs::equivalent(a, b, error);
}

}  // namespace flashloom

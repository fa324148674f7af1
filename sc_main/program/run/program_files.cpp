#include "sc_main/program/run/program_files.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace flashloom {

std::string beside_program(const std::string& name, const std::string& remedy) {
  namespace fs = std::filesystem;
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& place : {program, program.parent_path() / "lib" / "flashloom"})
    if (fs::exists(place / name)) return (place / name).string();
  throw std::runtime_error(name + " is not beside the program: " + remedy);
}

TemporaryFolder::TemporaryFolder(const std::string& prefix) {
  path_ = (std::filesystem::temp_directory_path() / (prefix + "XXXXXX")).string();
  if (::mkdtemp(path_.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), path_ + ": cannot be made");
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace flashloom

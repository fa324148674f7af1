// --io-log: every request of a run, as binary records (io_log.bin) or as a table (io_log.csv). docs/reference/results.md has the
// format.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "controllers/host/host_observer.hpp"
#include "workloads/part_file.hpp"

namespace flashloom {

/// Writes the log to a temporary file that gets its final name when it is complete.
class IoLog final : public HostObserver {
 public:
  static constexpr const char* kSchema = "flashloom.io_log/1";
  enum class Form { Binary, Csv };
  static std::filesystem::path file_name(Form form) { return form == Form::Binary ? "io_log.bin" : "io_log.csv"; }

  /// Throws std::runtime_error if it cannot write into `directory`. `jobs`: their names, in order.
  IoLog(const std::filesystem::path& directory, Form form, const std::vector<std::string>& jobs, bool zoned = false);
  ~IoLog() = default;
  IoLog(const IoLog&) = delete;
  IoLog& operator=(const IoLog&) = delete;

  void completed(const IoCommand& command, std::uint32_t job, bool measured) override;
  /// Writes the rest, and renames the file. Throws std::runtime_error.
  void finish();

 private:
  void put(std::uint64_t value, std::size_t bytes);
  void flush();
  std::string header(const std::vector<std::string>& jobs, bool zoned) const;

  PartFile file_;
  Form form_;
  std::string buffer_;
};

}  // namespace flashloom

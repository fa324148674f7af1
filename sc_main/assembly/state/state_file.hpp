// Files of saved states: docs/how-to/states.md describes them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "policies/state_archive.hpp"
#include "sc_main/assembly/state/state_key.hpp"
#include "sc_main/assembly/state/table_images.hpp"
#include "workloads/byte_stream.hpp"
#include "workloads/zstd_file.hpp"

namespace flashloom {

/// Must change with every change of the format or contents.
inline constexpr const char* kStateSchema = "flashloom.state/33";

/// Description of a state, as text at the beginning of its file.
struct StateHeader {
  std::string device;      ///< name
  StateKeys keys;          ///< state_keys() of the configuration that made it
  StateKeys precondition;  ///< precondition_keys() of the same
  std::uint64_t seed = 0;  ///< of preconditioning
  bool compact = false;    ///< tables are compressed, and not mapped
};

/// Reads the header alone. Throws StateError, naming the file: it is missing, no state, or of another schema.
StateHeader read_state_header(const std::string& path);

/// Writes a state. The file appears at `path` with commit(); large tables must not change before complete(). Throws
/// StateError, naming the file.
class StateWriter final : public StateArchive {
 public:
  StateWriter(const std::string& path, const StateHeader& header);
  /// Writes all that is left.
  void complete();
  /// Calls complete(), if nobody has, and renames the file.
  void commit();
  /// Bytes of the file, after complete().
  std::uint64_t size() const;
  /// Whether the file is the standard output of this process.
  bool to_stdout() const;
  bool takes_rules() const override { return true; }

 private:
  void transfer(void* data, std::size_t size) override;
  bool image(std::byte* memory, std::size_t size) override;
  void flush();

  std::string path_;
  bool compact_;
  TableImages images_;
  std::unique_ptr<ZstdFile> file_;
  std::vector<char> buffer_;
  std::size_t filled_ = 0;
  bool complete_ = false;
};

/// Reads a state. The constructor reads the whole file once, so that a truncated or damaged file is refused before any
/// of it is used. Throws StateError, naming the file.
class StateReader final : public StateArchive {
 public:
  explicit StateReader(const std::string& path);
  /// To be called after everything has been read. Throws StateError if data is left.
  void finish();
  bool takes_rules() const override { return true; }

 private:
  void transfer(void* data, std::size_t size) override;
  bool image(std::byte* memory, std::size_t size) override;

  std::string path_;
  bool compact_;
  std::unique_ptr<MappedImages> images_;
  std::unique_ptr<ByteStream> stream_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace flashloom

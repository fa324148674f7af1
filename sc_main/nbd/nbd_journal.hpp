// Writes that were acknowledged since a device's state was saved, so that none is lost with the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sc_main/linux/file_descriptor.hpp"
#include "sc_main/nbd/nbd_messages.hpp"

namespace flashloom {

/// One that changed what the drive holds.
struct NbdChange {
  NbdOperation operation = NbdOperation::Write;  ///< write, trim or zeroes
  std::uint64_t offset = 0;                      ///< bytes
  std::uint64_t length = 0;                      ///< bytes
  const std::byte* bytes = nullptr;              ///< of a write
};

/// A file of records, each with a checksum over itself, behind a head that names the state that it continues. All throw
/// std::runtime_error, which names the file, if it cannot be read or written.
class NbdJournal {
 public:
  explicit NbdJournal(std::string path) : path_(std::move(path)) {}

  struct Replayed {
    std::uint64_t changes = 0;
    std::uint64_t torn_bytes = 0;  ///< at the end: a record that was not whole
  };
  /// Calls `visit` with each change behind the state `base`, in the order of their acknowledgement; drops what is torn
  /// behind them, and is ready to append. A journal of another state, or none, is begun anew.
  Replayed open(const std::string& base, const std::function<void(const NbdChange&)>& visit);
  /// Begins anew: what was in it is in the state `base`.
  void begin(const std::string& base);
  /// In the hands of the operating system when it returns.
  void append(const NbdChange& change);
  /// On the disk, all that was appended.
  void sync();
  std::uint64_t bytes() const { return size_; }

 private:
  [[noreturn]] void fail(const char* what) const;
  void put(const void* data, std::size_t size);

  std::string path_;
  FileDescriptor file_;
  std::uint64_t size_ = 0;
  bool unsynced_ = false;
};

/// Makes sure that a file, or a folder's names, are on the disk. Throws std::runtime_error.
void sync_path(const std::string& path);

}  // namespace flashloom

// Journal of the writes acknowledged since a device's state was saved, so that none is lost with the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sc_main/attach/linux/file_descriptor.hpp"
#include "sc_main/attach/nbd/nbd_messages.hpp"

namespace flashloom {

/// A request that changed the drive's contents.
struct NbdChange {
  NbdOperation operation = NbdOperation::Write;  ///< write, trim or zeroes
  std::uint64_t offset = 0;                      ///< bytes
  std::uint64_t length = 0;                      ///< bytes
  const std::byte* bytes = nullptr;              ///< of a write
};

/// A file with a head, which identifies the saved state that it continues, and records with a checksum each. All
/// functions throw std::runtime_error, which names the file, if it cannot be read or written.
class NbdJournal {
 public:
  explicit NbdJournal(std::string path) : path_(std::move(path)) {}

  struct Replayed {
    std::uint64_t changes = 0;
    std::uint64_t torn_bytes = 0;  ///< bytes of an incomplete record at the end
  };
  /// Opens the journal for appending. Calls `visit` with each change after the state `base`, in the order of their
  /// acknowledgement, and drops a torn record at the end. Starts a new journal if there is none for that state.
  Replayed open(const std::string& base, const std::function<void(const NbdChange&)>& visit);
  /// Starts a new journal after the state `base`, which includes all earlier changes.
  void begin(const std::string& base);
  /// Writes a change to the operating system's page cache.
  void append(const NbdChange& change);
  /// Syncs all appended changes to the disk.
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

/// Syncs a file, or a folder's entries, to the disk. Throws std::runtime_error.
void sync_path(const std::string& path);

}  // namespace flashloom

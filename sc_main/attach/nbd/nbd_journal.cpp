#include "sc_main/attach/nbd/nbd_journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "workloads/output_path.hpp"

namespace flashloom {
namespace {

constexpr char kJournalMagic[8] = {'F', 'L', 'S', 'H', 'N', 'B', 'D', '1'};

struct JournalHead {
  char magic[8];
  char base[16];  // hash of the state, in hexadecimal digits
};

struct RecordHead {
  std::uint64_t checksum;  // XXH3 of the rest of the record, its data included
  std::uint64_t offset;
  std::uint64_t length;
  std::uint32_t operation;
  std::uint32_t reserved;
};

std::uint64_t checksum_of(const RecordHead& head, const std::byte* bytes, std::uint64_t length) {
  const auto* const from = reinterpret_cast<const std::byte*>(&head) + sizeof head.checksum;
  const XXH64_hash_t seed = XXH3_64bits(from, sizeof head - sizeof head.checksum);
  return length == 0 ? seed : XXH3_64bits_withSeed(bytes, length, seed);
}

JournalHead head_for(const std::string& base) {
  JournalHead head{};
  std::memcpy(head.magic, kJournalMagic, sizeof head.magic);
  base.copy(head.base, sizeof head.base);
  return head;
}

bool read_at(int file, void* into, std::size_t bytes, std::uint64_t at) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n = ::pread(file, static_cast<char*>(into) + done, bytes - done, static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

void NbdJournal::fail(const char* what) const {
  throw std::runtime_error(path_ + ": " + what + ": " + std::generic_category().message(errno));
}

NbdJournal::Replayed NbdJournal::open(const std::string& base, const std::function<void(const NbdChange&)>& visit) {
  Replayed replayed;
  file_ = FileDescriptor(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
  JournalHead head{};
  const JournalHead wanted = head_for(base);
  if (!file_ || !read_at(file_.number(), &head, sizeof head, 0) || std::memcmp(&head, &wanted, sizeof head) != 0) {
    begin(base);
    return replayed;
  }
  struct stat status {};
  if (::fstat(file_.number(), &status) != 0) fail("cannot be read");
  const auto end = static_cast<std::uint64_t>(status.st_size);
  size_ = sizeof head;
  std::vector<std::byte> bytes;
  for (RecordHead record{}; read_at(file_.number(), &record, sizeof record, size_);) {
    const auto operation = static_cast<NbdOperation>(record.operation);
    const std::uint64_t stored = operation == NbdOperation::Write ? record.length : 0;
    if (stored > kNbdLongest || stored > end - size_ - sizeof record) break;
    bytes.resize(std::max<std::size_t>(bytes.size(), stored));
    if (!read_at(file_.number(), bytes.data(), stored, size_ + sizeof record)) break;
    if (record.checksum != checksum_of(record, bytes.data(), stored)) break;
    visit({.operation = operation, .offset = record.offset, .length = record.length, .bytes = bytes.data()});
    ++replayed.changes;
    size_ += sizeof record + stored;
  }
  replayed.torn_bytes = end - size_;
  if (replayed.torn_bytes != 0 && ::ftruncate(file_.number(), static_cast<off_t>(size_)) != 0)
    fail("cannot be written");
  if (::lseek(file_.number(), static_cast<off_t>(size_), SEEK_SET) < 0) fail("cannot be written");
  return replayed;
}

// Writes the new journal beside the old one and renames it, so that a killed process leaves one of the two.
void NbdJournal::begin(const std::string& base) {
  const OutputPath to = OutputPath::of(path_);
  if (to.through) throw std::runtime_error(path_ + ": is no regular file, which a journal has to be");
  const std::string part = to.file + ".part";
  ::unlink(part.c_str());  // of a killed process, or a link to someone's file
  file_ = FileDescriptor(::open(part.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file_) fail("cannot be written");
  size_ = 0;
  const JournalHead head = head_for(base);
  try {
    put(&head, sizeof head);
    if (::fdatasync(file_.number()) != 0) fail("cannot be written");
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw;
  }
  std::filesystem::rename(part, to.file);
}

void NbdJournal::put(const void* data, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t n = ::write(file_.number(), static_cast<const char*>(data) + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("cannot be written");
    done += static_cast<std::size_t>(n);
  }
  size_ += size;
}

void NbdJournal::append(const NbdChange& change) {
  const std::uint64_t stored = change.operation == NbdOperation::Write ? change.length : 0;
  RecordHead head{.checksum = 0,
                  .offset = change.offset,
                  .length = change.length,
                  .operation = static_cast<std::uint32_t>(change.operation),
                  .reserved = 0};
  head.checksum = checksum_of(head, change.bytes, stored);
  put(&head, sizeof head);
  put(change.bytes, stored);
  unsynced_ = true;
}

void NbdJournal::sync() {
  if (!unsynced_) return;
  if (::fdatasync(file_.number()) != 0) fail("cannot be written");
  unsynced_ = false;
}

void sync_path(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || ::fsync(file.number()) != 0)
    throw std::runtime_error(path + ": cannot be written: " + std::generic_category().message(errno));
}

}  // namespace flashloom

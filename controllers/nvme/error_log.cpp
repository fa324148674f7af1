#include "controllers/nvme/error_log.hpp"

#include <cstring>

#include "controllers/nvme/little_endian.hpp"

namespace flashloom::nvme {
namespace {

constexpr std::uint16_t kNoParameter = 0xffff;  // the parameter that was wrong is not told

}  // namespace

void ErrorLog::add(const NvmeCommand& command, Status status) {
  add({.number = 0,
       .queue = command.from->id,
       .command = command.entry.id,
       .status = status_field(status, false),
       .lba = command.failed_lba,
       .name_space = command.entry.name_space});
}

void ErrorLog::add(std::uint16_t queue, Status status) {
  add({.number = 0,
       .queue = queue,
       .command = kNoCommand,
       .status = status_field(status, false),
       .lba = 0,
       .name_space = 0});
}

void ErrorLog::add(Line line) {
  line.number = ++life_.errors;
  entries_.push_front(line);
  if (entries_.size() > kEntries) entries_.pop_back();
}

void ErrorLog::write_page(std::byte* into) const {
  std::memset(into, 0, std::size_t{kEntries} * kEntryBytes);
  for (const Line& line : entries_) {
    put(into, 0, line.number);
    put(into, 8, line.queue);
    put(into, 10, line.command);
    put(into, 12, line.status);
    put(into, 14, kNoParameter);
    put(into, 16, line.lba);
    put(into, 24, line.name_space);
    into += kEntryBytes;
  }
}

}  // namespace flashloom::nvme

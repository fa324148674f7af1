#include "workloads/traces/rwbs.hpp"

#include <string>

namespace flashloom {
namespace {

// FUA, read-ahead, synchronous, metadata, atomic; of older kernels barrier, secure erase (of a discard).
constexpr std::string_view kKnownFlags = "FASMUBE";
constexpr std::uint64_t kSectorBytes = 512;

[[noreturn]] void unknown_rwbs(std::string_view whole) {
  throw FieldError("unknown RWBS: \"" + std::string(whole.substr(0, 16)) + "\"");
}

void note_flags(std::string_view flags, TraceNotes& notes) {
  for (const char flag : flags) {
    if (kKnownFlags.find(flag) != std::string_view::npos) continue;
    ++notes.unknown_flags;
    if (notes.flags.find(flag) == std::string::npos && notes.flags.size() < 16) notes.flags += flag;
  }
}

}  // namespace

bool parse_rwbs(std::string_view rwbs, TraceRecord& record, TraceNotes& notes) {
  const std::string_view whole = rwbs;
  if (rwbs.starts_with('F')) {
    record.preflush = true;
    rwbs.remove_prefix(1);
  }
  const char operation = rwbs.empty() ? 'F' : rwbs.front();
  if (!rwbs.empty()) rwbs.remove_prefix(1);
  const bool zeroes = operation == 'W' && rwbs.starts_with('Z');
  const char of_zone = operation == 'Z' && !rwbs.empty() ? rwbs.front() : '\0';
  if (zeroes || of_zone != '\0') rwbs.remove_prefix(1);
  record.fua = rwbs.find('F') != std::string_view::npos;
  bool request = true;
  switch (operation) {
    case 'R':
      record.kind = RequestKind::Read;
      break;
    case 'W':
      record.kind = zeroes ? RequestKind::WriteZeroes : RequestKind::Write;
      break;
    case 'D':
      record.kind = RequestKind::Trim;
      break;
    case 'F':
      record.kind = RequestKind::Flush;
      break;
    case 'Z':  // a zone's append; or its reset, opening, closing or end, which moves no blocks
      if (of_zone == '\0') unknown_rwbs(whole);
      record.kind = RequestKind::Write;
      request = of_zone == 'A';
      break;
    case 'N':
      record.kind = RequestKind::Flush;
      request = record.preflush;  // without a preflush, N is some other command without data
      break;
    default:
      unknown_rwbs(whole);
  }
  note_flags(rwbs, notes);
  return request;
}

void set_extent(TraceRecord& record, std::string_view first_sector, std::string_view sectors) {
  if (record.kind == RequestKind::Flush) return;
  if (sectors.empty()) {
    if (!record.preflush) throw FieldError("expected \"first_sector + sectors\" after RWBS");
    record.kind = RequestKind::Flush;
    return;
  }
  record.length = parse_scaled(sectors, "sectors", kSectorBytes);
  if (record.preflush && record.length == 0) {
    record.kind = RequestKind::Flush;
    return;
  }
  record.offset = parse_scaled(first_sector, "first sector", kSectorBytes);
}

}  // namespace flashloom

#include "sc_main/torture/request_history.hpp"

#include <fmt/format.h>

#include <utility>

namespace flashloom {
namespace {

constexpr std::size_t kRequestHistory = 48;

}  // namespace

void RequestHistory::completed(const IoCommand& command, std::uint32_t, bool) {
  constexpr const char* kStatus[] = {"", " lost power", " out of range", " media error", " write protected"};
  note(fmt::format("{} ps to {} ps: {} {} + {}{}{}", command.at.submit, command.at.complete,
                   kIoOperationNames[static_cast<std::size_t>(command.operation)], command.offset, command.length,
                   command.fua ? " fua" : "", kStatus[static_cast<std::size_t>(command.status)]));
}

void RequestHistory::note(std::string line) {
  if (lines_.size() == kRequestHistory) lines_.pop_front();
  lines_.push_back(std::move(line));
}

}  // namespace flashloom

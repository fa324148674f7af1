#include "sc_main/verify/request_history.hpp"

#include <fmt/format.h>

#include <utility>

namespace flashloom {
namespace {

constexpr std::size_t kRequestHistory = 48;

}  // namespace

void RequestHistory::note(const IoCommand& command, const std::string& before, const std::string& behind) {
  const std::string status = command.status == IoStatus::Ok
                                 ? std::string()
                                 : std::string(" ") + kIoStatusNames[static_cast<std::size_t>(command.status)];
  note(fmt::format("{} ps to {} ps: {}{} {} + {}{}{}{}", command.at.submit, command.at.complete, before,
                   kIoOperationNames[static_cast<std::size_t>(command.operation)], command.offset, command.length,
                   behind, command.fua ? " fua" : "", status));
}

void RequestHistory::completed(const IoCommand& command, std::uint32_t, bool) { note(command, {}, {}); }

void RequestHistory::note(std::string line) {
  if (lines_.size() == kRequestHistory) lines_.pop_front();
  lines_.push_back(std::move(line));
}

}  // namespace flashloom

#include "controllers/nvme/events.hpp"

#include <algorithm>

namespace flashloom::nvme {

Status EventQueue::request(NvmeCommand& command) {
  if (requests_.size() == kMostRequests) return Status::EventLimit;
  requests_.push_back(&command);
  tell();
  return Status::Held;
}

void EventQueue::happened(EventType type, std::uint8_t information, std::uint8_t log, std::uint32_t name_space) {
  const bool known = std::any_of(waiting_.begin(), waiting_.end(), [&](const Event& event) {
    return event.type == type && event.information == information;
  });
  if (known || waiting_.size() == kMostWaiting) return;
  waiting_.push_back({type, information, log, name_space});
  tell();
}

void EventQueue::log_read(std::uint8_t log) {
  for (int& masked : masked_by_)
    if (masked == log) masked = -1;
  tell();
}

bool EventQueue::abort(std::uint16_t id) {
  const auto found = std::find_if(requests_.begin(), requests_.end(),
                                  [id](const NvmeCommand* command) { return command->entry.id == id; });
  if (found == requests_.end()) return false;
  NvmeCommand& command = **found;
  requests_.erase(found);
  runtime_.spawn([this, &command] { return queues_.complete(command, Status::AbortRequested); });
  return true;
}

void EventQueue::reset() {
  requests_.clear();
  waiting_.clear();
  masked_by_.fill(-1);
}

// Posting a completion may cause further requests: holds no references across it.
void EventQueue::tell() {
  while (!requests_.empty()) {
    const auto event = std::find_if(waiting_.begin(), waiting_.end(), [this](const Event& each) {
      return masked_by_[static_cast<std::size_t>(each.type)] < 0;
    });
    if (event == waiting_.end()) return;
    masked_by_[static_cast<std::size_t>(event->type)] = event->log;
    NvmeCommand& command = *requests_.front();
    requests_.erase(requests_.begin());
    command.result = static_cast<std::uint32_t>(event->type) | static_cast<std::uint32_t>(event->information) << 8U |
                     static_cast<std::uint32_t>(event->log) << 16U | std::uint64_t{event->name_space} << 32U;
    waiting_.erase(event);
    runtime_.spawn([this, &command] { return queues_.complete(command, Status::Success); });
  }
}

}  // namespace flashloom::nvme

// Asynchronous events: outstanding requests of the host, and events that wait for a request (section 5.2).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "controllers/nvme/nvme_queues.hpp"

namespace flashloom::nvme {

enum class EventType : std::uint8_t { Error = 0, Health = 1, Notice = 2 };

/// Information of the events that this controller sends.
inline constexpr std::uint8_t kInvalidDoorbellRegister = 0x00;
inline constexpr std::uint8_t kInvalidDoorbellValue = 0x01;
inline constexpr std::uint8_t kReliability = 0x00;
inline constexpr std::uint8_t kTemperature = 0x01;
inline constexpr std::uint8_t kSpareBelow = 0x02;
inline constexpr std::uint8_t kNamespaceChanged = 0x00;
inline constexpr std::uint8_t kZoneDescriptorChanged = 0xef;

/// A reported event type is masked until the host has read its log page.
class EventQueue {
 public:
  static constexpr std::uint32_t kMostRequests = 4;  ///< AERL + 1

  explicit EventQueue(NvmeQueues& queues, Runtime& runtime) : queues_(queues), runtime_(runtime) {}

  /// Status::Held, or EventLimit.
  Status request(NvmeCommand& command);
  /// An event that concerns log page `log` and `name_space`. Ignored if an equal one waits already.
  void happened(EventType type, std::uint8_t information, std::uint8_t log, std::uint32_t name_space = 0);
  /// The host has read the log page.
  void log_read(std::uint8_t log);
  /// The held request of this id is aborted; false: there is none.
  bool abort(std::uint16_t id);
  void reset();

 private:
  struct Event {
    EventType type;
    std::uint8_t information;
    std::uint8_t log;
    std::uint32_t name_space;
  };
  static constexpr std::size_t kTypes = 3;
  static constexpr std::size_t kMostWaiting = 16;

  void tell();

  NvmeQueues& queues_;
  Runtime& runtime_;
  std::vector<NvmeCommand*> requests_;
  std::vector<Event> waiting_;
  std::array<int, kTypes> masked_by_{-1, -1, -1};  // log page that unmasks the type; -1: it is not masked
};

}  // namespace flashloom::nvme

// Log page 01h: errors of commands and doorbells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "controllers/nvme/life.hpp"
#include "controllers/nvme/nvme_queues.hpp"

namespace flashloom::nvme {

class ErrorLog {
 public:
  static constexpr std::uint32_t kEntries = 64;  ///< ELPE + 1
  static constexpr std::uint32_t kEntryBytes = 64;
  static constexpr std::uint16_t kNoCommand = 0xffff;

  explicit ErrorLog(Life& life) : life_(life) {}

  void add(const NvmeCommand& command, Status status);
  /// An error without a command: of a doorbell.
  void add(std::uint16_t queue, Status status);
  /// The page, newest first, kEntries of them.
  void write_page(std::byte* into) const;
  /// The entries are volatile; their count (Life::errors) is not.
  void reset() { entries_.clear(); }

 private:
  struct Line {
    std::uint64_t number;
    std::uint16_t queue;
    std::uint16_t command;
    std::uint16_t status;
    std::uint64_t lba;
    std::uint32_t name_space;
  };
  void add(Line line);

  Life& life_;
  std::deque<Line> entries_;
};

}  // namespace flashloom::nvme

// The upper side of a block driver of the host's system: target of block sockets that takes each command at once.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "models/block/block_protocol.hpp"

namespace flashloom {

class BlockFront {
 public:
  /// `serve` is called with each command, and complete() when it has been carried out.
  BlockFront(std::uint32_t queues, std::function<void(IoCommand&)> serve);
  ~BlockFront();

  BlockTargetSocket& target(std::uint32_t queue);
  void complete(IoCommand& command);
  /// All commands that are not complete fail now.
  void power_lost();

 private:
  struct Queue;
  void submit(IoCommand& command);

  std::function<void(IoCommand&)> serve_;
  std::deque<Queue> queues_;
  std::vector<IoCommand*> open_;  // in no order
};

}  // namespace flashloom

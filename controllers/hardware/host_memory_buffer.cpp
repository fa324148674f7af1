#include "controllers/hardware/host_memory_buffer.hpp"

#include <algorithm>

namespace flashloom {

void HostMemoryBuffer::offer(std::uint64_t bytes) {
  if (bytes == 0 && granted_ != 0) ++counters_.revocations;
  offered_ = bytes < config_.minimum ? 0 : std::min(bytes, config_.size);
  granted_ = offered_;
}

void HostMemoryBuffer::lose(bool for_good) {
  if (for_good && granted_ != 0) ++counters_.losses;
  ++epoch_;
  granted_ = 0;
  if (for_good) offered_ = 0;
}

Task<void> HostMemoryBuffer::read(std::uint32_t count, std::uint64_t bytes) {
  counters_.reads += count;
  counters_.read_bytes += count * bytes;
  if (!hardware_.timed()) co_return;
  Picoseconds asked = hardware_.now();
  for (std::uint32_t i = 0; i < count; ++i) asked = std::max(asked, co_await hardware_.to_host(kRequestBytes));
  // Waits before it reserves the link, so that earlier transfers of others come first.
  co_await hardware_.until(asked + config_.latency);
  Picoseconds arrived = hardware_.now();
  for (std::uint32_t i = 0; i < count; ++i) arrived = std::max(arrived, co_await hardware_.from_host(bytes));
  co_await hardware_.until(arrived);
}

Task<void> HostMemoryBuffer::write(std::uint32_t count, std::uint64_t bytes) {
  counters_.writes += count;
  counters_.write_bytes += count * bytes;
  if (!hardware_.timed()) co_return;
  for (std::uint32_t i = 0; i < count; ++i) co_await hardware_.to_host(bytes);
}

}  // namespace flashloom

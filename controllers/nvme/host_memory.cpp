#include "controllers/nvme/host_memory.hpp"

#include <algorithm>
#include <vector>

#include "controllers/nvme/admin_commands.hpp"
#include "controllers/nvme/little_endian.hpp"

namespace flashloom::nvme {
namespace {

constexpr std::uint32_t kEnableHostMemory = 1U;
constexpr std::uint32_t kDescriptorBytes = 16;
constexpr std::uint32_t kAttributeBytes = 4096;

}  // namespace

Task<Status> HostMemory::set(NvmeCommand& command) {
  if ((command.entry.dword11 & kEnableHostMemory) != 0) co_return co_await enable(command);
  if (!enabled_) co_return Status::Success;
  enabled_ = false;
  size_ = descriptors_ = 0;
  list_ = 0;
  const std::uint64_t before = returned_;
  letting_it_go_ = true;
  parts_.device.lend_host_memory(0, [this] {
    ++returned_;
    letting_it_go_ = false;
    letting_go_.wake_all();
  });
  while (returned_ == before) co_await letting_go_.wait();
  co_return Status::Success;
}

// The model keeps no bytes in the buffer (map entries have none), so only the addresses of its pieces are checked.
Task<Status> HostMemory::enable(NvmeCommand& command) {
  if (enabled_) co_return Status::SequenceError;
  const Entry& entry = command.entry;
  const std::uint32_t count = entry.dword15;
  const std::uint64_t list = (entry.dword13 & ~0xfU) | std::uint64_t{entry.dword14} << 32U;
  if (count == 0 || count > kMostDescriptors) co_return Status::InvalidField;
  std::vector<std::byte> bytes(std::size_t{count} * kDescriptorBytes);
  if (!co_await parts_.dma.read(list, bytes.data(), static_cast<std::uint32_t>(bytes.size())))
    co_return Status::DataTransferError;
  std::uint64_t pages = 0;
  for (std::size_t at = 0; at < bytes.size(); at += kDescriptorBytes) {
    if (get_field<std::uint64_t>(bytes.data(), at) % parts_.page_bytes != 0) co_return Status::InvalidField;
    pages += get_field<std::uint32_t>(bytes.data(), at + 8);
  }
  const std::uint64_t lent = entry.dword12 * std::uint64_t{parts_.page_bytes};
  if (pages != entry.dword12 || lent == 0 || lent < parts_.device.host_memory().minimum) co_return Status::InvalidField;
  enabled_ = true;
  size_ = entry.dword12;
  list_ = list;
  descriptors_ = count;
  parts_.device.lend_host_memory(lent, [] {});
  co_return Status::Success;
}

Task<Status> HostMemory::get(NvmeCommand& command) {
  command.take_buffer(kAttributeBytes);
  std::fill_n(command.data, kAttributeBytes, std::byte{0});
  put(command.data, 0, size_);
  put(command.data, 4, static_cast<std::uint32_t>(list_));
  put(command.data, 8, static_cast<std::uint32_t>(list_ >> 32U));
  put(command.data, 12, descriptors_);
  co_return co_await send_data(parts_, command, kAttributeBytes);
}

void HostMemory::reset() {
  letting_go_.forget();
  if (enabled_ || letting_it_go_) parts_.device.lose_host_memory();
  enabled_ = letting_it_go_ = false;
  size_ = descriptors_ = 0;
  list_ = 0;
}

}  // namespace flashloom::nvme

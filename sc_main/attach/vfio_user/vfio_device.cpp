#include "sc_main/attach/vfio_user/vfio_device.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace flashloom {
namespace {

using vfio::Command;
using vfio::DeviceInfo;
using vfio::DmaMap;
using vfio::DmaUnmap;
using vfio::IrqInfo;
using vfio::IrqSet;
using vfio::Message;
using vfio::RegionAccess;
using vfio::RegionInfo;
using vfio::Version;

constexpr std::uint64_t kConfigurationBytes = 4096;
constexpr std::uint32_t kReadWrite = 3;  // flags of a region

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return {reinterpret_cast<const std::byte*>(&value), sizeof value};
}

bool is_eventfd(const FileDescriptor& file) {
  std::array<char, 64> target{};
  const std::string link = "/proc/self/fd/" + std::to_string(file.number());
  const ssize_t n = ::readlink(link.c_str(), target.data(), target.size());
  return n > 0 && std::string_view(target.data(), static_cast<std::size_t>(n)) == "anon_inode:[eventfd]";
}

}  // namespace

void VfioDevice::attach(NvmeController& controller, int give_up) {
  controller_ = &controller;
  give_up_ = give_up;
  events_.resize(controller.vectors());
  controller.raise_vectors_by([this](std::uint32_t vector) { signal(vector); });
}

void VfioDevice::connect(VfioConnection& client) {
  client_ = &client;
  agreed_ = false;
}

void VfioDevice::disconnect() {
  client_ = nullptr;
  memory_.clear();
  release_vectors(0, static_cast<std::uint32_t>(events_.size()));
  controller_->function_reset();
}

void VfioDevice::carry_out(Message& request) {
  ++figures_.requests;
  const int error = answer(request);
  if (error == 0) return;
  ++figures_.refused;
  client_->refuse(request.header, error);
}

int VfioDevice::answer(Message& request) {
  const Command command = request.header.command;
  if (agreed_ == (command == Command::Version)) return EINVAL;  // it is the first request, and comes once
  switch (command) {
    case Command::Version:
      return version(request);
    case Command::DmaMap:
      return map(request);
    case Command::DmaUnmap:
      return unmap(request);
    case Command::GetInfo:
      return info(request);
    case Command::GetRegionInfo:
      return region_info(request);
    case Command::GetIrqInfo:
      return irq_info(request);
    case Command::SetIrqs:
      return set_irqs(request);
    case Command::RegionRead:
      return read(request);
    case Command::RegionWrite:
      return write(request);
    case Command::Reset:
      controller_->function_reset();
      client_->reply(request.header);
      return 0;
    case Command::GetRegionIoFds:
    case Command::DirtyPages:
    case Command::RegionWriteMulti:
    case Command::Feature:
    case Command::MigrationRead:
    case Command::MigrationWrite:
      return ENOTSUP;
    default:
      return EINVAL;
  }
}

int VfioDevice::version(const Message& request) {
  const auto proposed = request.as<Version>();
  if (!proposed || proposed->major != 0) return EINVAL;
  std::string_view text(reinterpret_cast<const char*>(request.body.data()) + sizeof(Version),
                        request.body.size() - sizeof(Version));
  if (!text.empty()) {
    if (text.back() != '\0') return EINVAL;
    text.remove_suffix(1);
    const auto data = nlohmann::json::parse(text, nullptr, false);
    if (!data.is_object()) return EINVAL;
    const auto capabilities = data.value("capabilities", nlohmann::json::object());
    if (!capabilities.is_object()) return EINVAL;
    if (const auto most = capabilities.find("max_data_xfer_size"); most != capabilities.end()) {
      if (!most->is_number_unsigned() || *most == 0U) return EINVAL;
      client_->limit_transfers(
          static_cast<std::uint32_t>(std::min<std::uint64_t>(most->get<std::uint64_t>(), vfio::kMostTransfer)));
    }
  }
  agreed_ = true;
  const nlohmann::json ours = {
      {"capabilities", {{"max_msg_fds", kMostDescriptors}, {"max_data_xfer_size", vfio::kMostTransfer}}}};
  const std::string words = ours.dump();
  const Version agreed{.major = 0, .minor = 0};
  client_->reply(request.header, bytes_of(agreed),
                 {reinterpret_cast<const std::byte*>(words.c_str()), words.size() + 1});
  return 0;
}

int VfioDevice::map(Message& request) {
  const auto window = request.as<DmaMap>();
  if (!window || window->argsz < sizeof *window || request.files.size() > 1) return EINVAL;
  const int error = memory_.map(*window, request.files.empty() ? FileDescriptor() : std::move(request.files.front()));
  if (error == 0) client_->reply(request.header);
  return error;
}

int VfioDevice::unmap(const Message& request) {
  const auto window = request.as<DmaUnmap>();
  if (!window || window->argsz < sizeof *window) return EINVAL;
  if ((window->flags & vfio::kGetDirtyBitmap) != 0) return ENOTSUP;
  if ((window->flags & ~vfio::kUnmapAll) != 0) return EINVAL;
  if ((window->flags & vfio::kUnmapAll) != 0) {
    if (window->address != 0 || window->bytes != 0) return EINVAL;
    memory_.clear();
  } else if (const int error = memory_.unmap(window->address, window->bytes); error != 0) {
    return error;
  }
  client_->reply(request.header, bytes_of(*window));
  return 0;
}

int VfioDevice::info(const Message& request) {
  const auto asked = request.as<DeviceInfo>();
  if (!asked || asked->argsz < sizeof *asked) return EINVAL;
  const DeviceInfo info{.argsz = sizeof info,
                        .flags = vfio::kDeviceResets | vfio::kDeviceIsPci,
                        .regions = vfio::kRegions,
                        .irqs = vfio::kIrqs};
  client_->reply(request.header, bytes_of(info));
  return 0;
}

std::uint64_t VfioDevice::region_bytes(std::uint32_t region) const {
  return region == vfio::kBar0 ? controller_->bar0_bytes() : region == vfio::kConfiguration ? kConfigurationBytes : 0;
}

int VfioDevice::region_info(const Message& request) {
  const auto asked = request.as<RegionInfo>();
  if (!asked || asked->argsz < sizeof *asked || asked->index >= vfio::kRegions) return EINVAL;
  const std::uint64_t bytes = region_bytes(asked->index);
  const RegionInfo info{.argsz = sizeof info,
                        .flags = bytes == 0 ? 0 : kReadWrite,
                        .index = asked->index,
                        .cap_offset = 0,
                        .bytes = bytes,
                        .offset = 0};
  client_->reply(request.header, bytes_of(info));
  return 0;
}

int VfioDevice::irq_info(const Message& request) {
  const auto asked = request.as<IrqInfo>();
  if (!asked || asked->argsz < sizeof *asked || asked->index >= vfio::kIrqs) return EINVAL;
  const bool msix = asked->index == vfio::kMsix;
  const IrqInfo info{.argsz = sizeof info,
                     .flags = msix ? vfio::kIrqEventfd | vfio::kIrqMaskable : 0,
                     .index = asked->index,
                     .count = msix ? static_cast<std::uint32_t>(events_.size()) : 0};
  client_->reply(request.header, bytes_of(info));
  return 0;
}

int VfioDevice::set_irqs(Message& request) {
  const auto set = request.as<IrqSet>();
  if (!set || set->argsz < sizeof *set || set->index >= vfio::kIrqs) return EINVAL;
  const std::uint32_t data = set->flags & (vfio::kDataNone | vfio::kDataBool | vfio::kDataEventfd);
  const std::uint32_t action = set->flags & (vfio::kActionMask | vfio::kActionUnmask | vfio::kActionTrigger);
  if (!std::has_single_bit(data) || !std::has_single_bit(action) || (data | action) != set->flags) return EINVAL;
  const auto vectors = set->index == vfio::kMsix ? static_cast<std::uint32_t>(events_.size()) : 0;
  if (set->start > vectors || set->count > vectors - set->start) return EINVAL;
  if (set->count == 0) {  // disables them all
    if (data != vfio::kDataNone || action != vfio::kActionTrigger || set->start != 0) return EINVAL;
    release_vectors(0, vectors);
  } else if (data == vfio::kDataEventfd) {
    if (action != vfio::kActionTrigger) return ENOTSUP;
    if (const int error = give_eventfds(request, set->start, set->count); error != 0) return error;
  } else {
    if (data == vfio::kDataBool && request.body.size() < sizeof *set + set->count) return EINVAL;
    for (std::uint32_t i = 0; i < set->count; ++i) {
      if (data == vfio::kDataBool && request.body[sizeof *set + i] == std::byte{0}) continue;
      if (action == vfio::kActionTrigger)
        signal(set->start + i);
      else
        controller_->mask_vector(set->start + i, action == vfio::kActionMask);
    }
  }
  client_->reply(request.header);
  return 0;
}

// Without eventfds: takes them back.
int VfioDevice::give_eventfds(Message& request, std::uint32_t start, std::uint32_t count) {
  if (request.files.empty()) {
    release_vectors(start, count);
    return 0;
  }
  if (request.files.size() != count || !std::all_of(request.files.begin(), request.files.end(), is_eventfd))
    return EINVAL;
  for (std::uint32_t i = 0; i < count; ++i) {
    events_[start + i] = std::move(request.files[i]);
    controller_->mask_vector(start + i, false);
  }
  return 0;
}

void VfioDevice::release_vectors(std::uint32_t start, std::uint32_t count) {
  for (std::uint32_t vector = start; vector < start + count; ++vector) {
    controller_->mask_vector(vector, true);
    events_[vector].close();
  }
}

void VfioDevice::signal(std::uint32_t vector) {
  const std::uint64_t one = 1;
  if (!events_[vector] || ::write(events_[vector].number(), &one, sizeof one) != sizeof one) return;
  ++figures_.interrupts;
  if (on_interrupt_) on_interrupt_();
}

int VfioDevice::read(const Message& request) {
  const auto access = request.as<RegionAccess>();
  if (!access || access->count > vfio::kMostTransfer) return EINVAL;
  data_.resize(access->count);
  if (!access_region(*access, false, data_.data())) return EINVAL;
  client_->reply(request.header, bytes_of(*access), data_);
  return 0;
}

int VfioDevice::write(Message& request) {
  const auto access = request.as<RegionAccess>();
  if (!access || request.body.size() - sizeof *access != access->count) return EINVAL;
  if (!access_region(*access, true, request.body.data() + sizeof *access)) return EINVAL;
  client_->reply(request.header, bytes_of(*access));
  return 0;
}

// Carries out an access as aligned ones of up to 8 bytes. BAR0 takes whole double words. False: nothing was done.
bool VfioDevice::access_region(const RegionAccess& access, bool write, std::byte* data) {
  const std::uint64_t end = access.region < vfio::kRegions ? region_bytes(access.region) : 0;
  const std::uint32_t least = access.region == vfio::kBar0 ? 4 : 1;
  if (access.count == 0 || access.offset >= end || access.count > end - access.offset || access.offset % least != 0 ||
      access.count % least != 0)
    return false;
  std::uint64_t offset = access.offset;
  for (std::uint32_t left = access.count; left != 0;) {
    std::uint32_t piece = 8;
    while (piece > left || offset % piece != 0) piece /= 2;
    this->access(access.region == vfio::kBar0 ? bar0 : configuration, write, offset,
                 reinterpret_cast<unsigned char*>(data), piece);
    offset += piece;
    data += piece;
    left -= piece;
  }
  return true;
}

tlm::tlm_response_status VfioDevice::reach_memory(tlm::tlm_generic_payload& transaction) {
  if (transaction.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  const bool write = transaction.is_write();
  std::uint64_t address = transaction.get_address();
  auto* data = reinterpret_cast<std::byte*>(transaction.get_data_ptr());
  // A completion entry must not be seen before the data that were moved before it.
  if (write) std::atomic_thread_fence(std::memory_order_release);
  for (std::uint64_t left = transaction.get_data_length(); left != 0;) {
    const auto piece = memory_.at(address, left, write);
    if (!piece) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    if (data != nullptr) {
      if (piece->place == nullptr) {
        if (!client_->transfer(write, address, data, piece->bytes, give_up_)) return tlm::TLM_GENERIC_ERROR_RESPONSE;
      } else if (!(write ? copy_shared(piece->place, data, piece->bytes)
                         : copy_shared(data, piece->place, piece->bytes))) {
        return tlm::TLM_ADDRESS_ERROR_RESPONSE;
      }
      data += piece->bytes;
    }
    address += piece->bytes;
    left -= piece->bytes;
  }
  return tlm::TLM_OK_RESPONSE;
}

}  // namespace flashloom

#include "controllers/nvme/pci_configuration.hpp"

#include <algorithm>
#include <cstring>

namespace flashloom::nvme {
namespace {

// An identity of our own that no operating system has a quirk for: 1d1d is CNEX Labs', of which Linux knows 1f1f, 2807
// and 2601 (drivers/nvme/host/pci.c).
constexpr std::uint16_t kVendor = 0x1d1d;
constexpr std::uint16_t kDevice = 0xf1a5;
constexpr std::uint32_t kClass = 0x010802;  // mass storage, non-volatile memory, NVMe

constexpr std::uint32_t kCommand = 0x04;
constexpr std::uint16_t kMemorySpace = 1U << 1U;
constexpr std::uint16_t kBusMaster = 1U << 2U;
constexpr std::uint16_t kCommandWritable = kMemorySpace | kBusMaster | 1U << 6U | 1U << 8U | 1U << 10U;
constexpr std::uint32_t kBar0 = 0x10;

constexpr std::uint32_t kPower = 0x40;  // capabilities
constexpr std::uint32_t kVectors = 0x50;
constexpr std::uint32_t kExpress = 0x60;
constexpr std::uint32_t kDeviceControl = kExpress + 0x08;
constexpr std::uint16_t kInitiateReset = 1U << 15U;  // Function Level Reset; reads as 0
constexpr std::uint32_t kVectorControl = kVectors + 2;
constexpr std::uint16_t kVectorsEnable = 1U << 15U;
constexpr std::uint16_t kFunctionMask = 1U << 14U;

}  // namespace

template <class T>
void PciConfiguration::put(std::uint32_t offset, T value, T writable) {
  std::memcpy(first_.data() + offset, &value, sizeof value);
  std::memcpy(writable_.data() + offset, &writable, sizeof writable);
}

PciConfiguration::PciConfiguration(const Shape& shape) {
  put<std::uint16_t>(0x00, kVendor);
  put<std::uint16_t>(0x02, kDevice);
  put<std::uint16_t>(kCommand, 0, kCommandWritable);
  put<std::uint16_t>(0x06, 1U << 4U);  // status: there are capabilities
  put<std::uint32_t>(0x08, kClass << 8U | 1U);
  put<std::uint8_t>(0x0c, 0, 0xff);  // cache line: no meaning, writable
  // 64 bits, not prefetchable. What decodes an address within the BAR reads as 0, so that all ones show its size.
  put<std::uint64_t>(kBar0, 0x4, ~(shape.bar_bytes - 1));
  put<std::uint16_t>(0x2c, kVendor);
  put<std::uint16_t>(0x2e, kDevice);
  put<std::uint8_t>(0x34, kPower);
  put<std::uint8_t>(0x3c, 0, 0xff);  // interrupt line; there is no pin

  put<std::uint16_t>(kPower, 0x01 | kVectors << 8U);
  put<std::uint16_t>(kPower + 2, 0x0003);          // version 3, no PME
  put<std::uint16_t>(kPower + 4, 1U << 3U, 0x3U);  // No Soft Reset; the state

  put<std::uint16_t>(kVectors, 0x11 | kExpress << 8U);
  put<std::uint16_t>(kVectorControl, static_cast<std::uint16_t>(shape.vectors - 1), kVectorsEnable | kFunctionMask);
  put<std::uint32_t>(kVectors + 4, shape.table_first);
  put<std::uint32_t>(kVectors + 8, shape.pending_first);

  put<std::uint16_t>(kExpress, 0x10);
  put<std::uint16_t>(kExpress + 0x02, 0x0002);  // version 2, endpoint
  // Function Level Reset, role-based errors, payloads up to 256 bytes
  put<std::uint32_t>(kExpress + 0x04, 1U << 28U | 1U << 15U | 0x1);
  put<std::uint16_t>(kDeviceControl, 0x2810, static_cast<std::uint16_t>(~kInitiateReset));
  put<std::uint32_t>(kExpress + 0x0c, 0x00000043);  // 8 GT/s, 4 lanes
  put<std::uint16_t>(kExpress + 0x10, 0, 0x01c3);
  put<std::uint16_t>(kExpress + 0x12, 0x0043);
  put<std::uint32_t>(kExpress + 0x24, 0x10);  // completion timeout can be disabled
  put<std::uint16_t>(kExpress + 0x28, 0, 0x001f);
  put<std::uint32_t>(kExpress + 0x2c, 0x0000000e);
  put<std::uint16_t>(kExpress + 0x30, 0x0003, 0x000f);
  reset();
}

void PciConfiguration::reset() { values_ = first_; }

void PciConfiguration::read(std::uint32_t offset, std::byte* into, std::uint32_t bytes) const {
  for (std::uint32_t i = 0; i < bytes; ++i) into[i] = offset + i < values_.size() ? values_[offset + i] : std::byte{0};
}

bool PciConfiguration::write(std::uint32_t offset, const std::byte* from, std::uint32_t bytes) {
  for (std::uint32_t i = 0; i < bytes && offset + i < values_.size(); ++i) {
    const std::byte mask = writable_[offset + i];
    values_[offset + i] = (values_[offset + i] & ~mask) | (from[i] & mask);
  }
  const std::uint32_t high = kDeviceControl + 1 - offset;  // wraps before the write
  return high < bytes && (std::to_integer<unsigned>(from[high]) & kInitiateReset >> 8U) != 0;
}

std::uint32_t PciConfiguration::power_state() const { return std::to_integer<std::uint32_t>(values_[kPower + 4]) & 3U; }

bool PciConfiguration::answers() const {
  return (std::to_integer<unsigned>(values_[kCommand]) & kMemorySpace) != 0 && power_state() == 0;
}

bool PciConfiguration::bus_master() const {
  return (std::to_integer<unsigned>(values_[kCommand]) & kBusMaster) != 0 && power_state() == 0;
}

bool PciConfiguration::vectors_enabled() const {
  return (std::to_integer<unsigned>(values_[kVectorControl + 1]) & kVectorsEnable >> 8U) != 0;
}

bool PciConfiguration::vectors_masked() const {
  return (std::to_integer<unsigned>(values_[kVectorControl + 1]) & kFunctionMask >> 8U) != 0;
}

}  // namespace flashloom::nvme

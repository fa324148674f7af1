// Messages of the vfio-user protocol, version 0.0. Source: QEMU, docs/interop/vfio-user.rst; the flags are those of
// Linux, include/uapi/linux/vfio.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include "sc_main/attach/linux/file_descriptor.hpp"

namespace flashloom::vfio {

enum class Command : std::uint16_t {
  Version = 1,
  DmaMap = 2,
  DmaUnmap = 3,
  GetInfo = 4,
  GetRegionInfo = 5,
  GetRegionIoFds = 6,
  GetIrqInfo = 7,
  SetIrqs = 8,
  RegionRead = 9,
  RegionWrite = 10,
  DmaRead = 11,  ///< from the server, as the next one
  DmaWrite = 12,
  Reset = 13,
  DirtyPages = 14,  ///< of older clients (libvfio-user)
  RegionWriteMulti = 15,
  Feature = 16,
  MigrationRead = 17,
  MigrationWrite = 18,
};

struct Header {
  std::uint16_t id;
  Command command;
  std::uint32_t size;  ///< bytes of the message, with the header
  std::uint32_t flags;
  std::uint32_t error;  ///< errno
};
static_assert(sizeof(Header) == 16);

inline constexpr std::uint32_t kType = 0xf;  // flags of a header
inline constexpr std::uint32_t kRequest = 0;
inline constexpr std::uint32_t kReply = 1;
inline constexpr std::uint32_t kNoReply = 1U << 4U;
inline constexpr std::uint32_t kError = 1U << 5U;

struct Version {  ///< followed by capabilities: JSON, with a NUL behind it
  std::uint16_t major;
  std::uint16_t minor;
};

struct DmaMap {
  std::uint32_t argsz;
  std::uint32_t flags;
  std::uint64_t offset;
  std::uint64_t address;
  std::uint64_t bytes;
};
inline constexpr std::uint32_t kReadable = 1;
inline constexpr std::uint32_t kWritable = 2;
inline constexpr std::uint32_t kMappable = 4;  // libvfio-user; a descriptor says the same

struct DmaUnmap {
  std::uint32_t argsz;
  std::uint32_t flags;
  std::uint64_t address;
  std::uint64_t bytes;
};
inline constexpr std::uint32_t kGetDirtyBitmap = 1;
inline constexpr std::uint32_t kUnmapAll = 2;

struct DeviceInfo {
  std::uint32_t argsz;
  std::uint32_t flags;
  std::uint32_t regions;
  std::uint32_t irqs;
};
inline constexpr std::uint32_t kDeviceResets = 1;
inline constexpr std::uint32_t kDeviceIsPci = 2;

struct RegionInfo {
  std::uint32_t argsz;
  std::uint32_t flags;
  std::uint32_t index;
  std::uint32_t cap_offset;
  std::uint64_t bytes;
  std::uint64_t offset;
};
inline constexpr std::uint32_t kRegions = 9;  // of PCI: BARs 0 to 5, ROM, configuration, VGA
inline constexpr std::uint32_t kBar0 = 0;
inline constexpr std::uint32_t kConfiguration = 7;

struct IrqInfo {
  std::uint32_t argsz;
  std::uint32_t flags;
  std::uint32_t index;
  std::uint32_t count;
};
inline constexpr std::uint32_t kIrqs = 5;  // of PCI: INTx, MSI, MSI-X, errors, requests
inline constexpr std::uint32_t kMsix = 2;
inline constexpr std::uint32_t kIrqEventfd = 1;
inline constexpr std::uint32_t kIrqMaskable = 2;

struct IrqSet {  ///< followed by a byte an interrupt, if the data are booleans
  std::uint32_t argsz;
  std::uint32_t flags;
  std::uint32_t index;
  std::uint32_t start;
  std::uint32_t count;
};
inline constexpr std::uint32_t kDataNone = 1;
inline constexpr std::uint32_t kDataBool = 2;
inline constexpr std::uint32_t kDataEventfd = 4;
inline constexpr std::uint32_t kActionMask = 8;
inline constexpr std::uint32_t kActionUnmask = 16;
inline constexpr std::uint32_t kActionTrigger = 32;

struct RegionAccess {  ///< followed by the data
  std::uint64_t offset;
  std::uint32_t region;
  std::uint32_t count;
};

struct DmaAccess {  ///< followed by the data
  std::uint64_t address;
  std::uint64_t count;
};

inline constexpr std::uint32_t kMostTransfer = 1U << 20U;  ///< bytes of data in a message: the protocol's default

struct Message {
  Header header{};
  std::vector<std::byte> body{};
  std::vector<FileDescriptor> files{};

  /// The structure that the body begins with; none if the body is shorter.
  template <class T>
  std::optional<T> as() const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (body.size() < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, body.data(), sizeof value);
    return value;
  }
};

}  // namespace flashloom::vfio

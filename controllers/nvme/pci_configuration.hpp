// PCI configuration space of the controller: type 0 header, power management, MSI-X, PCI Express.
// Sources: PCI Local Bus Specification 3.0, chapter 6; PCI Express Base Specification 4.0, chapter 7.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace flashloom::nvme {

class PciConfiguration {
 public:
  static constexpr std::uint32_t kSpace = 4096;  ///< bytes; the first 256 mean something, the others read as zero

  struct Shape {
    std::uint64_t bar_bytes;
    std::uint32_t vectors;      ///< of MSI-X
    std::uint32_t table_first;  ///< offset in BAR0
    std::uint32_t pending_first;
  };
  explicit PciConfiguration(const Shape& shape);

  /// `bytes` from `offset` on, both within the space.
  void read(std::uint32_t offset, std::byte* into, std::uint32_t bytes) const;
  /// What may not be written stays as it is. Whether Initiate Function Level Reset was written, which reset() must follow.
  bool write(std::uint32_t offset, const std::byte* from, std::uint32_t bytes);
  /// Power was off, or the function was reset: all that is writable is as it was at first.
  void reset();

  bool answers() const;     ///< Memory Space Enable, in D0
  bool bus_master() const;  ///< Bus Master Enable, in D0
  bool vectors_enabled() const;
  bool vectors_masked() const;  ///< all of them: Function Mask

 private:
  template <class T>
  void put(std::uint32_t offset, T value, T writable = 0);
  std::uint32_t power_state() const;

  std::array<std::byte, 256> first_{};
  std::array<std::byte, 256> values_{};
  std::array<std::byte, 256> writable_{};
};

}  // namespace flashloom::nvme

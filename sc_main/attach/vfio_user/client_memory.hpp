// Memory that a client of vfio-user lends for DMA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "sc_main/attach/linux/guest_memory.hpp"
#include "sc_main/attach/vfio_user/vfio_messages.hpp"

namespace flashloom {

/// Copies to or from a client's memory. False: the client has shortened its file, and some of the bytes are gone.
bool copy_shared(std::byte* to, const std::byte* from, std::size_t bytes);

/// Windows of DMA addresses, which do not overlap. Those that came without a file are reached by messages.
class ClientMemory {
 public:
  /// `file`: may be none. Returns an errno, 0 for success.
  int map(const vfio::DmaMap& request, const FileDescriptor& file);
  /// Removes the windows that lie in there: one at least, and none that is partly in there. As of Linux, VFIO_TYPE1v2_IOMMU:
  /// QEMU takes back at once what an IOMMU of its guest has mapped. Returns an errno.
  int unmap(std::uint64_t address, std::uint64_t bytes);
  void clear() { windows_.clear(); }

  struct Piece {
    std::byte* place;  ///< null: by messages
    std::uint64_t bytes;
  };
  /// What one window has of `bytes` at `address`; none: no window, or one without that permission.
  std::optional<Piece> at(std::uint64_t address, std::uint64_t bytes, bool write) const;

 private:
  struct Window {
    std::uint64_t bytes;
    std::uint32_t flags;
    std::optional<SharedMapping> mapping;
  };
  std::map<std::uint64_t, Window> windows_;  // by address
};

}  // namespace flashloom

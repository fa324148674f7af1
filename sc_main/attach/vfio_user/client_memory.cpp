#include "sc_main/attach/vfio_user/client_memory.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace flashloom {
namespace {

constexpr std::size_t kMostWindows = 65535;  // the protocol's default

// The file has these bytes: an access behind its end would end the process.
bool covers(const FileDescriptor& file, std::uint64_t offset, std::uint64_t bytes) {
  struct stat status {};
  if (::fstat(file.number(), &status) != 0 || status.st_size < 0) return false;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  return offset <= size && bytes <= size - offset;
}

}  // namespace

int ClientMemory::map(const vfio::DmaMap& request, const FileDescriptor& file) {
  constexpr std::uint32_t kAccess = vfio::kReadable | vfio::kWritable;
  if (request.bytes == 0 || request.address + (request.bytes - 1) < request.address || (request.flags & kAccess) == 0 ||
      (request.flags & ~(kAccess | vfio::kMappable)) != 0)
    return EINVAL;
  const auto next = windows_.upper_bound(request.address);
  if (next != windows_.end() && next->first - request.address < request.bytes) return EEXIST;
  if (next != windows_.begin() && request.address - std::prev(next)->first < std::prev(next)->second.bytes)
    return EEXIST;
  if (windows_.size() >= kMostWindows) return ENOSPC;
  Window window{request.bytes, request.flags, std::nullopt};
  if (file) {
    if (!covers(file, request.offset, request.bytes)) return EINVAL;
    try {
      window.mapping.emplace(file, request.bytes, request.offset, (request.flags & vfio::kWritable) != 0);
    } catch (const std::system_error& error) {
      return error.code().value();
    }
  }
  windows_.emplace(request.address, std::move(window));
  return 0;
}

int ClientMemory::unmap(std::uint64_t address, std::uint64_t bytes) {
  const auto window = windows_.find(address);
  if (window == windows_.end() || window->second.bytes != bytes) return ENOENT;
  windows_.erase(window);
  return 0;
}

std::optional<ClientMemory::Piece> ClientMemory::at(std::uint64_t address, std::uint64_t bytes, bool write) const {
  auto next = windows_.upper_bound(address);
  if (next == windows_.begin()) return std::nullopt;
  const auto& [begin, window] = *--next;
  const std::uint64_t offset = address - begin;
  if (offset >= window.bytes || (window.flags & (write ? vfio::kWritable : vfio::kReadable)) == 0) return std::nullopt;
  return Piece{window.mapping ? window.mapping->begin() + offset : nullptr, std::min(bytes, window.bytes - offset)};
}

}  // namespace flashloom

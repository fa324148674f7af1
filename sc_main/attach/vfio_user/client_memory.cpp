#include "sc_main/attach/vfio_user/client_memory.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

namespace flashloom {
namespace {

constexpr std::size_t kMostWindows = 65535;  // the protocol's default

// Whether the file has these bytes.
bool covers(const FileDescriptor& file, std::uint64_t offset, std::uint64_t bytes) {
  struct stat status {};
  if (::fstat(file.number(), &status) != 0 || status.st_size < 0) return false;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  return offset <= size && bytes <= size - offset;
}

sigjmp_buf copying;                       // where a copy goes on after SIGBUS
volatile std::sig_atomic_t is_copying{};  // SIGBUS is of a copy

void on_bus_error(int signal) {
  if (is_copying != 0) siglongjmp(copying, 1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

bool copy_shared(std::byte* to, const std::byte* from, std::size_t bytes) {
  [[maybe_unused]] static const bool handled = [] {
    struct sigaction action {};
    action.sa_handler = on_bus_error;
    action.sa_flags = SA_NODEFER;  // the jump restores no mask
    return ::sigaction(SIGBUS, &action, nullptr) == 0;
  }();
  const bool is_there = sigsetjmp(copying, 0) == 0;
  is_copying = is_there ? 1 : 0;
  if (is_there) std::memcpy(to, from, bytes);
  is_copying = 0;
  return is_there;
}

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
  const auto first = windows_.lower_bound(address);
  auto end = first;
  while (end != windows_.end() && end->first - address < bytes) {
    if (end->second.bytes > bytes - (end->first - address)) return ENOENT;
    ++end;
  }
  if (first == end) return ENOENT;
  if (first != windows_.begin() && address - std::prev(first)->first < std::prev(first)->second.bytes) return ENOENT;
  windows_.erase(first, end);
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

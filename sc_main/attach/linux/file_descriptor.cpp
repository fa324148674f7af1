#include "sc_main/attach/linux/file_descriptor.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace flashloom {
namespace {

[[noreturn]] void fail_socket(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// Whether errno is that of a socket whose peer has closed.
bool peer_is_gone() { return errno == ECONNRESET || errno == EPIPE; }

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    close();
    number_ = std::exchange(other.number_, -1);
  }
  return *this;
}

void FileDescriptor::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

std::pair<FileDescriptor, FileDescriptor> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_socket("pipe");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

FileDescriptor listen_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error(path + ": too long for the path of a socket");
  std::copy(path.begin(), path.end(), address.sun_path);
  FileDescriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!listener || ::bind(listener.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener.number(), 1) != 0)
    fail_socket(path);
  return listener;
}

FileDescriptor accept_from(const FileDescriptor& listener) {
  for (;;) {
    FileDescriptor connection(::accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (connection) return connection;
    if (errno != EINTR) fail_socket("accept");
  }
}

bool read_whole(int socket, void* into, std::size_t bytes) {
  auto* at = static_cast<char*>(into);
  while (bytes != 0) {
    const ssize_t n = ::read(socket, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0 || (n < 0 && peer_is_gone())) return false;
    if (n < 0) fail_socket("read from the guest");
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

ssize_t receive_some(int socket, void* into, std::size_t bytes, std::vector<FileDescriptor>& descriptors, int flags) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMostDescriptors)> control{};
  iovec piece{into, bytes};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t n = -1;
  do n = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | flags);
  while (n < 0 && errno == EINTR);
  if (n <= 0) return n;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(part) + i * sizeof(int), sizeof number);
      descriptors.emplace_back(number);
    }
  }
  return n;
}

bool read_whole(int socket, void* into, std::size_t bytes, std::vector<FileDescriptor>& descriptors) {
  const ssize_t n = receive_some(socket, into, bytes, descriptors);
  if (n == 0 || (n < 0 && peer_is_gone())) return false;
  if (n < 0) fail_socket("read from the guest");
  return read_whole(socket, static_cast<char*>(into) + n, bytes - static_cast<std::size_t>(n));
}

bool write_whole(int socket, const void* from, std::size_t bytes, std::span<const int> descriptors) {
  const auto* at = static_cast<const char*>(from);
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMostDescriptors)> control{};
  while (bytes != 0) {
    iovec piece{const_cast<char*>(at), bytes};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
      message.msg_control = control.data();
      message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
      cmsghdr* const part = CMSG_FIRSTHDR(&message);
      part->cmsg_level = SOL_SOCKET;
      part->cmsg_type = SCM_RIGHTS;
      part->cmsg_len = CMSG_LEN(descriptors.size_bytes());
      std::memcpy(CMSG_DATA(part), descriptors.data(), descriptors.size_bytes());
    }
    const ssize_t n = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && peer_is_gone()) return false;
    if (n < 0) fail_socket("write to the guest");
    descriptors = {};
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace flashloom

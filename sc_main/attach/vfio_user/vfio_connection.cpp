#include "sc_main/attach/vfio_user/vfio_connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "sc_main/attach/serve/wall_pace.hpp"

namespace flashloom {
namespace {

using vfio::Header;

constexpr std::size_t kMostBody = vfio::kMostTransfer + 4096;
constexpr std::int64_t kClientPatience = 5'000'000'000;  // ns of wall time for a client to answer

}  // namespace

void VfioConnection::close() {
  write_out();
  open_ = false;
}

std::optional<vfio::Message> VfioConnection::take() {
  while (requests_.empty() && listens() && read_some()) {
  }
  if (requests_.empty()) return std::nullopt;
  std::optional<vfio::Message> message(std::move(requests_.front()));
  requests_.pop_front();
  return message;
}

// Reads a part of the incoming message, and never of the next one, whose file descriptors would be mistaken for those of
// this one. False: nothing is there.
bool VfioConnection::read_some() {
  const bool of_header = read_ < sizeof(Header);
  std::byte* const into = of_header ? reinterpret_cast<std::byte*>(&incoming_.header) + read_
                                    : incoming_.body.data() + (read_ - sizeof(Header));
  const std::size_t whole = of_header ? sizeof(Header) : incoming_.header.size;
  const ssize_t n = receive_some(socket(), into, whole - read_, incoming_.files, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  if (n <= 0) {
    open_ = false;
    return false;
  }
  read_ += static_cast<std::size_t>(n);
  if (read_ < whole) return true;
  if (of_header) {
    const Header header = incoming_.header;
    if (header.size < sizeof(Header) || header.size - sizeof(Header) > kMostBody) {
      refuse(header, EINVAL);  // where the next message would begin is not known
      close();
      return false;
    }
    incoming_.body.resize(header.size - sizeof(Header));
  }
  if (read_ == incoming_.header.size) finish_message();
  return true;
}

void VfioConnection::finish_message() {
  vfio::Message message = std::exchange(incoming_, {});
  read_ = 0;
  const std::uint32_t type = message.header.flags & vfio::kType;
  if (type == vfio::kRequest) {
    requests_.push_back(std::move(message));
  } else if (type != vfio::kReply) {
    refuse(message.header, EINVAL);
  } else if (awaited_ == message.header.id) {  // else it comes too late
    awaited_.reset();
    replied_ = std::move(message);
  }
}

void VfioConnection::put(const void* from, std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(from);
  output_.insert(output_.end(), begin, begin + bytes);
}

void VfioConnection::reply(const Header& to, std::span<const std::byte> head, std::span<const std::byte> data) {
  if ((to.flags & vfio::kNoReply) != 0) return;
  const Header header{.id = to.id,
                      .command = to.command,
                      .size = static_cast<std::uint32_t>(sizeof(Header) + head.size() + data.size()),
                      .flags = vfio::kReply,
                      .error = 0};
  put(&header, sizeof header);
  put(head.data(), head.size());
  put(data.data(), data.size());
}

void VfioConnection::refuse(const Header& to, int error) {
  if ((to.flags & vfio::kNoReply) != 0) return;
  const Header header{.id = to.id,
                      .command = to.command,
                      .size = sizeof(Header),
                      .flags = vfio::kReply | vfio::kError,
                      .error = static_cast<std::uint32_t>(error)};
  put(&header, sizeof header);
}

void VfioConnection::write_out() {
  while (unsent() && open_) {
    const ssize_t n = ::send(socket(), output_.data() + sent_, output_.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n <= 0) {
      open_ = false;
      break;
    }
    sent_ += static_cast<std::size_t>(n);
  }
  output_.clear();
  sent_ = 0;
}

bool VfioConnection::transfer(bool write, std::uint64_t address, std::byte* data, std::uint64_t bytes, int give_up) {
  while (bytes != 0) {
    const auto piece = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, transfer_limit_));
    if (!ask(write, address, data, piece, give_up)) return false;
    address += piece;
    data += piece;
    bytes -= piece;
  }
  return true;
}

bool VfioConnection::ask(bool write, std::uint64_t address, std::byte* data, std::uint32_t bytes, int give_up) {
  if (!open_ || mute_) return false;
  const vfio::DmaAccess access{.address = address, .count = bytes};
  const Header header{.id = ++last_id_,
                      .command = write ? vfio::Command::DmaWrite : vfio::Command::DmaRead,
                      .size = static_cast<std::uint32_t>(sizeof(Header) + sizeof access + (write ? bytes : 0)),
                      .flags = vfio::kRequest,
                      .error = 0};
  put(&header, sizeof header);
  put(&access, sizeof access);
  if (write) put(data, bytes);
  awaited_ = header.id;
  if (!await_reply(give_up)) {
    awaited_.reset();
    return false;
  }
  const vfio::Message reply = *std::exchange(replied_, std::nullopt);
  if ((reply.header.flags & vfio::kError) != 0 || reply.header.command != header.command) return false;
  if (write) return true;
  if (reply.body.size() != sizeof access + bytes) return false;
  std::copy_n(reply.body.data() + sizeof access, bytes, data);
  return true;
}

bool VfioConnection::await_reply(int give_up) {
  const std::int64_t until = wall_now() + kClientPatience;
  for (;;) {
    write_out();
    while (!replied_ && open_ && read_some()) {
    }
    if (replied_) return true;
    if (!open_) return false;
    const std::int64_t left = until - wall_now();
    if (left <= 0) {
      mute_ = true;
      return false;
    }
    pollfd waits[] = {{socket(), static_cast<short>(unsent() ? POLLIN | POLLOUT : POLLIN), 0}, {give_up, POLLIN, 0}};
    ::poll(waits, 2, static_cast<int>(left / 1'000'000) + 1);
    if (waits[1].revents != 0) return false;
  }
}

}  // namespace flashloom

#include "sc_main/attach/vfio_user/vfio_front.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace flashloom {
namespace {

constexpr Picoseconds kLook = 100 * kMicrosecond;  // without completions

}  // namespace

VfioFront::VfioFront(std::int64_t gather_ns, std::optional<WallPace> pace, VfioDevice& device,
                     NvmeController& controller, HostDriver& host)
    : ServedFront(gather_ns, pace), device_(device), controller_(controller), host_(host) {
  controller_.on_completion([this] {
    answered();
    complete();
  });
  device_.on_interrupt([this] { complete(); });
}

void VfioFront::start(const FileDescriptor& listener, std::vector<int> interrupts,
                      std::function<bool(int)> interrupted) {
  listener_ = listener.number();
  ::fcntl(listener_, F_SETFL, O_NONBLOCK);
  listen(std::move(interrupts), std::move(interrupted));
}

VfioFront::Work VfioFront::work() const {
  const NvmeController::Work work = controller_.work();
  // If nothing is due, commands wait for the client: for room in a completion queue.
  const Picoseconds next = TimeLoop::instance().next();
  const bool certain = work.interrupts || work.io == 0;
  return {.in_flight = work.io,
          .any = work.any && next != kNever,
          .certain = certain,
          .again = certain ? next : std::max(next, kernel_now() + kLook)};
}

pollfd VfioFront::channel() const {
  if (!client_) return {listener_, POLLIN, 0};
  return {client_->socket(), static_cast<short>((client_->listens() ? POLLIN : 0) | (client_->unsent() ? POLLOUT : 0)),
          0};
}

VfioFront::Heard VfioFront::heard(short events) {
  if (client_) client_->write_out();
  return (events & ~POLLOUT) != 0 ? Heard::Input : Heard::Nothing;
}

bool VfioFront::receive() {
  if (closing()) {
    if (client_) drop_client();
    return false;
  }
  if (!client_) {
    FileDescriptor socket(::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket) return false;
    client_.emplace(std::move(socket));
    ++clients_;
    device_.connect(*client_);
    return true;
  }
  if (auto request = client_->take()) {
    device_.carry_out(*request);
    client_->write_out();
    return true;
  }
  if (client_->open()) return false;
  drop_client();
  return true;
}

void VfioFront::drop_client() {
  client_->close();
  device_.disconnect();
  client_.reset();
}

}  // namespace flashloom

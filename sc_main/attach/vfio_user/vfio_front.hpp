// Serves the clients of vfio-user, one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "controllers/host/host_driver.hpp"
#include "controllers/nvme/nvme_controller.hpp"
#include "sc_main/attach/serve/served_front.hpp"
#include "sc_main/attach/vfio_user/vfio_connection.hpp"
#include "sc_main/attach/vfio_user/vfio_device.hpp"

namespace flashloom {

/// With a pace, an answer is a completion entry.
class VfioFront final : public ServedFront {
 public:
  /// `device` is attached to `controller`, which sends commands as job 0 of `host`.
  VfioFront(std::int64_t gather_ns, std::optional<WallPace> pace, VfioDevice& device, NvmeController& controller,
            HostDriver& host);

  /// Listens at `listener` from the begin of the run until close(). See ServedFront::listen().
  void start(const FileDescriptor& listener, std::vector<int> interrupts, std::function<bool(int)> interrupted);
  std::uint64_t clients() const { return clients_; }

 private:
  Work work() const override;
  bool open() const override { return !closing(); }
  pollfd channel() const override;
  Heard heard(short events) override;
  void answer() override {}  // the controller has written to the client's memory
  bool receive() override;
  void finish() override { host_.end_front(0); }
  void drop_client();

  VfioDevice& device_;
  NvmeController& controller_;
  HostDriver& host_;
  int listener_ = -1;
  std::optional<VfioConnection> client_;
  std::uint64_t clients_ = 0;
};

}  // namespace flashloom

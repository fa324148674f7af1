// A simulation with an NVMe controller in front, and a host that drives it.
#pragma once

#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "controllers/nvme/little_endian.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/in_child.hpp"
#include "tests/support/nvme_host.hpp"

namespace flashloom {

struct NvmeBench {
  explicit NvmeBench(const DeviceConfig& device, const NvmeHost::Options& options = {}, bool bytes = true)
      : config(device),
        simulation(config, {.foreign_modules = true, .bytes = bytes}),
        system(config, simulation),
        host("platform", system.controller(), options) {}

  /// Runs `body` as the driver; rethrows its exception here.
  void run(const std::function<void()>& body) {
    std::exception_ptr failure;
    host.start(
        [&] {
          try {
            body();
          } catch (...) {
            failure = std::current_exception();
          }
        },
        [this] { simulation.host().end_front(0); });
    std::vector<HostJob> jobs;
    jobs.push_back(system.job());
    simulation.run(std::move(jobs));
    if (failure) std::rethrow_exception(failure);
  }
  /// Like run(), with the controller enabled and I/O queues created.
  void run_ready(const std::function<void()>& body, std::uint32_t queues = 1, std::uint32_t entries = 64) {
    run([&] {
      host.set_up_pci();
      if (!host.enable()) throw std::runtime_error("the controller does not get ready");
      host.create_queues(queues, entries);
      body();
    });
  }

  DeviceConfig config;
  Simulation simulation;
  NvmeSystem system;
  NvmeHost host;
};

/// Fills the buffer with a pattern that depends on the seed.
inline void fill_bytes(std::byte* data, std::size_t bytes, unsigned seed) {
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>((i * 31 + seed * 17 + i / 251) & 0xff);
}

inline int number_of(nvme::Status status) { return static_cast<int>(status); }

}  // namespace flashloom

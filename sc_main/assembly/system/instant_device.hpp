// A device on the instant clock alone: firmware over instant flash, without a simulation kernel.
#pragma once

#include <memory>
#include <stdexcept>
#include <vector>

#include "controllers/flash/cut_flash.hpp"
#include "controllers/ftl/features/compression/compressor.hpp"
#include "controllers/ftl/features/fdp/handles/fdp_events.hpp"
#include "controllers/ftl/recovery/recovery_method.hpp"
#include "controllers/hardware/drive_faults.hpp"
#include "controllers/hardware/hardware.hpp"
#include "controllers/hardware/host_memory_buffer.hpp"
#include "controllers/host/instant_host.hpp"
#include "controllers/runtime/runtime.hpp"
#include "controllers/ssd/firmware.hpp"
#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/config/device_geometry.hpp"

namespace flashloom {

/// Zone size of a device in bytes; 0: it has no zones.
inline std::uint64_t zone_bytes(const Firmware& firmware) {
  return firmware.zones() == nullptr
             ? 0
             : std::uint64_t{firmware.zones()->table().shape().zone_size} * firmware.unit_bytes();
}

class InstantDevice {
 public:
  /// `keep_versions`: must be true for restart() and boot().
  explicit InstantDevice(const DeviceConfig& device, bool keep_versions = true)
      : config(device),
        geometry(geometry_of(config)),
        timing(config.nand, geometry, config.seed),
        media(geometry, config.nand.in_order_program,
              config.verify ? config.ftl.mapping_unit / config.host_interface.sector_size : 0,
              BlockEndurance(config.nand, config.seed), tested_block_times(config.nand, geometry)),
        flash(media, timing),
        ecc(with_errors()),
        cuts(flash, media),
        hardware(cuts),
        faults(with_faults()),
        fdp_events(with_fdp_events()),
        host_memory(with_host_memory()),
        compressor(with_compressor()),
        firmware(first_firmware(keep_versions)) {
    if (config.verify)
      oracle = std::make_unique<Oracle>(
          Oracle::Shape{.capacity_bytes = firmware->capacity_bytes(),
                        .sector_bytes = config.host_interface.sector_size,
                        .unit_bytes = config.ftl.mapping_unit,
                        .durable_writes = config.buffer.mode == "write_through" || config.buffer.location == "nvram",
                        .power_cuts = true,
                        .durable_trims = config.buffer.location == "nvram",
                        .zone_bytes = zone_bytes(*firmware),
                        .atomic_units = true});
  }
  ~InstantDevice() { runtime.destroy_frames(); }
  InstantDevice(const InstantDevice&) = delete;
  InstantDevice& operator=(const InstantDevice&) = delete;

  InstantHost host() { return {runtime, *firmware, config.host_interface.sector_size, oracle.get()}; }
  IoStatus run(const Request& request) { return host().run(request); }
  void write(std::uint64_t offset, std::uint64_t length) {
    run({.offset = offset, .length = length, .kind = RequestKind::Write});
  }

  /// Turns power off and on between two requests: DRAM loses its contents, NVRAM keeps them.
  void restart() {
    if (!boot()) throw std::logic_error("the firmware does not come up");
    if (oracle != nullptr) oracle->power_cut();
  }
  /// The same without telling the oracle; false if `cuts` struck again before its end.
  bool boot() {
    runtime.destroy_frames();
    nvram.power_cut(0);
    firmware = make_firmware();
    bool done = false;
    runtime.spawn([&] { return boot_firmware(done); });
    return done;
  }
  /// Like run(); false if `cuts` struck meanwhile: then call boot().
  bool try_run(const Request& request) { return host().try_run(request).has_value(); }

  void come_to_rest() { host().come_to_rest(); }

  /// Reads everything that was ever written. Returns the oracle's mismatches so far.
  std::uint64_t audit() {
    unreadable.clear();
    for (const auto& [offset, length] : oracle->touched_ranges(128 << 10)) {
      if (run({.offset = offset, .length = length, .kind = RequestKind::Read}) == IoStatus::Ok) continue;
      // A part of the range is lost: check the rest unit by unit.
      for (std::uint64_t at = offset; at < offset + length; at += config.ftl.mapping_unit) {
        const std::uint64_t part = std::min<std::uint64_t>(config.ftl.mapping_unit, offset + length - at);
        const IoStatus status = run({.offset = at, .length = part, .kind = RequestKind::Read});
        if (status != IoStatus::Ok && status != IoStatus::ZoneIsOffline) unreadable.push_back(at);
      }
    }
    firmware->ftl().check();
    return oracle->mismatches();
  }

  /// Saves or loads the whole device (memory_archive.hpp).
  void state(StateArchive& archive) {
    if (!runtime.quiescent()) throw std::logic_error("the firmware does not rest");
    media.state(archive);
    nvram.state(archive);
    if (fdp_events != nullptr) archive(*fdp_events);
    firmware->state(archive);
    if (oracle != nullptr) oracle->state(archive);
  }

  DeviceConfig config;
  NandGeometry geometry;
  NandTiming timing;
  NandMedia media;
  InstantFlash flash;
  std::unique_ptr<EccEngine> ecc;  ///< with nand.errors
  NvramContents nvram;
  CutFlash cuts;
  Hardware hardware;
  std::unique_ptr<DriveFaults> faults;            ///< with [faults]: active from the beginning
  std::unique_ptr<FdpEvents> fdp_events;          ///< with [fdp]
  std::unique_ptr<HostMemoryBuffer> host_memory;  ///< with [hmb]
  std::unique_ptr<Compressor> compressor;         ///< with [compression]
  Runtime runtime;
  std::unique_ptr<Firmware> firmware;
  std::unique_ptr<Oracle> oracle;
  std::vector<std::uint64_t> unreadable;  ///< offsets at which the last audit met a media error

 private:
  std::unique_ptr<Firmware> make_firmware() {
    return std::make_unique<Firmware>(config.firmware(), geometry, media, nvram, hardware);
  }
  std::unique_ptr<Firmware> first_firmware(bool keep_versions) {
    if (!keep_versions) keep_no_versions(media, config.ftl);
    return make_firmware();
  }
  std::unique_ptr<EccEngine> with_errors() {
    if (!config.nand.errors.on()) return nullptr;
    media.model_errors(config.nand, config.seed);
    auto engine = std::make_unique<EccEngine>(config.nand, media, config.ftl.scrub_reads, config.ftl.scrub_level);
    flash.correct_by(*engine);
    return engine;
  }
  std::unique_ptr<DriveFaults> with_faults() {
    if (!config.faults.any()) return nullptr;
    auto lies = std::make_unique<DriveFaults>(config.faults, config.seed);
    lies->begin();
    hardware.inject(*lies);
    return lies;
  }
  std::unique_ptr<FdpEvents> with_fdp_events() {
    if (!config.ftl.fdp.on()) return nullptr;
    auto events = std::make_unique<FdpEvents>(config.ftl.fdp);
    hardware.attach(*events);
    return events;
  }
  std::unique_ptr<HostMemoryBuffer> with_host_memory() {
    if (!config.hmb.on()) return nullptr;
    auto buffer = std::make_unique<HostMemoryBuffer>(config.hmb, hardware);
    hardware.attach(*buffer);
    return buffer;
  }
  std::unique_ptr<Compressor> with_compressor() {
    if (!config.compression.on()) return nullptr;
    auto engine = std::make_unique<Compressor>(config.compression, config.ftl.mapping_unit, config.seed, hardware);
    hardware.attach(*engine);
    return engine;
  }
  Task<void> boot_firmware(bool& done) {
    co_await firmware->boot();
    done = !cuts.cut();  // a boot also includes the erases that it leaves in progress
  }
};

}  // namespace flashloom

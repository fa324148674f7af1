// The contents of a device file as typed structs, filled by the configuration reader and used to build the device.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "controllers/array/array_config.hpp"
#include "controllers/buffer/buffer_config.hpp"
#include "controllers/ftl/features/compression/compression_config.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "controllers/hardware/fault_config.hpp"
#include "controllers/hardware/hmb_config.hpp"
#include "controllers/heap/heap_config.hpp"
#include "controllers/host/host_config.hpp"
#include "controllers/host/precondition_config.hpp"
#include "controllers/host_interface/host_interface_config.hpp"
#include "controllers/nvme/nvme_config.hpp"
#include "controllers/ssd/controller_config.hpp"
#include "controllers/ssd/firmware_config.hpp"
#include "controllers/ssd/power_config.hpp"
#include "controllers/tier/tier_config.hpp"
#include "models/cpu/cpu_config.hpp"
#include "models/hdd/hdd_config.hpp"
#include "models/link/link_config.hpp"
#include "models/memory/memory_config.hpp"
#include "models/nand/nand_config.hpp"
#include "models/thermal/thermal_config.hpp"

namespace flashloom {

/// Bounds within which the true value of a key is known to lie: [TABLE.uncertainty] of a device file. See
/// key_range.hpp.
struct KeyRange {
  std::string text;  ///< as it was written
  bool relative =
      false;  ///< the bounds are factors of the key's value, as 0.7 and 1.4; else they are in the member's unit
  double low = 0;
  double high = 0;
  std::string with{};  ///< key with which it varies in common; empty: none
};

struct DeviceConfig {
  std::string name;
  std::string description;
  bool verify = false;
  std::uint64_t seed = 1;
  HostConfig host;
  LinkConfig link;
  HostInterfaceConfig host_interface;
  NvmeConfig nvme;
  CpuConfig cpu;
  ControllerConfig controller;
  DramConfig dram;
  SramConfig sram;
  HmbConfig hmb;
  NvramConfig nvram;
  BufferConfig buffer;
  CompressionConfig compression;
  FtlConfig ftl;
  NandConfig nand;
  PreconditionConfig precondition;
  PowerConfig power;
  ThermalConfig thermal;
  FaultConfig faults;
  HddConfig hdd;
  TierConfig tier;
  ArrayConfig array;
  HeapConfig heap;
  std::map<std::string, std::string> sources;  ///< "nand.read_time" -> source of the value
  std::map<std::string, KeyRange> ranges;      ///< "nand.read_time" -> range of the value

  /// Whether the FTL does background work while the host is idle.
  bool works_in_idle_time() const { return ftl.gc_background != 0 || ftl.scrubs() || (nand.any_slc() && ftl.slc_idle); }
  /// Whether data that the device called durable may be lost: a sector may return an older version than the last
  /// durable one. A store of contents by version must then keep all versions.
  bool may_forget_durable() const { return faults.any(); }
  /// Whether the controller has only SRAM.
  bool dramless() const { return dram.size == 0 && sram.size != 0; }
  /// The configuration of the firmware.
  FirmwareConfig firmware() const {
    return {.ftl = ftl,
            .buffer = buffer,
            .namespaces = host_interface.namespaces,
            .buffer_held_up = power.holds_buffer_up(),
            .sector_bytes = host_interface.sector_size,
            .verify = verify,
            .seed = seed};
  }

  /// The keys outside of tables.
  template <class Keys>
  static void describe(Keys& keys) {
    keys.timed_only()
        .key("name", &DeviceConfig::name, "name of the device")
        .key("description", &DeviceConfig::description, "what it is and where its figures come from")
        .shapes_state()
        .key("verify", &DeviceConfig::verify, "check every read that reaches the host against the acknowledged writes")
        .timed_only()
        .count("seed", &DeviceConfig::seed, 0, kMaxCount, "seed of every random choice");
  }
};

/// Capacity of the SSD in bytes.
std::uint64_t capacity_bytes(const DeviceConfig& config);

}  // namespace flashloom

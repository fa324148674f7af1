// Everything that a device file says, as typed structs: what the configuration reader fills and the assembly reads.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "controllers/array/array_config.hpp"
#include "controllers/buffer/buffer_config.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "controllers/hardware/compression_config.hpp"
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

/// Between which bounds the figure of a key lies for all that is known: [TABLE.uncertainty] of a device file. See
/// key_range.hpp.
struct KeyRange {
  std::string text;  ///< as it was written
  bool relative =
      false;  ///< the bounds are factors of the key's value, 0.7 and 1.4; else in the unit that it is kept in
  double low = 0;
  double high = 0;
  std::string with{};  ///< key that it goes up and down with; empty: none
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
  std::map<std::string, std::string> sources;  ///< "nand.read_time" -> where the figure comes from
  std::map<std::string, KeyRange> ranges;      ///< "nand.read_time" -> between what it lies

  /// The FTL uses time in which the host does nothing.
  bool works_in_idle_time() const { return ftl.gc_background != 0 || ftl.scrubs() || (nand.any_slc() && ftl.slc_idle); }
  /// What the device called durable may be gone after a power cut, or never have been there: of a sector an older
  /// version than the last durable one may come back. Who keeps contents by version must forget none.
  bool may_forget_durable() const { return faults.any(); }
  /// Its controller has SRAM alone.
  bool dramless() const { return dram.size == 0 && sram.size != 0; }
  /// What its firmware is made from.
  FirmwareConfig firmware() const {
    return {.ftl = ftl,
            .buffer = buffer,
            .namespaces = host_interface.namespaces,
            .buffer_held_up = power.holds_buffer_up(),
            .sector_bytes = host_interface.sector_size,
            .verify = verify,
            .seed = seed};
  }
};

/// Bytes that the SSD offers.
std::uint64_t capacity_bytes(const DeviceConfig& config);

}  // namespace flashloom

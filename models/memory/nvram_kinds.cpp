#include "models/memory/nvram_kinds.hpp"

#include <array>

namespace flashloom {
namespace {

NvramConfig stt_mram() {
  NvramConfig config;
  config.kind = "stt_mram";
  config.size = 128 * kMebibyte;
  config.bandwidth = 2'666'000'000;  // 16 bit x 1333 MT/s
  config.read_latency = 35 * kNanosecond;
  config.write_latency = 35 * kNanosecond;
  config.read_energy = 25.9e-9 / 8;
  config.write_energy = 97.0e-9 / 8;
  config.endurance = 10'000'000'000;
  return config;
}

NvramConfig pcm() {
  NvramConfig config;
  config.kind = "pcm";
  config.size = 1024 * kMebibyte;
  config.bandwidth = 320'000'000;  // 8 devices x 40 MB/s
  config.read_latency = 120 * kNanosecond;
  config.write_latency = 150 * kNanosecond;
  config.read_energy = 0.081e-9 / 8;
  config.write_energy = 1.685e-9 / 8;
  config.endurance = 100'000'000;
  return config;
}

NvramConfig feram() {
  NvramConfig config;
  config.kind = "feram";
  config.size = 2 * kMebibyte;
  config.bandwidth = 72'727'272;  // 4 devices x 16 bit each 110 ns
  config.read_latency = 55 * kNanosecond;
  config.write_latency = 55 * kNanosecond;
  config.read_energy = 2.9e-9 / 2;
  config.write_energy = 2.9e-9 / 2;
  config.background_power = 4 * 90e-6 * 3.3;
  config.endurance = 100'000'000'000'000;
  return config;
}

NvramConfig bbdram() {
  NvramConfig config;
  config.kind = "bbdram";
  config.size = 256 * kMebibyte;
  config.bandwidth = 3'200'000'000;  // 32 bit x 800 MT/s
  config.read_latency = 50 * kNanosecond;
  config.write_latency = 50 * kNanosecond;
  config.refresh_interval = 3'900 * kNanosecond;
  config.refresh_time = 130 * kNanosecond;
  config.read_energy = 1.2 * (230e-3 - 34e-3) / 3.2e9;   // IDD4R - IDD3N, the same on the 1.8 V rail
  config.write_energy = 1.2 * (190e-3 - 34e-3) / 3.2e9;  // IDD4W - IDD3N
  config.background_power = 1.8 * 0.8e-3 + 1.2 * 26e-3;  // IDD2N
  config.refresh_energy = (1.8 * (28e-3 - 0.8e-3) + 1.2 * (150e-3 - 26e-3)) * 130e-9;  // (IDD5 - IDD2N) x tRFC
  return config;
}

}  // namespace

std::span<const NvramKind> nvram_kinds() {
  static const std::array<NvramKind, 4> kinds = {{
      {"stt_mram", "spin-transfer torque MRAM behind a DDR interface",
       "35 ns, 25.9 nJ read and 97.0 nJ write a 64-bit access: Everspin configuration of NVmain; 1 Gb part with 16 bit "
       "at 1333 MT/s: Everspin announcement of June 2019; assumed: 1e10 writes a cell, standby power 0 (weak)",
       stt_mram()},
      {"pcm", "phase-change memory",
       "120 ns read, 150 ns write pulse, 0.081 nJ read and 1.685 nJ write a 64-bit word: ISSCC 2012 part (40 MB/s "
       "program "
       "bandwidth) in NVmain's configuration (weak); assumed: 8 devices in parallel, writes set the bandwidth, 1e8 "
       "writes "
       "a cell, standby power 0",
       pcm()},
      {"feram", "ferroelectric RAM",
       "FM22L16 data sheet: 55 ns access, 110 ns cycle, 8 mA and 90 uA standby at 3.3 V, about 2.9 nJ per 16 bits; "
       "assumed: 4 devices in parallel, 1e14 writes a cell",
       feram()},
      {"bbdram", "battery-backed DRAM (LPDDR2 class)",
       "IDD of an LPDDR2-class part, 1.8/1.2 V rails: SimpleSSD dram/config.cc; assumed: 32 bit at 800 MT/s, 50 ns, "
       "tRFC 130 ns each 3.9 us",
       bbdram()},
  }};
  return kinds;
}

std::vector<std::string> nvram_kind_names() {
  std::vector<std::string> names = {"none"};
  for (const auto& each : nvram_kinds()) names.emplace_back(each.name);
  return names;
}

const NvramKind* find_nvram_kind(std::string_view name) {
  for (const NvramKind& kind : nvram_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace flashloom

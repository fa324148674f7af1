#include "models/memory/dram_kinds.hpp"

#include <array>

namespace flashloom {
namespace {

// 2 x Micron MT41J128M16 (2 Gb, x16) on 32 bits.
DramConfig ddr3_1600() {
  DramConfig config;
  config.kind = "ddr3_1600";
  config.size = 512 * kMebibyte;
  config.bandwidth = 6'400'000'000;
  config.refresh_interval = 7'800 * kNanosecond;
  config.refresh_time = 160 * kNanosecond;
  config.timing = {.banks = 8,
                   .row_size = 4096,
                   .burst = 32,
                   .row_column = 12'500,
                   .precharge = 12'500,
                   .row_active = 35'000,
                   .column_read = 12'500,
                   .column_write = 10'000,
                   .read_precharge = 7'500,
                   .write_recovery = 15'000,
                   .write_read = 7'500,
                   .row_row = 7'500,
                   .four_activates = 40'000};
  const DramRail rail{.voltage = 1.5,
                      .idd0 = 110e-3,
                      .idd2n = 42e-3,
                      .idd3n = 45e-3,
                      .idd4r = 270e-3,
                      .idd4w = 280e-3,
                      .idd5 = 215e-3,
                      .idd2p = 12e-3,
                      .idd6 = 12e-3};
  // Slow exit (DLL off): tXPDLL; tXSDLL.
  config.power_down_exit = 25'000;
  config.self_refresh_exit = 640'000;
  set_dram_energies(config, {&rail, 1}, 2);
  return config;
}

// 4 x Micron 4 Gb, x8, on 32 bits.
DramConfig ddr4_2400() {
  DramConfig config;
  config.kind = "ddr4_2400";
  config.size = 2048 * kMebibyte;
  config.bandwidth = 9'600'000'000;
  config.refresh_interval = 7'800 * kNanosecond;
  config.refresh_time = 260 * kNanosecond;
  config.timing = {.banks = 16,
                   .row_size = 4096,
                   .burst = 32,
                   .row_column = 13'328,
                   .precharge = 13'328,
                   .row_active = 32'487,
                   .column_read = 13'328,
                   .column_write = 13'328,
                   .read_precharge = 9'996,
                   .write_recovery = 14'994,
                   .write_read = 7'497,
                   .row_row = 3'332,
                   .four_activates = 21'658};
  // IPP2P of the memspec repeats its IDD2P, probably by mistake: set to none, like IPP2N.
  const std::array<DramRail, 2> rails = {{{.voltage = 1.2,
                                           .idd0 = 60.75e-3,
                                           .idd2n = 38.25e-3,
                                           .idd3n = 44e-3,
                                           .idd4r = 184.5e-3,
                                           .idd4w = 168.75e-3,
                                           .idd5 = 118e-3,
                                           .idd2p = 17e-3,
                                           .idd6 = 20.25e-3},
                                          {.voltage = 2.5, .idd0 = 4.05e-3, .idd6 = 2.6e-3}}};
  config.power_down_exit = 6'664;
  config.self_refresh_exit = 426'496;  // tXSDLL
  set_dram_energies(config, rails, 4);
  return config;
}

// Two channels of 16 bits, 8 Gb each, modelled as one of 32.
DramConfig lpddr4_3200() {
  DramConfig config;
  config.kind = "lpddr4_3200";
  config.size = 2048 * kMebibyte;
  config.bandwidth = 12'800'000'000;
  config.refresh_interval = 3'904 * kNanosecond;
  config.refresh_time = 280 * kNanosecond;
  config.timing = {.banks = 8,
                   .row_size = 4096,
                   .burst = 64,
                   .row_column = 18'125,
                   .precharge = 18'125,
                   .row_active = 42'500,
                   .column_read = 17'500,
                   .column_write = 8'750,
                   .read_precharge = 7'500,
                   .write_recovery = 18'125,
                   .write_read = 10'000,
                   .row_row = 10'000,
                   .four_activates = 40'000};
  const std::array<DramRail, 3> rails = {{{.voltage = 1.8,
                                           .idd0 = 3.5e-3,
                                           .idd2n = 2e-3,
                                           .idd3n = 2.25e-3,
                                           .idd4r = 2.25e-3,
                                           .idd4w = 2.25e-3,
                                           .idd5 = 10e-3,
                                           .idd2p = 1.2e-3,
                                           .idd6 = 0.3e-3},
                                          {.voltage = 1.1,
                                           .idd0 = 45e-3,
                                           .idd2n = 27e-3,
                                           .idd3n = 30e-3,
                                           .idd4r = 275e-3,
                                           .idd4w = 210e-3,
                                           .idd5 = 90e-3,
                                           .idd2p = 3e-3,
                                           .idd6 = 0.5e-3},
                                          {.voltage = 1.1,
                                           .idd0 = 0.75e-3,
                                           .idd2n = 0.75e-3,
                                           .idd3n = 0.75e-3,
                                           .idd4r = 150e-3,
                                           .idd4w = 55e-3,
                                           .idd5 = 0.75e-3,
                                           .idd2p = 0.75e-3,
                                           .idd6 = 0.1e-3}}};
  config.power_down_exit = 7'500;
  config.self_refresh_exit = 286'250;
  set_dram_energies(config, rails, 2);
  return config;
}

// Latencies for the flat model: every access opens its row.
DramConfig with_latencies(DramConfig config) {
  config.read_latency = config.timing.row_column + config.timing.column_read;
  config.write_latency = config.timing.row_column + config.timing.column_write;
  return config;
}

}  // namespace

void set_dram_energies(DramConfig& config, std::span<const DramRail> rails, std::uint32_t devices) {
  const DramTiming& timing = config.timing;
  const double active = in_seconds(timing.row_active);
  const double precharge = in_seconds(timing.precharge);
  const double second_of_data = 1.0 / static_cast<double>(config.bandwidth);  // s a byte
  config.activate_energy = config.read_energy = config.write_energy = config.refresh_energy = 0;
  config.background_power = config.open_power = config.power_down_power = config.self_refresh_power = 0;
  for (const DramRail& rail : rails) {
    const double volts = rail.voltage * devices;
    config.activate_energy += volts * (rail.idd0 * (active + precharge) - rail.idd3n * active - rail.idd2n * precharge);
    config.read_energy += volts * (rail.idd4r - rail.idd3n) * second_of_data;
    config.write_energy += volts * (rail.idd4w - rail.idd3n) * second_of_data;
    config.refresh_energy += volts * (rail.idd5 - rail.idd2n) * in_seconds(config.refresh_time);
    config.background_power += volts * rail.idd2n;
    config.open_power += volts * (rail.idd3n - rail.idd2n);
    config.power_down_power += volts * rail.idd2p;
    config.self_refresh_power += volts * rail.idd6;
  }
}

std::span<const DramKind> dram_kinds() {
  static const std::array<DramKind, 3> kinds = {{
      {"ddr3_1600", "DDR3-1600, 32 bit: two devices of 2 Gb, x16",
       "Micron 2 Gb x16 die D, timing and IDD as in DRAMSys's memspec MICRON_2Gb_DDR3-1600_16bit_D; tREFI 7.8 us of "
       "JESD79-3; energies by Micron TN-41-01",
       with_latencies(ddr3_1600())},
      {"ddr4_2400", "DDR4-2400, 32 bit: four devices of 4 Gb, x8",
       "Micron 4 Gb x8 die A, timing and IDD as in DRAMSys's memspec MICRON_4Gb_DDR4-2400_8bit_A (16-16-16); tREFI 7.8 "
       "us and tRFC 260 ns of JESD79-4; energies by Micron TN-40-07 and TN-41-01",
       with_latencies(ddr4_2400())},
      {"lpddr4_3200", "LPDDR4-3200, 32 bit: two channels of 16 bit, 8 Gb each, in lockstep",
       "8 Gb a channel, timing and IDD on three rails as in DRAMSys's memspecs JEDEC_8Gb_LPDDR4-3200_16bit and "
       "MICRON_6Gb_LPDDR4-3200_32bit_A (JESD209-4); the channels of a real part work apart; energies by Micron "
       "TN-41-01",
       with_latencies(lpddr4_3200())},
  }};
  return kinds;
}

std::vector<std::string> dram_kind_names() {
  std::vector<std::string> names = {"custom"};
  for (const auto& each : dram_kinds()) names.emplace_back(each.name);
  return names;
}

const DramKind* find_dram_kind(std::string_view name) {
  for (const DramKind& kind : dram_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace flashloom

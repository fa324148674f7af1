// Keys of [dram], [dram.timing], [sram], [hmb], [nvram], [heap.nvram] and [array.nvram].
#include "models/memory/dram_kinds.hpp"
#include "models/memory/nvram_kinds.hpp"
#include "sc_main/config/table_builder.hpp"

namespace flashloom {
namespace {

/// Keys that [dram] and [nvram] share.
template <class Memory>
void describe_memory(TableBuilder builder, Memory memory) {
  const auto member = [memory](auto field) {
    return [ memory, field ](DeviceConfig & config) -> auto& { return memory(config).*field; };
  };
  builder.key("size", member(&MemoryConfig::size), Quantity::Bytes, {0, kMaxBytes}, "0 B: not fitted")
      .key("bandwidth", member(&MemoryConfig::bandwidth), Quantity::ByteRate, {0, kMaxRate}, "0 B/s: unlimited")
      .time("read_latency", member(&MemoryConfig::read_latency), 0, "first access, each transaction")
      .time("write_latency", member(&MemoryConfig::write_latency), 0, "first access, each transaction")
      .time("refresh_interval", member(&MemoryConfig::refresh_interval), 0, "tREFI; 0 s: no refresh")
      .time("refresh_time", member(&MemoryConfig::refresh_time), 0, "tRFC: nothing is served meanwhile")
      .key("read_energy", member(&MemoryConfig::read_energy), Quantity::EnergyPerByte, {0, 1}, "each byte read")
      .key("write_energy", member(&MemoryConfig::write_energy), Quantity::EnergyPerByte, {0, 1}, "each byte written")
      .key("refresh_energy", member(&MemoryConfig::refresh_energy), Quantity::Energy, {0, 1}, "each refresh")
      .key("background_power", member(&MemoryConfig::background_power), Quantity::Power, {0, 1000}, "always")
      .count("endurance", member(&MemoryConfig::endurance), 0, kMaxCount, "writes a cell; 0: unlimited");
}

std::vector<std::string> nvram_kind_names() {
  std::vector<std::string> names = {"none"};
  for (const NvramKind& kind : nvram_kinds()) names.emplace_back(kind.name);
  return names;
}

template <class Nvram>
void describe_nvram(std::vector<ConfigKey>& keys, const char* table, Nvram nvram) {
  TableBuilder(keys, table)
      .choice(
          "kind", [nvram](DeviceConfig & config) -> auto& { return nvram(config).kind; }, nvram_kind_names(),
          "technology; sets the defaults of the other keys of this table");
  describe_memory(TableBuilder(keys, table), [nvram](DeviceConfig& config) -> MemoryConfig& { return nvram(config); });
}

void describe_dram(std::vector<ConfigKey>& keys) {
  std::vector<std::string> kinds = {"custom"};
  for (const DramKind& kind : dram_kinds()) kinds.emplace_back(kind.name);
  TableBuilder(keys, "dram")
      .choice("kind", FLASHLOOM_MEMBER(dram.kind), kinds, "part; sets the defaults of the other keys of this table")
      .choice("model", FLASHLOOM_MEMBER(dram.banked), {"flat", "banked"},
              "flat: bandwidth and a latency; banked: rows, refresh that is met, bus (dram.timing)");
  describe_memory(TableBuilder(keys, "dram"), [](DeviceConfig& config) -> MemoryConfig& { return config.dram; });
  TableBuilder(keys, "dram")
      .time("controller_latency", FLASHLOOM_MEMBER(dram.controller_latency), 0,
            "banked: memory controller and interconnect, each transaction")
      .key("activate_energy", FLASHLOOM_MEMBER(dram.activate_energy), Quantity::Energy, {0, 1},
           "banked: each activate with its precharge, above background")
      .key("open_power", FLASHLOOM_MEMBER(dram.open_power), Quantity::Power, {0, 1000},
           "banked: what active standby draws above precharge standby")
      .time("power_down_time", FLASHLOOM_MEMBER(dram.power_down_time), 0,
            "idle so long it is in precharge power-down; 0 s: never")
      .key("power_down_power", FLASHLOOM_MEMBER(dram.power_down_power), Quantity::Power, {0, 1000},
           "in power-down in the place of background_power; the mean of refresh is drawn beside")
      .time("power_down_exit", FLASHLOOM_MEMBER(dram.power_down_exit), 0,
            "tXP: from power-down until it takes a command", 1e12)
      .time("self_refresh_time", FLASHLOOM_MEMBER(dram.self_refresh_time), 0,
            "idle so long it refreshes itself; 0 s: never; else above power_down_time")
      .key("self_refresh_power", FLASHLOOM_MEMBER(dram.self_refresh_power), Quantity::Power, {0, 1000},
           "in self-refresh, all of it")
      .time("self_refresh_exit", FLASHLOOM_MEMBER(dram.self_refresh_exit), 0,
            "tXS, with its DLL tXSDLL: from self-refresh until it takes a read", 1e12);
  TableBuilder(keys, "dram.timing")
      .count("banks", FLASHLOOM_MEMBER(dram.timing.banks), 0, 1024, "banks of a rank; 0: not described")
      .key("row_size", FLASHLOOM_MEMBER(dram.timing.row_size), Quantity::Bytes, {0, 1 << 20},
           "open row over the whole bus; a multiple of burst")
      .key("burst", FLASHLOOM_MEMBER(dram.timing.burst), Quantity::Bytes, {0, 4096},
           "one column access: burst length x bus width")
      .time("row_column", FLASHLOOM_MEMBER(dram.timing.row_column), 0, "tRCD")
      .time("precharge", FLASHLOOM_MEMBER(dram.timing.precharge), 0, "tRP")
      .time("row_active", FLASHLOOM_MEMBER(dram.timing.row_active), 0, "tRAS")
      .time("column_read", FLASHLOOM_MEMBER(dram.timing.column_read), 0, "CL, RL")
      .time("column_write", FLASHLOOM_MEMBER(dram.timing.column_write), 0, "CWL, WL")
      .time("read_precharge", FLASHLOOM_MEMBER(dram.timing.read_precharge), 0, "tRTP")
      .time("write_recovery", FLASHLOOM_MEMBER(dram.timing.write_recovery), 0, "tWR")
      .time("write_read", FLASHLOOM_MEMBER(dram.timing.write_read), 0, "tWTR")
      .time("row_row", FLASHLOOM_MEMBER(dram.timing.row_row), 0, "tRRD")
      .time("four_activates", FLASHLOOM_MEMBER(dram.timing.four_activates), 0, "tFAW");
}

void describe_sram(std::vector<ConfigKey>& keys) {
  TableBuilder(keys, "sram")
      .key("size", FLASHLOOM_MEMBER(sram.size), Quantity::Bytes, {0, kMaxBytes},
           "memory on the controller's chip, which has buffer, map and pages on their way where dram.size is 0 B; 0 B: "
           "not modelled")
      .key("bandwidth", FLASHLOOM_MEMBER(sram.bandwidth), Quantity::ByteRate, {0, kMaxRate}, "0 B/s: unlimited")
      .time("latency", FLASHLOOM_MEMBER(sram.read_latency), 0, "each transaction: interconnect and array")
      .key("read_energy", FLASHLOOM_MEMBER(sram.read_energy), Quantity::EnergyPerByte, {0, 1}, "each byte read")
      .key("write_energy", FLASHLOOM_MEMBER(sram.write_energy), Quantity::EnergyPerByte, {0, 1}, "each byte written")
      .key("background_power", FLASHLOOM_MEMBER(sram.background_power), Quantity::Power, {0, 1000}, "leakage, always");
}

void describe_hmb(std::vector<ConfigKey>& keys) {
  TableBuilder(keys, "hmb")
      .key("size", FLASHLOOM_MEMBER(hmb.size), Quantity::Bytes, {0, 1ULL << 40},
           "HMPRE: memory of the host that the drive prefers and gets, for translation pages of a demand-paged map; "
           "0 B: none")
      .key("minimum", FLASHLOOM_MEMBER(hmb.minimum), Quantity::Bytes, {0, 1ULL << 40},
           "HMMIN: less than this it does not take from a driver")
      .time("latency", FLASHLOOM_MEMBER(hmb.latency), 0,
            "of the host, from a read request at its port until the data leave it; link.latency comes before and "
            "behind. Default: with 200 ns each way 0.78 us; pcie-bench measured 0.76 (SIGCOMM 2018)")
      .choice("map_update", FLASHLOOM_MEMBER(hmb.map_update), {"write_through", "write_back"},
              "a changed map entry that leaves the map cache: its translation page on flash is updated; or it waits "
              "in the page's copy in the buffer")
      .time("revoke_at", FLASHLOOM_MEMBER(hmb.revoke_at), 0,
            "simulated time at which the host asks the buffer back, and waits until the drive has let it go; 0 s: "
            "never")
      .time("lost_at", FLASHLOOM_MEMBER(hmb.lost_at), 0,
            "simulated time at which the buffer is gone without a word; 0 s: never")
      .time("return_at", FLASHLOOM_MEMBER(hmb.return_at), 0,
            "simulated time at which the host lends it again, empty; 0 s: never");
}

}  // namespace

void describe_memories(std::vector<ConfigKey>& keys) {
  describe_dram(keys);
  describe_sram(keys);
  describe_hmb(keys);
  describe_nvram(keys, "nvram", FLASHLOOM_MEMBER(nvram));
}

void describe_heap_nvram(std::vector<ConfigKey>& keys) {
  describe_nvram(keys, "heap.nvram", FLASHLOOM_MEMBER(heap.nvram));
}

void describe_array_nvram(std::vector<ConfigKey>& keys) {
  describe_nvram(keys, "array.nvram", FLASHLOOM_MEMBER(array.nvram));
}

}  // namespace flashloom

#include "models/memory/memory_config.hpp"

#include "models/common/config_problem.hpp"

namespace flashloom {
namespace {

void check_refresh(const std::string& table, const MemoryConfig& memory) {
  require((memory.refresh_interval == 0) == (memory.refresh_time == 0), table + ".refresh_time",
          "refresh_interval and refresh_time go together: both or neither");
  require(memory.refresh_interval == 0 || memory.refresh_time < memory.refresh_interval, table + ".refresh_time",
          MessageTime{memory.refresh_time}, " is not below ", table, ".refresh_interval, ",
          MessageTime{memory.refresh_interval}, ": the memory would never serve anything");
}

}  // namespace

void check_config(const std::string& table, const DramConfig& dram) {
  check_refresh(table, dram);
  require(dram.power_down_time == 0 || dram.self_refresh_time == 0 || dram.power_down_time < dram.self_refresh_time,
          table + ".self_refresh_time", MessageTime{dram.self_refresh_time}, " is not above ", table,
          ".power_down_time, ", MessageTime{dram.power_down_time},
          ", which comes first; valid: 0 s, or more than that");
  if (!dram.banked || dram.size == 0) return;
  require(dram.timing.banks != 0, table + ".model",
          "\"banked\" needs the timing of the part; set dram.kind, or dram.timing");
  require(dram.timing.burst != 0, table + ".timing.burst", "is 0 B; valid: burst length x bus width");
  require(dram.timing.row_size != 0 && dram.timing.row_size % dram.timing.burst == 0, table + ".timing.row_size",
          MessageBytes{dram.timing.row_size}, " is no multiple of dram.timing.burst, ",
          MessageBytes{dram.timing.burst});
  require(dram.bandwidth != 0, table + ".bandwidth", "is unlimited, but a banked DRAM has a bus; valid: above 0 B/s");
}

void check_config(const std::string& table, const NvramConfig& nvram) {
  check_refresh(table, nvram);
  require(nvram.kind == "none" || nvram.size > 0, table + ".size", "a fitted nvram of kind ", nvram.kind,
          " needs a size above 0 B");
  require(nvram.kind != "none" || nvram.size == 0, table + ".kind", table, ".size is ", MessageBytes{nvram.size},
          ", but no kind is fitted; say a kind, or leave the size out");
}

}  // namespace flashloom

#include "models/hdd/hdd_config.hpp"

#include <array>

#include "models/energy/energy_ledger.hpp"

namespace flashloom {
namespace {

constexpr std::string_view kIdentity =
    "ST2000DM001-1CH164's IDENTIFY DEVICE data (hdparm -I in openzfs/zfs issue 1468)";
constexpr std::string_view kManual =
    "Seagate's product manual 100686584 and data sheet DS1737 (weak: from memory, not checked against them)";
constexpr std::string_view kOurs = "ours (weak): not published for this drive";
constexpr std::string_view kBuffer =
    "half of the drive's 64 MB (itproportal.com, preview of the Barracuda 7200.14 2 TB, 2013); the split is ours "
    "(weak)";

constexpr std::array kSources = {
    HddSource{"physical_sector", kIdentity},
    HddSource{"rpm", kIdentity},
    HddSource{"queue_depth", kIdentity},
    HddSource{"heads", "two discs of 1 TB, both sides (itproportal.com, preview of the Barracuda 7200.14 2 TB, 2013)"},
    HddSource{"zones", kOurs},
    HddSource{
        "outer_rate",
        "210 MB/s, the sustained maximum of Seagate's drives with 1 TB a disc (zaro.info, ST1000DM010: a proxy, weak)"},
    HddSource{"inner_rate",
              "so that reading the whole drive makes Seagate's average of 156 MB/s (itproportal.com, preview of the "
              "Barracuda 7200.14 2 TB, 2013)"},
    HddSource{"track_to_track", kManual},
    HddSource{"average_seek", "Seagate's figure (itproportal.com, preview of the Barracuda 7200.14 2 TB, 2013)"},
    HddSource{"full_stroke", "ours (weak): twice the average seek; none is published"},
    HddSource{"head_switch", kOurs},
    HddSource{"write_settle", kManual},
    HddSource{"track_settle", kManual},
    HddSource{"command_overhead", kOurs},
    HddSource{"link_rate", "SATA 6 Gb/s (itproportal.com, preview of the Barracuda 7200.14 2 TB, 2013)"},
    HddSource{"max_wait", kOurs},
    HddSource{"read_buffer", kBuffer},
    HddSource{"read_segments", kOurs},
    HddSource{"read_ahead", kOurs},
    HddSource{"write_buffer", kBuffer},
    HddSource{"destage_window", kOurs},
    HddSource{"spin_up_time",
              "maximum of the 2 TB models of the Constellation ES.2 (Seagate product manual, rev. H, 2.7): a proxy"},
    HddSource{"idle_power", kManual},
    HddSource{"seek_power",
              "so that 40 % seeks, 40 % reading and writing, 20 % idle, as Seagate's manuals define it, make the "
              "operating power of transfer_power (weak)"},
    HddSource{"transfer_power", kManual},
    HddSource{"standby_power", kManual},
    HddSource{"spin_up_power", "ours (weak): below a start-up peak of 2 A at 12 V"},
};

}  // namespace

std::span<const HddSource> hdd_sources() { return kSources; }

PowerFigures hdd_power_figures(const HddConfig& config) {
  return {.states = {{"idle", config.idle_power, kBackground},
                     {"seek", config.seek_power, "hdd.seek"},
                     {"transfer", config.transfer_power, "hdd.transfer"},
                     {"standby", config.standby_power, kBackground},
                     {"spin_up", config.spin_up_power, "hdd.spin_up"}},
          .regulated = false};  // has a supply of its own
}

}  // namespace flashloom

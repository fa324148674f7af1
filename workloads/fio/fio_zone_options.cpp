// Options of zonemode=strided and zonemode=zbd.
#include "workloads/fio/fio_options.hpp"
#include "workloads/fio/fio_value.hpp"

namespace flashloom {
namespace {

using Text = std::string_view;

constexpr std::uint64_t kMostOpenZones = 4096;  // ZBD_MAX_OPEN_ZONES

void set_zone_mode(FioSection& section, Text text) {
  if (text != "none" && text != "strided" && text != "zbd")
    throw FioValueError("expected none, strided or zbd, found \"" + std::string(text) + "\"");
  section.job.zbd.on = text == "zbd";
}

std::uint64_t some_bytes(FioSection& section, Text text) {
  const std::uint64_t bytes = parse_fio_bytes(text, section.kb_base);
  if (bytes == 0) throw FioValueError("0 bytes");
  return bytes;
}

std::uint32_t open_zones(FioSection& section, Text text) {
  return static_cast<std::uint32_t>(parse_fio_integer(text, 0, kMostOpenZones, section.kb_base));
}

double from_0_to_1(Text text) {
  const double value = parse_fio_number(text, "a number from 0 to 1");
  if (value < 0 || value > 1) throw FioValueError("expected a number from 0 to 1, found \"" + std::string(text) + "\"");
  return value;
}

void set_zone_skip(FioSection& section, Text text) {
  const FioSize size = parse_fio_size(text, section.kb_base);
  if (size.percent) throw FioValueError("expected a size or zones, found \"" + std::string(text) + "\"");
  section.job.zbd.skip_zones = size.zones ? size.value : 0;
  section.job.stride.skip = size.zones ? 0 : size.value;
}

}  // namespace

std::vector<FioOption> fio_zone_options() {
  using S = FioSection;
  return {
      {"ignore_zone_limits",
       {},
       "zbd: open zones without regard to the device's limit",
       [](S& s, Text v) { s.job.zbd.ignore_limits = parse_fio_bool(v); }},
      {"job_max_open_zones",
       {},
       "zbd: most zones that one job has open; 0: no limit",
       [](S& s, Text v) { s.job.zbd.job_max_open = open_zones(s, v); }},
      {"max_open_zones",
       {},
       "zbd: most zones that all jobs have open; 0: the device's limit",
       [](S& s, Text v) { s.job.zbd.max_open = open_zones(s, v); }},
      {"read_beyond_wp",
       {},
       "zbd: reads go beyond the write pointer",
       [](S& s, Text v) { s.job.zbd.read_beyond_wp = parse_fio_bool(v); }},
      {"zone_reset_frequency",
       {},
       "zbd: share of the writes that reset their zone, from zone_reset_threshold on",
       [](S& s, Text v) { s.job.zbd.reset_frequency = from_0_to_1(v); }},
      {"zone_reset_threshold",
       {},
       "zbd: share of the region that has data before zones are reset early",
       [](S& s, Text v) { s.job.zbd.reset_threshold = from_0_to_1(v); }},
      {"zonecapacity",
       {},
       "zbd: bytes of a zone that are written, where the device has no zones; default: zonesize",
       [](S& s, Text v) { s.job.zbd.capacity = some_bytes(s, v); }},
      {"zonemode", {}, "none, strided, zbd", &set_zone_mode},
      {"zonerange",
       {},
       "strided: window that zonesize bytes go to; default: zonesize",
       [](S& s, Text v) { s.job.stride.range = some_bytes(s, v); }},
      {"zonesize",
       {},
       "strided: bytes in a window before it moves on; zbd: a zone, where the device has none",
       [](S& s, Text v) { s.job.stride.size = some_bytes(s, v); }},
      {"zoneskip",
       {},
       "strided: bytes between the windows; zbd: between the zones of a sequential job",
       &set_zone_skip},
  };
}

}  // namespace flashloom

// The table [hdd] of a device file.
#include "models/hdd/disk_order.hpp"
#include "sc_main/config/table_builder.hpp"

namespace flashloom {
namespace {

std::vector<std::string> disk_order_names() {
  std::vector<std::string> names;
  for (const DiskOrder& order : disk_orders()) names.emplace_back(order.name);
  return names;
}

}  // namespace

void describe_hdd(std::vector<ConfigKey>& keys) {
  TableBuilder(keys, "hdd")
      .key("capacity", FLASHLOOM_MEMBER(hdd.capacity), Quantity::Bytes, {0, kMaxBytes}, "hard disk; 0 B: none")
      .key("physical_sector", FLASHLOOM_MEMBER(hdd.physical_sector), Quantity::Bytes, {512, 4096},
           "what the disk writes at least; of a part of it, it reads the rest first")
      .count("rpm", FLASHLOOM_MEMBER(hdd.rpm), 1000, 30000, "revolutions a minute")
      .count("heads", FLASHLOOM_MEMBER(hdd.heads), 1, 64, "recording surfaces")
      .count("zones", FLASHLOOM_MEMBER(hdd.zones), 1, 256, "zones of equally many cylinders, each with its rate")
      .key("outer_rate", FLASHLOOM_MEMBER(hdd.outer_rate), Quantity::ByteRate, {1e6, 1e10},
           "sustained transfer of the outermost zone, where the addresses begin")
      .key("inner_rate", FLASHLOOM_MEMBER(hdd.inner_rate), Quantity::ByteRate, {1e6, 1e10},
           "of the innermost; at most outer_rate")
      .time("track_to_track", FLASHLOOM_MEMBER(hdd.track_to_track), 0, "seek to the next cylinder")
      .time("average_seek", FLASHLOOM_MEMBER(hdd.average_seek), 0, "mean of seeks between cylinders at random")
      .time("full_stroke", FLASHLOOM_MEMBER(hdd.full_stroke), 0, "seek over all cylinders")
      .time("head_switch", FLASHLOOM_MEMBER(hdd.head_switch), 0, "to another head of a cylinder")
      .time("write_settle", FLASHLOOM_MEMBER(hdd.write_settle), 0, "by which a write's seek takes longer than a read's")
      .time("track_settle", FLASHLOOM_MEMBER(hdd.track_settle), 0,
            "by which its head switch and its seek to the next cylinder do")
      .time("command_overhead", FLASHLOOM_MEMBER(hdd.command_overhead), 0,
            "of the disk's controller, each command, one after the other")
      .key("link_rate", FLASHLOOM_MEMBER(hdd.link_rate), Quantity::BitRate, {1e6, 1e12}, "SATA line rate")
      .count("queue_depth", FLASHLOOM_MEMBER(hdd.queue_depth), 1, 256, "commands that the disk accepts at once (NCQ)")
      .choice("order", FLASHLOOM_MEMBER(hdd.order), disk_order_names(), "order in which it serves them")
      .time("max_wait", FLASHLOOM_MEMBER(hdd.max_wait), 0, "a command that has waited so long goes next; 0 s: no bound")
      .key("read_buffer", FLASHLOOM_MEMBER(hdd.read_buffer), Quantity::Bytes, {0, 1e12}, "track buffer; 0 B: none")
      .count("read_segments", FLASHLOOM_MEMBER(hdd.read_segments), 0, 1024, "equal parts of it, one a stream; 0: none")
      .key("read_ahead", FLASHLOOM_MEMBER(hdd.read_ahead), Quantity::Bytes, {0, 1e12},
           "read on after a read, at most, while the arm has nothing else to do")
      .key("write_buffer", FLASHLOOM_MEMBER(hdd.write_buffer), Quantity::Bytes, {512, 1e12},
           "memory for written data on their way to the platters")
      .key("write_cache", FLASHLOOM_MEMBER(hdd.write_cache),
           "acknowledge writes from there: a power cut loses them unless they were flushed")
      .count("destage_window", FLASHLOOM_MEMBER(hdd.destage_window), 1, 4096,
             "dirty runs around the head that the order chooses from")
      .time("standby_after", FLASHLOOM_MEMBER(hdd.standby_after), 0, "idle for so long, the disk stops; 0 s: never")
      .time("spin_up_time", FLASHLOOM_MEMBER(hdd.spin_up_time), 0, "from standby, or power-on, until it serves")
      .key("idle_power", FLASHLOOM_MEMBER(hdd.idle_power), Quantity::Power, {0, 500}, "turning, nothing to do")
      .key("seek_power", FLASHLOOM_MEMBER(hdd.seek_power), Quantity::Power, {0, 500}, "while the arm moves")
      .key("transfer_power", FLASHLOOM_MEMBER(hdd.transfer_power), Quantity::Power, {0, 500},
           "on the track: waiting for the sector, reading, writing")
      .key("standby_power", FLASHLOOM_MEMBER(hdd.standby_power), Quantity::Power, {0, 500}, "not turning")
      .key("spin_up_power", FLASHLOOM_MEMBER(hdd.spin_up_power), Quantity::Power, {0, 500}, "mean of the spin-up");
}

}  // namespace flashloom

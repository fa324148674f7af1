// The table [array] of a device file; [array.nvram] is with the other memories (memory_schema.cpp).
#include "sc_main/config/table_builder.hpp"

namespace flashloom {

void describe_array(std::vector<ConfigKey>& keys) {
  TableBuilder(keys, "array")
      .choice("level", FLASHLOOM_MEMBER(array.level), {"none", "jbod", "raid0", "raid1", "raid10", "raid5", "raid6"},
              "several drives, each as this file describes, behind one host as software RAID; none: one drive")
      .count("drives", FLASHLOOM_MEMBER(array.drives), 1, kMostArrayDrives, "drives, without the spare")
      .key("chunk", FLASHLOOM_MEMBER(array.chunk), Quantity::Bytes, {512, 1 << 30},
           "of a drive, before the next one follows; a multiple of ftl.mapping_unit")
      .choice("read_policy", FLASHLOOM_MEMBER(array.read_policy), {"round_robin", "shortest_queue", "nearest"},
              "which copy a mirrored read takes: in turn, fewest commands, or where a drive's last read ended nearest")
      .count("stripe_cache", FLASHLOOM_MEMBER(array.stripe_cache), 1, 1 << 20,
             "stripes in memory at once: being written, reconstructed, resynced or rebuilt")
      .time("latency", FLASHLOOM_MEMBER(array.latency), 0, "the array's software, each request (weak)")
      .key("xor_rate", FLASHLOOM_MEMBER(array.xor_rate), Quantity::ByteRate, {0, kMaxRate},
           "one core of the host computes P of so many bytes of data a second; 0 B/s: in no time. Default: Linux's xor "
           "on a Loongson 3A5000 at 2.5 GHz (commit \"raid6: Add LoongArch SIMD syndrome calculation\")")
      .key("syndrome_rate", FLASHLOOM_MEMBER(array.syndrome_rate), Quantity::ByteRate, {0, kMaxRate},
           "the same of Q. Default: raid6 lasx gen() of the same boot")
      .time("fail_at", FLASHLOOM_MEMBER(array.fail_at), 0, "a drive fails at this instant; 0 s: never", kMaxTime)
      .count("failed_drive", FLASHLOOM_MEMBER(array.failed_drive), 0, kMostArrayDrives - 1, "its number, from 0")
      .time("rebuild_at", FLASHLOOM_MEMBER(array.rebuild_at), 0,
            "from here on there is a spare drive, onto which what has failed is rebuilt; 0 s: there is none", kMaxTime)
      .key("rebuild_rate", FLASHLOOM_MEMBER(array.rebuild_rate), Quantity::ByteRate, {0, kMaxRate},
           "of each drive, that a rebuild or a resync takes at most; 0 B/s: no limit. Default: Linux's sync_speed_max, "
           "200,000 KiB/s")
      .choice("journal", FLASHLOOM_MEMBER(array.journal), {"none", "bitmap", "write_ahead"},
              "what is known after a power cut: nothing, which regions were being written, or what was being written")
      .key("bitmap_chunk", FLASHLOOM_MEMBER(array.bitmap_chunk), Quantity::Bytes, {512, 1 << 30},
           "of a drive, for each bit of the bitmap; a multiple of array.chunk. Default: mdadm's")
      .key("start_dirty_degraded", FLASHLOOM_MEMBER(array.start_dirty_degraded),
           "parity that a cut may have left wrong is used when a drive is away (md_mod.start_dirty_degraded); false: "
           "what it would give reads as a media error")
      .choice("gc", FLASHLOOM_MEMBER(array.gc), {"independent", "at_once", "staggered"},
              "when drives collect in the background: each when it idles; or in turns alone, all drives in the same, "
              "or one "
              "after the other, and read around meanwhile")
      .time("gc_window", FLASHLOOM_MEMBER(array.gc_window), 1,
            "a turn, of which each drive has one in as many as there are drives");
}

}  // namespace flashloom

#include "sc_main/config/schema.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "controllers/buffer/buffer_statistics.hpp"
#include "models/energy/peak_window.hpp"
#include "models/nand/onfi_timing_modes.hpp"
#include "sc_main/config/table_builder.hpp"

namespace flashloom {
namespace {

void describe_top(std::vector<ConfigKey>& keys) {
  TableBuilder(keys, "")
      .key("name", FLASHLOOM_MEMBER(name), "name of the device")
      .key("description", FLASHLOOM_MEMBER(description), "what it is and where its figures come from")
      .key("verify", FLASHLOOM_MEMBER(verify), "check every read that reaches the host against the acknowledged writes")
      .count("seed", FLASHLOOM_MEMBER(seed), 0, kMaxCount, "seed of every random choice");
}

void describe_link(std::vector<ConfigKey>& keys) {
  TableBuilder(keys, "link")
      .choice("kind", FLASHLOOM_MEMBER(link.kind), {"pcie", "sata", "ideal"},
              "link to the host; ideal takes no time and no energy; sata sets the default of max_payload")
      .count("generation", FLASHLOOM_MEMBER(link.generation), 1, 6, "PCIe generation")
      .count("lanes", FLASHLOOM_MEMBER(link.lanes), 1, 32, "PCIe lanes: 1, 2, 4, 8, 12, 16 or 32")
      .key("max_payload", FLASHLOOM_MEMBER(link.max_payload), Quantity::Bytes, {64, 65536},
           "data that one packet (TLP, FIS) carries")
      .key("packet_overhead", FLASHLOOM_MEMBER(link.packet_overhead), Quantity::Bytes, {0, 4096},
           "header, CRC and framing of one packet")
      .key("sata_rate", FLASHLOOM_MEMBER(link.sata_rate), Quantity::BitRate, {1e6, 1e12}, "SATA line rate")
      .time("latency", FLASHLOOM_MEMBER(link.latency), 0, "one way, port to port")
      .key("active_power", FLASHLOOM_MEMBER(link.active_power), Quantity::Power, {0, 1000},
           "each direction while it moves data")
      .key("idle_power", FLASHLOOM_MEMBER(link.idle_power), Quantity::Power, {0, 1000},
           "the whole link, in all its states")
      .key("transfer_energy", FLASHLOOM_MEMBER(link.transfer_energy), Quantity::EnergyPerByte, {0, 1e-6},
           "each byte on the wires, packet overhead included")
      .key("lane_power", FLASHLOOM_MEMBER(link.lane_power), Quantity::Power, {0, 10},
           "each lane in L0, half of it a direction; SATA counts as one lane")
      .time("l0s_time", FLASHLOOM_MEMBER(link.l0s_time), 0,
            "a direction that has been idle so long is in L0s; 0 s: never")
      .key("l0s_power", FLASHLOOM_MEMBER(link.l0s_power), Quantity::Power, {0, 10}, "each lane in L0s")
      .time("l0s_exit_latency", FLASHLOOM_MEMBER(link.l0s_exit_latency), 0,
            "from L0s until the direction moves data again", 1e12)
      .time("l1_time", FLASHLOOM_MEMBER(link.l1_time), 0,
            "when both directions have been idle so long the link is in L1 (SATA: Partial or Slumber); 0 s: never")
      .key("l1_power", FLASHLOOM_MEMBER(link.l1_power), Quantity::Power, {0, 10}, "each lane in L1")
      .time("l1_exit_latency", FLASHLOOM_MEMBER(link.l1_exit_latency), 0, "from L1 until the link moves data again",
            1e12);
}

void describe_host_interface(std::vector<ConfigKey>& keys) {
  TableBuilder(keys, "host_interface")
      .part("kind", FLASHLOOM_MEMBER(host_interface.kind), "host_interface",
            "command protocol; sata sets the default of queue_depth")
      .count("queue_depth", FLASHLOOM_MEMBER(host_interface.queue_depth), 1, 65536,
             "entries a submission queue; SATA: tags, at most 32, 1: no native command queueing")
      .count("commands", FLASHLOOM_MEMBER(host_interface.commands), 1, 1048576, "commands in the device at once")
      .key("sector_size", FLASHLOOM_MEMBER(host_interface.sector_size), Quantity::Bytes, {512, 4096},
           "logical block: 512 B or 4 KiB")
      .key("atomic_write", FLASHLOOM_MEMBER(host_interface.atomic_write), Quantity::Bytes, {0, 1 << 20},
           "AWUPF: what a power cut never tears, within a mapping unit; 0 B: ftl.mapping_unit")
      .key("namespaces", FLASHLOOM_MEMBER(host_interface.namespaces), Quantity::Bytes, {512, kMaxBytes},
           "sizes of the namespaces, a list, one behind the other on the device; []: one that is all of it");
}

void describe_nvme(std::vector<ConfigKey>& keys) {
  TableBuilder(keys, "nvme")
      .key("model", FLASHLOOM_MEMBER(nvme.model), "model number that a driver sees; \"\": the device's name")
      .key("serial", FLASHLOOM_MEMBER(nvme.serial), "serial number that a driver sees")
      .key("max_transfer", FLASHLOOM_MEMBER(nvme.max_transfer), Quantity::Bytes, {4096, 16 << 20},
           "MDTS: data of one command of a driver at most, 4 KiB times a power of 2")
      .count("namespaces", FLASHLOOM_MEMBER(nvme.namespaces), 1, 1024, "NN: most namespaces that a driver can create")
      .count("doorbell_stride", FLASHLOOM_MEMBER(nvme.doorbell_stride), 0, 8,
             "CAP.DSTRD: doorbells are 4 bytes times 2 to this power apart")
      .count("temperature", FLASHLOOM_MEMBER(nvme.temperature), 200, 400,
             "kelvins that a driver reads while thermal.model is none");
}

void describe_firmware(std::vector<ConfigKey>& keys) {
  TableBuilder(keys, "buffer")
      .choice("location", FLASHLOOM_MEMBER(buffer.location), {"dram", "nvram"},
              "memory of the data buffer; what is acknowledged in nvram outlives a power cut")
      .choice("mode", FLASHLOOM_MEMBER(buffer.mode), {"write_back", "write_through"},
              "write_back answers a write from the buffer; write_through when it is on flash")
      .key("size", FLASHLOOM_MEMBER(buffer.size), Quantity::Bytes, {0, kMaxBytes}, "data buffer")
      .choice("evict", FLASHLOOM_MEMBER(buffer.evict), {"pages", "blocks"},
              "what leaves: a page (buffer.replacement), or a whole logical block (buffer.write_buffer)")
      .part("replacement", FLASHLOOM_MEMBER(buffer.replacement), "replacement",
            "which page leaves; with evict = blocks, of the read cache")
      .part("write_buffer", FLASHLOOM_MEMBER(buffer.write_buffer), "write_buffer",
            "which logical block leaves, with evict = blocks")
      .part("correlation", FLASHLOOM_MEMBER(buffer.correlation), "correlation",
            "which pages belong together and leave together; placement cold keeps them so")
      .key("read_cache", FLASHLOOM_MEMBER(buffer.read_cache), Quantity::Ratio, {0, 1},
           "share of the resident units that may be clean ones, kept after they were read; 0: none is kept")
      .key("read_ahead", FLASHLOOM_MEMBER(buffer.read_ahead), Quantity::Bytes, {0, 1 << 30},
           "largest window of sequential read-ahead into the read cache; 0 B: none")
      .key("high_watermark", FLASHLOOM_MEMBER(buffer.high_watermark), Quantity::Ratio, {0, 1},
           "dirty share of the resident units above which destaging begins before room is needed")
      .key("low_watermark", FLASHLOOM_MEMBER(buffer.low_watermark), Quantity::Ratio, {0, 1},
           "dirty share at which it ends; at most high_watermark")
      .count("split", FLASHLOOM_MEMBER(buffer.split), 1, kMaxBufferParts,
             "equal parts of the buffer, each for the jobs of its number modulo this; 1: all jobs share it")
      .key("coalesce", FLASHLOOM_MEMBER(buffer.coalesce),
           "a page that leaves takes others with it that fill its program unit, logical neighbours first")
      .count("destage_units", FLASHLOOM_MEMBER(buffer.destage_units), 0, 1 << 24,
             "mapping units on their way to flash at most, and never more than half of the buffer; 0: four program "
             "units a die")
      .key("room_waits", FLASHLOOM_MEMBER(buffer.room_waits),
           "note what writes wait for that find the buffer full (buffer.room_waits of the result)");
  TableBuilder(keys, "ftl")
      .part("kind", FLASHLOOM_MEMBER(ftl.kind), "ftl", "flash translation layer")
      .key("mapping_unit", FLASHLOOM_MEMBER(ftl.mapping_unit), Quantity::Bytes, {512, 1 << 20},
           "what one L2P entry maps; divides nand.page_size")
      .key("over_provisioning", FLASHLOOM_MEMBER(ftl.over_provisioning), Quantity::Ratio, {0.001, 100},
           "(raw - logical) / logical")
      .key("logical_size", FLASHLOOM_MEMBER(ftl.logical_size), Quantity::Bytes, {0, kMaxBytes},
           "what the host sees; 0 B: from over_provisioning")
      .choice("map_location", FLASHLOOM_MEMBER(ftl.map_location), {"dram", "nvram"}, "memory of the L2P table")
      .part("garbage_collection", FLASHLOOM_MEMBER(ftl.garbage_collection), "garbage_collection",
            "which block is collected")
      .part("wear_leveling", FLASHLOOM_MEMBER(ftl.wear_leveling), "wear_leveling", "how erases spread over the blocks")
      .part("placement", FLASHLOOM_MEMBER(ftl.placement), "placement", "which die or plane a write goes to")
      .part("zone_dies", FLASHLOOM_MEMBER(ftl.zone_dies), "zone_dies",
            "on which dies a zone lies, of a device with zones that lie on some (ftl.kind, dies)")
      .part("streams", FLASHLOOM_MEMBER(ftl.streams), "streams", "which writes share blocks")
      .part("recovery", FLASHLOOM_MEMBER(ftl.recovery), "recovery", "how the map is found again after power-on")
      .part("arbitration", FLASHLOOM_MEMBER(ftl.arbitration), "arbitration", "order of flash commands at a die")
      .count("queue_limit", FLASHLOOM_MEMBER(ftl.queue_limit), 0, 1 << 20,
             "flash commands queued or under way at a die at most, then firmware waits; 0: any number")
      .choice("gc_unit", FLASHLOOM_MEMBER(ftl.gc_unit), {"block", "superblock"},
              "what is opened, collected, erased and counted as free space: a block of a die, or the blocks of one "
              "number of a group of dies together")
      .count("superblock_dies", FLASHLOOM_MEMBER(ftl.superblock_dies), 0, 65536,
             "dies of a superblock, consecutive ones, divide all dies; 0: all. Needs ftl.gc_unit = \"superblock\"")
      .choice("superblock_by", FLASHLOOM_MEMBER(ftl.superblock_by), {"position", "speed"},
              "members of a superblock: the blocks of one number, or those of one rank by the time that they take to "
              "be erased and filled, as the manufacturer's test finds it; speed needs nand.variation")
      .count("rain", FLASHLOOM_MEMBER(ftl.rain), 0, 2,
             "parity over dies: program units of it in each stripe of a superblock, 1 (XOR) or 2 (P and Q); 0: none")
      .choice("rain_memory", FLASHLOOM_MEMBER(ftl.rain_memory), {"dram", "sram"},
              "where the parity of stripes that are being filled is: in DRAM, or in SRAM, which takes no time")
      .choice("gc_mode", FLASHLOOM_MEMBER(ftl.gc_mode), {"paced", "blocking"},
              "paced: each program unit of host data brings its share of the copies, beside host commands; blocking: "
              "whole victims, one at a time, page by page, and no host command goes to flash meanwhile")
      .count("gc_low", FLASHLOOM_MEMBER(ftl.gc_low), 1, 1 << 20,
             "free blocks of a die (superblocks of a group) at which foreground GC starts")
      .count("gc_high", FLASHLOOM_MEMBER(ftl.gc_high), 2, 1 << 20,
             "free blocks of a die (superblocks of a group) at which it stops")
      .count("gc_pause", FLASHLOOM_MEMBER(ftl.gc_pause), 0, 1 << 30,
             "mapping units that GC copies at most before each program unit of host data, while the die has more than "
             "its last free block; 0: as many as its free space needs")
      .count("gc_background", FLASHLOOM_MEMBER(ftl.gc_background), 0, 1 << 20,
             "free blocks of a die (superblocks of a group) up to which GC goes on while the host is idle; 0: no "
             "background GC")
      .time("gc_idle_time", FLASHLOOM_MEMBER(ftl.gc_idle_time), 0,
            "without a host command, before background GC begins")
      .count("scrub_reads", FLASHLOOM_MEMBER(ftl.scrub_reads), 0, 1e12,
             "reads of a block since its erase from which on its data are moved; 0: never")
      .count(
          "scrub_level", FLASHLOOM_MEMBER(ftl.scrub_level), 0, 17,
          "a block one of whose reads needed this level of read retry, or a higher one, has its data moved; 0: never")
      .count("slc_low", FLASHLOOM_MEMBER(ftl.slc_low), 0, 1 << 20,
             "while a die's SLC cache can have fewer more blocks, folding goes with the host's writes; 0: never")
      .key("slc_idle", FLASHLOOM_MEMBER(ftl.slc_idle), "the SLC cache is folded while the host is idle");
}

std::vector<std::string> onfi_interface_names() {
  std::vector<std::string> names = {"custom"};
  for (const OnfiInterface& interface : onfi_interfaces()) names.emplace_back(interface.name);
  return names;
}

/// Keys of [nand] about the interactions between a die's operations, and about the bus protocol.
void describe_nand_commands(std::vector<ConfigKey>& keys) {
  TableBuilder(keys, "nand")
      .count("independent_planes", FLASHLOOM_MEMBER(nand.independent_planes), 1, 16,
             "groups of a die's planes that read independently of each other (AIPR); divides nand.planes; 1: none do")
      .key("cache_read", FLASHLOOM_MEMBER(nand.cache_read), "the array reads a page while the one before is sent")
      .key("cache_program", FLASHLOOM_MEMBER(nand.cache_program),
           "data of a page come in while the array programs the one before")
      .time("cache_busy_time", FLASHLOOM_MEMBER(nand.cache_busy_time), 0,
            "tRCBSY, tPCBSY: data go between page register and cache register")
      .key("program_suspend", FLASHLOOM_MEMBER(nand.program_suspend),
           "programs can be suspended for reads; the arbitration decides when")
      .key("erase_suspend", FLASHLOOM_MEMBER(nand.erase_suspend), "erases can be, too")
      .time("program_suspend_time", FLASHLOOM_MEMBER(nand.program_suspend_time), 0,
            "from the suspend command until the array serves a read")
      .time("erase_suspend_time", FLASHLOOM_MEMBER(nand.erase_suspend_time), 0,
            "from the suspend command until the array serves a read")
      .time("program_resume_time", FLASHLOOM_MEMBER(nand.program_resume_time), 0,
            "array time that a resumed program takes longer")
      .time("erase_resume_time", FLASHLOOM_MEMBER(nand.erase_resume_time), 0,
            "array time that a resumed erase takes longer")
      .count("suspend_cycles", FLASHLOOM_MEMBER(nand.suspend_cycles), 1, 64,
             "command and address cycles of a suspension, and of a resumption")
      .time("suspend_interval", FLASHLOOM_MEMBER(nand.suspend_interval), 0,
            "array time that an operation gets from its begin or resumption to its next suspension at least")
      .count("suspend_limit", FLASHLOOM_MEMBER(nand.suspend_limit), 1, 1'000'000,
             "suspensions of one operation at most")
      .time("suspend_hold", FLASHLOOM_MEMBER(nand.suspend_hold), 0,
            "an operation that has stood suspended so long goes on before further reads")
      .choice("ready_detection", FLASHLOOM_MEMBER(nand.ready_detection), {"rb", "polling"},
              "how the controller learns that an array is done: R/B# pin, or status reads over the bus")
      .time("poll_interval", FLASHLOOM_MEMBER(nand.poll_interval), 1,
            "between two status reads, and before the first one of an operation")
      .choice("interface", FLASHLOOM_MEMBER(nand.interface), onfi_interface_names(),
              "ONFI data interface; with the timing mode it sets the defaults of transfer_rate, command_cycle, "
              "data_in_setup, data_out_setup and status_time")
      .count("timing_mode", FLASHLOOM_MEMBER(nand.timing_mode), 0, 12, "of the interface")
      .time("data_in_setup", FLASHLOOM_MEMBER(nand.data_in_setup), 0,
            "tADL, tWPRE: from the address to the first data-in cycle, each page of a program")
      .time("data_out_setup", FLASHLOOM_MEMBER(nand.data_out_setup), 0,
            "tRR, tRPRE: from the grant of the bus to the first data-out cycle")
      .count("warmup_cycles", FLASHLOOM_MEMBER(nand.warmup_cycles), 0, 4,
             "strobe cycles without data before each burst of data: 0, 1, 2 or 4")
      .time("status_time", FLASHLOOM_MEMBER(nand.status_time), 0, "tWHR: from the command of a status read to its byte")
      .time("way_switch_time", FLASHLOOM_MEMBER(nand.way_switch_time), 0,
            "a channel's bus turns from one way to another: chip enables change")
      .time("channel_switch_time", FLASHLOOM_MEMBER(nand.channel_switch_time), 0,
            "between the starts of two commands on different channels: the controller turns to another one");
}

/// Keys of blocks in pseudo-SLC mode.
void describe_slc(std::vector<ConfigKey>& keys) {
  TableBuilder(keys, "nand")
      .count("slc_blocks", FLASHLOOM_MEMBER(nand.slc_blocks), 0, 1 << 20,
             "first blocks of each plane that work in pseudo-SLC mode, as a write cache of the FTL; no part of the "
             "capacity; 0: none")
      .count("slc_dynamic", FLASHLOOM_MEMBER(nand.slc_dynamic), 0, 1 << 20,
             "blocks of each plane beyond these that the write cache may borrow of the capacity at a time, while more "
             "than "
             "ftl.gc_high are free; 0: none")
      .time("slc_read_time", FLASHLOOM_MEMBER(nand.slc_read_time), 1, "tR in SLC mode")
      .time("slc_program_time", FLASHLOOM_MEMBER(nand.slc_program_time), 1,
            "tPROG in SLC mode, of each page of a plane's program unit")
      .time("slc_erase_time", FLASHLOOM_MEMBER(nand.slc_erase_time), 0, "tBERS in SLC mode; 0 s: erase_time")
      .count(
          "slc_endurance", FLASHLOOM_MEMBER(nand.slc_endurance), 0, 1e9,
          "P/E cycles after which blocks in SLC mode fail, with endurance_deviation; of slc_dynamic each cycle counts "
          "endurance / this; 0: never, of slc_dynamic as any cycle");
}

void describe_nand(std::vector<ConfigKey>& keys) {
  TableBuilder(keys, "nand")
      .count("channels", FLASHLOOM_MEMBER(nand.channels), 1, 256, "channels")
      .count("ways", FLASHLOOM_MEMBER(nand.ways), 1, 256, "packages (chip enables) a channel")
      .count("dies", FLASHLOOM_MEMBER(nand.dies), 1, 64, "dies (LUNs) a way")
      .count("planes", FLASHLOOM_MEMBER(nand.planes), 1, 16, "planes a die")
      .count("blocks", FLASHLOOM_MEMBER(nand.blocks), 4, 1 << 20, "blocks a plane")
      .count("pages", FLASHLOOM_MEMBER(nand.pages), 1, 65536, "pages a block")
      .key("page_size", FLASHLOOM_MEMBER(nand.page_size), Quantity::Bytes, {512, 1 << 20}, "data bytes of a page")
      .key("spare_size", FLASHLOOM_MEMBER(nand.spare_size), Quantity::Bytes, {0, 1 << 18},
           "out-of-band bytes of a page")
      .key("multi_plane_program", FLASHLOOM_MEMBER(nand.multi_plane_program),
           "program and erase all planes of a die together")
      .count("pages_per_program", FLASHLOOM_MEMBER(nand.pages_per_program), 1, 8,
             "pages of a plane programmed together (TLC one-shot: 3)")
      .choice("unit_layout", FLASHLOOM_MEMBER(nand.unit_layout), {"plane_first", "page_first"},
              "how mapping units fill a program unit of several planes and pages: a row of all planes, then the next, "
              "or all pages of a plane, then the next plane")
      .count("partial_programs", FLASHLOOM_MEMBER(nand.partial_programs), 1, 16,
             "NOP: programs that a page takes before its block is erased; firmware programs equal parts of it")
      .key("in_order_program", FLASHLOOM_MEMBER(nand.in_order_program), "pages of a block must be programmed in order")
      .key("multi_plane_read", FLASHLOOM_MEMBER(nand.multi_plane_read),
           "pages of one row may be read from several planes together")
      .key("page_register", FLASHLOOM_MEMBER(nand.page_register),
           "a read of the page that a die has read last takes no tR: its register holds the page until the die works "
           "on another")
      .key("copyback", FLASHLOOM_MEMBER(nand.copyback),
           "GC copies inside a die whatever fills a program unit: no data on the bus")
      .choice("page_order", FLASHLOOM_MEMBER(nand.page_order), {"word_line", "shadow"},
              "page types in programming order: word line by word line, or shadow programming of neighbours")
      .count("endurance", FLASHLOOM_MEMBER(nand.endurance), 0, 1e9,
             "P/E cycles after which blocks fail and are never used again; 0: never")
      .key("endurance_deviation", FLASHLOOM_MEMBER(nand.endurance_deviation), Quantity::Ratio, {0, 0.16},
           "standard deviation of that between blocks, a share of it")
      .key("program_failures", FLASHLOOM_MEMBER(nand.program_failures), Quantity::Ratio, {0, 1},
           "share of the worn-out blocks that fail in a program; the others fail in their erase")
      .key("factory_bad_blocks", FLASHLOOM_MEMBER(nand.factory_bad_blocks), Quantity::Ratio, {0, 0.5},
           "share of the erase units that are marked bad before first use and never used, drawn from the seed")
      .key("erase_failure_rate", FLASHLOOM_MEMBER(nand.erase_failure_rate), Quantity::Ratio, {0, 0.1},
           "of an erase: probability that its block fails for good, whatever its wear")
      .key("program_failure_rate", FLASHLOOM_MEMBER(nand.program_failure_rate), Quantity::Ratio, {0, 0.1},
           "of a program: probability that it fails, and that its block is never used again")
      .choice("program_failure_at", FLASHLOOM_MEMBER(nand.program_failure_at), {"program", "cycle"},
              "where program_failure_rate shows: in that program, in the midst of a block (FTLs that map pages), or in "
              "the first program of the P/E cycle")
      .count("failure_growth", FLASHLOOM_MEMBER(nand.failure_growth), 0, 1e9,
             "P/E cycles after which erase_failure_rate and program_failure_rate have doubled; they grow on so; 0: "
             "they do not")
      .count("failed_program", FLASHLOOM_MEMBER(nand.failed_program), 0, 1e15,
             "number of the program (of data and copies, from 1) that fails, for experiments; 0: none")
      .count("die_failure_at", FLASHLOOM_MEMBER(nand.die_failure_at), 0, 1e15,
             "number of the program with which failed_die fails as a whole; 0: never")
      .count("failed_die", FLASHLOOM_MEMBER(nand.failed_die), 0, 4095, "die that fails then; from 0")
      .key("paired_pages", FLASHLOOM_MEMBER(nand.paired_pages),
           "a power cut in a program may destroy older pages of its word line; firmware fills word lines before it "
           "calls data durable")
      .time("read_time", FLASHLOOM_MEMBER(nand.read_time), 1,
            "tR; one value a page type (SLC 1, MLC 2, TLC 3, QLC 4), lower page first")
      .time("program_time", FLASHLOOM_MEMBER(nand.program_time), 1,
            "tPROG; one value a page type; a one-shot program takes the last")
      .count("program_passes", FLASHLOOM_MEMBER(nand.program_passes), 1, 2,
             "2: a program unit is programmed twice, and cannot be read before its second pass, which comes with the "
             "next unit's first one (foggy-fine, 8-16); firmware keeps its data until then")
      .time("first_pass_time", FLASHLOOM_MEMBER(nand.first_pass_time), 0,
            "tPROG of the first of two passes, 0: half of nand.program_time, which is that of the second")
      .count("first_pass_pages", FLASHLOOM_MEMBER(nand.first_pass_pages), 0, 8,
             "pages of a plane's program unit whose data the first of two passes takes; the second takes the rest. 0: "
             "both take all (foggy-fine)")
      .time("erase_time", FLASHLOOM_MEMBER(nand.erase_time), 1, "tBERS")
      .key("program_time_spread", FLASHLOOM_MEMBER(nand.program_time_spread), Quantity::Ratio, {0, 0.9},
           "tPROG of each program lies uniformly within this share of it, up and down")
      .key("transfer_rate", FLASHLOOM_MEMBER(nand.transfer_rate), Quantity::TransferRate, {10e6, 4800e6},
           "bus transfers a second")
      .count("bus_width", FLASHLOOM_MEMBER(nand.bus_width), 8, 16, "bits a transfer: 8 or 16")
      .time("command_cycle", FLASHLOOM_MEMBER(nand.command_cycle), 1, "one command or address cycle", 1e9)
      .count("read_cycles", FLASHLOOM_MEMBER(nand.read_cycles), 1, 64, "command and address cycles of a read")
      .count("program_cycles", FLASHLOOM_MEMBER(nand.program_cycles), 1, 64, "of a page program")
      .count("erase_cycles", FLASHLOOM_MEMBER(nand.erase_cycles), 1, 64, "of a block erase")
      .key("transfer_spare", FLASHLOOM_MEMBER(nand.transfer_spare), "data cycles include the out-of-band bytes")
      .key("array_voltage", FLASHLOOM_MEMBER(nand.array_voltage), Quantity::Voltage, {0.1, 20}, "supply of the array")
      .key("io_voltage", FLASHLOOM_MEMBER(nand.io_voltage), Quantity::Voltage, {0.1, 20}, "supply of the bus")
      .key("read_current", FLASHLOOM_MEMBER(nand.read_current), Quantity::Current, {0, 10}, "a die during tR")
      .key("program_current", FLASHLOOM_MEMBER(nand.program_current), Quantity::Current, {0, 10}, "a die during tPROG")
      .key("erase_current", FLASHLOOM_MEMBER(nand.erase_current), Quantity::Current, {0, 10}, "a die during tBERS")
      .key("bus_current", FLASHLOOM_MEMBER(nand.bus_current), Quantity::Current, {0, 10},
           "a channel while it moves data")
      .key("standby_current", FLASHLOOM_MEMBER(nand.standby_current), Quantity::Current, {0, 10},
           "each die whenever its array is idle");
}

void describe_run(std::vector<ConfigKey>& keys) {
  TableBuilder(keys, "precondition")
      .key("fill", FLASHLOOM_MEMBER(precondition.fill), Quantity::Ratio, {0, 1},
           "share of the logical space written sequentially beforehand")
      .key("request_size", FLASHLOOM_MEMBER(precondition.request_size), Quantity::Bytes, {512, 1 << 24},
           "of that sequential write; what a write buffer takes for belonging together may depend on it")
      .key("steady", FLASHLOOM_MEMBER(precondition.steady), "then random overwrites until write amplification settles")
      .count("max_passes", FLASHLOOM_MEMBER(precondition.max_passes), 1, 1000,
             "give up settling after so many capacity writes");
  TableBuilder(keys, "power")
      .time("cut_at", FLASHLOOM_MEMBER(power.cut_at), 0, "instant of a power cut; 0 s: none", kMaxTime)
      .count("cuts", FLASHLOOM_MEMBER(power.cuts), 0, 1e6, "power cuts in all; 0: one if cut_at is given, else none")
      .time("cut_spacing", FLASHLOOM_MEMBER(power.cut_spacing), 0,
            "cuts that cut_at does not set: mean time from power-on, uniform up to twice that")
      .count("cut_seed", FLASHLOOM_MEMBER(power.cut_seed), 0, kMaxCount, "seed of their instants; 0: the device's")
      .choice("torn", FLASHLOOM_MEMBER(power.torn), {"mixed", "uncorrectable"},
              "programs and erases that a cut strikes: uncorrectable, garbage or seemingly fine by seeded choice, or "
              "always uncorrectable")
      .key("plp", FLASHLOOM_MEMBER(power.plp), "power-loss protection: capacitors hold the device up for a flush")
      .key("plp_energy", FLASHLOOM_MEMBER(power.plp_energy), Quantity::Energy, {0, 1000},
           "what the capacitors give; 0 J: as much as it takes")
      .draws_only(false)
      .choice(
          "plp_flush", FLASHLOOM_MEMBER(power.plp_flush), {"buffer", "flash"},
          "what a flush and FUA wait for with plp: the buffer, which the capacitors hold up (plp_energy must do), or "
          "flash")
      .key("plp_leakage", FLASHLOOM_MEMBER(power.plp_leakage), Quantity::Power, {0, 100},
           "what keeps the capacitors charged, before the regulators")
      .draws_only(true)
      .key("plp_charge_efficiency", FLASHLOOM_MEMBER(power.plp_charge_efficiency), Quantity::Ratio, {0.1, 1},
           "of their charger: what comes to them of what the supply gives, after each power cut")
      .draws_only(false)
      .time("off_time", FLASHLOOM_MEMBER(power.off_time), 1, "until power returns")
      .key("cap", FLASHLOOM_MEMBER(power.cap), Quantity::Power, {0, 1000},
           "flash arrays with the standby of their dies draw no more, on the mean of any window; 0 W: no cap")
      .draws_only(false)
      .time("cap_window", FLASHLOOM_MEMBER(power.cap_window), 1e3, "length of the window", 1e12)
      .count("cap_dies", FLASHLOOM_MEMBER(power.cap_dies), 0, 65536,
             "dies whose array is busy at the same time at most; 0: any number")
      .time("peak_window", FLASHLOOM_MEMBER(power.peak_window), PeakWindow::kShortest,
            "window of the reported peak power of the whole device: its highest mean over any so long",
            PeakWindow::kLongest)
      .key("supply_voltage", FLASHLOOM_MEMBER(power.supply_voltage), Quantity::Voltage, {0.1, 100},
           "of the device's supply: currents in tables and figures are its power divided by that, nothing else changes")
      .key("regulator_efficiency", FLASHLOOM_MEMBER(power.regulator_efficiency), Quantity::Ratio, {0.5, 1},
           "of the regulators between supply and parts: what is lost there is a component of its own; 1: nothing")
      .draws_only(true)
      .count("state", FLASHLOOM_MEMBER(power.state), 0, 31, "operational power state that the host has chosen")
      .key("states", FLASHLOOM_MEMBER(power.states),
           "power states of the device, [[power.states]]: operational, max_power, idle_power, idle_time, "
           "entry_latency, exit_latency");
  TableBuilder(keys, "faults")
      .key("flush_ignored", FLASHLOOM_MEMBER(faults.flush_ignored), Quantity::Ratio, {0, 1},
           "a drive that lies: probability of a flush to be acknowledged, and not carried out")
      .key("fua_ignored", FLASHLOOM_MEMBER(faults.fua_ignored), Quantity::Ratio, {0, 1},
           "of a FUA write to be acknowledged as soon as it is in the volatile buffer")
      .key("torn_writes", FLASHLOOM_MEMBER(faults.torn_writes), Quantity::Ratio, {0, 1},
           "of a write whose program a power cut strikes to leave some of its sectors new, others old, in one mapping "
           "unit; with verify")
      .key("lost_writes", FLASHLOOM_MEMBER(faults.lost_writes), Quantity::Ratio, {0, 1},
           "of a write to be acknowledged, and not carried out")
      .key("misdirected_writes", FLASHLOOM_MEMBER(faults.misdirected_writes), Quantity::Ratio, {0, 1},
           "of a write to overwrite another place of the device");
}

std::vector<ConfigKey> describe_power_state() {
  std::vector<ConfigKey> keys;
  TableBuilder(keys, "power.states")
      .key("operational", FLASHLOOM_MEMBER(power.states.front().operational), "serves commands")
      .key("max_power", FLASHLOOM_MEMBER(power.states.front().max_power), Quantity::Power, {0, 1000},
           "operational: that the whole device draws at most, mean over each power.cap_window; what other parts can "
           "draw is set aside, the arrays and the bytes on the link share the rest; 0 W: any")
      .draws_only(false)
      .key("idle_power", FLASHLOOM_MEMBER(power.states.front().idle_power), Quantity::Power, {0, 1000},
           "non-operational: what the whole device draws")
      .time("idle_time", FLASHLOOM_MEMBER(power.states.front().idle_time), 0,
            "non-operational: after idling so long the device enters it by itself; 0 s: never")
      .time("entry_latency", FLASHLOOM_MEMBER(power.states.front().entry_latency), 0,
            "from the end of idle_time until idle_power is drawn")
      .time("exit_latency", FLASHLOOM_MEMBER(power.states.front().exit_latency), 0,
            "from the first command until it is served");
  return keys;
}

using DescribeTable = void (*)(std::vector<ConfigKey>&);
constexpr DescribeTable kDescriptions[] = {
    describe_top,         describe_host,        describe_host_cache, describe_link,          describe_host_interface,
    describe_nvme,        describe_cpu,         describe_controller, describe_memories,      describe_compression,
    describe_firmware,    describe_fdp,         describe_nand,       describe_nand_commands, describe_slc,
    describe_cells,       describe_nand_energy, describe_errors,     describe_variation,     describe_network,
    describe_run,         describe_thermal,     describe_hdd,        describe_tier,          describe_array,
    describe_array_nvram, describe_heap,        describe_heap_nvram};

}  // namespace

const std::vector<ConfigKey>& config_schema() {
  static const std::vector<ConfigKey> schema = [] {
    std::vector<ConfigKey> keys;
    for (const DescribeTable describe : kDescriptions) describe(keys);
    return keys;
  }();
  return schema;
}

const std::vector<ConfigKey>& power_state_schema() {
  static const std::vector<ConfigKey> schema = describe_power_state();
  return schema;
}

const std::vector<ConfigKey>& operating_point_schema() {
  static const std::vector<ConfigKey> schema = describe_operating_point();
  return schema;
}

const std::vector<std::string>& config_tables() {
  static const std::vector<std::string> tables = [] {
    std::vector<std::string> names;
    for (const ConfigKey& key : config_schema())
      if (!key.table.empty() && (names.empty() || names.back() != key.table)) names.push_back(key.table);
    return names;
  }();
  return tables;
}

const ConfigKey* find_config_key(const std::string& path) {
  for (const ConfigKey& key : config_schema())
    if (key.path() == path) return &key;
  return nullptr;
}

std::string quantity_text(Quantity quantity, double value) {
  if (is_exact(quantity)) return format_exact(quantity, static_cast<std::uint64_t>(value));
  if (quantity == Quantity::None || quantity == Quantity::Ratio) return fmt::format("{}", value);
  return format_real(quantity, value);
}

std::string config_range(const ConfigKey& key) {
  if (!key.choices.empty()) {
    std::string text;
    for (const std::string& choice : key.choices) text += (text.empty() ? "" : " | ") + choice;
    return text;
  }
  if (key.minimum == key.maximum) return {};
  const std::string type = config_type(key);
  const bool integer = key.quantity == Quantity::None && (type == "integer" || type == "array of integers");
  const auto bound = [&](double value) {
    return integer ? fmt::format("{:.0f}", value) : quantity_text(key.quantity, value);
  };
  // The key has no upper bound other than that of its type.
  if (key.maximum >= kMaxCount) return "at least " + bound(key.minimum);
  return bound(key.minimum) + " .. " + bound(key.maximum);
}

}  // namespace flashloom

// What a device file's [nand] table says: geometry, timing, bus and currents of the flash back end.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/quantity.hpp"
#include "models/common/types.hpp"
#include "models/nand/error_config.hpp"
#include "models/nand/network_config.hpp"
#include "models/nand/variation_config.hpp"

namespace flashloom {

/// "custom", and those of onfi_timing_modes.hpp.
std::vector<std::string> onfi_interface_names();

struct NandConfig {
  // Geometry.
  std::uint32_t channels = 8;
  std::uint32_t ways = 2;                   ///< packages (chip enables) a channel
  std::uint32_t dies = 1;                   ///< dies (LUNs) a way
  std::uint32_t planes = 1;                 ///< planes a die
  std::uint32_t blocks = 256;               ///< blocks a plane
  std::uint32_t pages = 256;                ///< pages a block
  std::uint32_t page_size = 4096;           ///< bytes of data a page
  std::uint32_t spare_size = 128;           ///< out-of-band bytes a page
  bool multi_plane_program = false;         ///< program and erase all planes of a die together
  std::uint32_t pages_per_program = 1;      ///< pages of a plane programmed together (TLC one-shot: 3)
  std::string unit_layout = "plane_first";  ///< or "page_first": how units fill a program unit (NandGeometry)
  std::uint32_t partial_programs = 1;       ///< NOP: programs that a page takes, an equal part of it each
  bool in_order_program = true;             ///< pages of a block must be programmed in order
  bool multi_plane_read = false;            ///< pages of several planes may be read together
  std::uint32_t independent_planes = 1;     ///< groups of a die's planes that read independently (AIPR); 1: none do
  bool page_register = false;               ///< a page read last needs no tR as long as the die has done nothing else
  bool copyback = false;                 ///< a page may be programmed from the page register that holds the page read
  std::string page_order = "word_line";  ///< "word_line" or "shadow": maps page numbers to page types (PageOrder)
  // Blocks in pseudo-SLC mode: one bit a cell. Source of the times: HP, "Solid State Drive Technology: differences
  // between SLC, MLC and TLC NAND", table 1 (a weak source: it is about SLC dies, not about the mode).
  std::uint32_t slc_blocks = 0;                       ///< the first blocks of each plane, permanently; 0: none
  std::uint32_t slc_dynamic = 0;                      ///< other blocks that may be in that mode at a time; 0: none
  Picoseconds slc_read_time = 25 * kMicrosecond;      ///< tR
  Picoseconds slc_program_time = 200 * kMicrosecond;  ///< tPROG of each page of a plane's program unit
  Picoseconds slc_erase_time = 0;                     ///< tBERS; 0: erase_time
  std::uint32_t slc_endurance = 0;                    ///< P/E cycles after which blocks in that mode fail; 0: never
  // Wear.
  std::uint32_t endurance = 0;      ///< P/E cycles after which blocks fail; 0: never
  double endurance_deviation = 0;   ///< standard deviation between blocks, as a share of `endurance`
  double program_failures = 0;      ///< share of the worn-out blocks that fail in a program, not in their erase
  double factory_bad_blocks = 0;    ///< share of the erase units that are marked bad before first use
  double erase_failure_rate = 0;    ///< probability that an erase fails for good, regardless of wear
  double program_failure_rate = 0;  ///< same for a program
  std::string program_failure_at = "program";  ///< where a failure shows: "program", or "cycle" (its first program)
  std::uint32_t failure_growth = 0;            ///< P/E cycles in which both rates double; 0: they are constant
  std::uint64_t failed_program = 0;            ///< number of the program that fails, for experiments; 0: none
  std::uint64_t die_failure_at = 0;            ///< number of the program at which failed_die dies; 0: never
  std::uint32_t failed_die = 0;
  bool paired_pages = false;  ///< a power cut in a program may destroy older pages of its word line
  // Array times, one value a page type: SLC 1, MLC 2, TLC 3, QLC 4, lower page first.
  std::vector<Picoseconds> read_time = {50 * kMicrosecond};  ///< tR; with `senses`: times_by_senses()
  /// Number of senses to read a page of each type: one for each boundary between levels at which its bit changes (Gray
  /// code; 2^n levels have 2^n - 1 boundaries). Empty: read_time gives the times. sense_time: precharge, evaluation and
  /// discharge of bit lines, 24 + 5 + 10 us (Park et al., "Reducing solid-state drive read latency by optimizing
  /// read-retry", ASPLOS 2021, whose tR has no other part).
  std::vector<std::uint32_t> senses = {};
  Picoseconds sense_time = 39 * kMicrosecond;  ///< time of one sense
  Picoseconds read_setup = 0;                  ///< added to the senses of each read
  double open_read_factor = 1;                 ///< multiplies tR while the block has unprogrammed pages
  std::vector<Picoseconds> program_time = {600 * kMicrosecond};  ///< tPROG; a one-shot program takes the last value
  /// Passes of a program unit over its cells. 2: the second pass, of program_time, follows the first pass of the
  /// block's next program unit, which disturbs the cells; until then the unit cannot be read. Foggy-fine programming
  /// of QLC: US patent 11,837,277 B2; fewer pages in the first pass: 11,437,104 B2 (two), 11,269,725 B2 (three).
  std::uint32_t program_passes = 1;
  Picoseconds first_pass_time = 0;     ///< with two passes; 0: half of program_time (an assumption)
  std::uint32_t first_pass_pages = 0;  ///< pages of a plane that the first pass takes (the second: the rest); 0: all
  Picoseconds erase_time = 3 * kMillisecond;  ///< tBERS
  /// Share of a block's pages that must be programmed before its erase, to avoid over-erasing erased cells; firmware
  /// programs padding. Blocks without any programmed page are exempt. 0: no such limit.
  double partial_erase_limit = 0;
  double program_time_spread = 0;  ///< tPROG of each program varies uniformly by up to this share, up and down
  // Operations of one die that overlap, or interrupt each other (NandOverlap).
  bool cache_read = false;                         ///< the array reads a page while the previous one is transferred
  bool cache_program = false;                      ///< a page is transferred while the array programs the previous one
  Picoseconds cache_busy_time = 3 * kMicrosecond;  ///< tRCBSY, tPCBSY: transfer between page and cache register
  bool program_suspend = false;                    ///< a program gives way to reads
  bool erase_suspend = false;                      ///< an erase gives way to reads
  Picoseconds program_suspend_time = 20 * kMicrosecond;  ///< from the command until the array serves a read
  Picoseconds erase_suspend_time = 100 * kMicrosecond;
  Picoseconds program_resume_time = 5 * kMicrosecond;  ///< array time that resuming costs
  Picoseconds erase_resume_time = 50 * kMicrosecond;
  std::uint32_t suspend_cycles = 1;                   ///< bus cycles of the suspend, and of the resume command
  Picoseconds suspend_interval = 100 * kMicrosecond;  ///< array time that an operation gets before each suspension
  std::uint32_t suspend_limit = 8;                    ///< suspensions of one operation
  Picoseconds suspend_hold = kMillisecond;            ///< after this time suspended, it resumes before further reads
  // How the controller learns that an array is done.
  std::string ready_detection = "rb";             ///< "rb" (R/B# pin) or "polling" (status reads, 70h)
  Picoseconds poll_interval = 10 * kMicrosecond;  ///< between two status reads, and before the first
  // Bus.
  std::string interface = "custom";  ///< "custom", or an ONFI data interface (onfi_timing_modes.hpp)
  std::uint32_t timing_mode = 0;     ///< of that interface; both set the defaults of the rest
  Picoseconds data_in_setup = 0;     ///< from the address to the first data-in cycle (tADL, tWPRE), each page
  Picoseconds data_out_setup = 0;    ///< from the grant of the bus to the first data-out cycle (tRR, tRPRE)
  std::uint32_t warmup_cycles = 0;   ///< strobes before the data, each burst of data, that move none (ONFI: 0, 1, 2, 4)
  Picoseconds status_time = 80 * kNanosecond;    ///< tWHR of a status read: from its command to its byte
  Picoseconds way_switch_time = 0;               ///< time to change chip enables when a channel's bus changes ways
  Picoseconds channel_switch_time = 0;           ///< between the starts of two commands on different channels
  std::uint64_t transfer_rate = 1'000'000'000;   ///< transfers a second (400 MT/s = 400'000'000)
  std::uint32_t bus_width = 8;                   ///< bits
  Picoseconds command_cycle = 25 * kNanosecond;  ///< one command or address cycle
  std::uint32_t read_cycles = 7;     ///< 00h, 5 address, 30h (32h between planes; 35h copyback); selecting a plane's
                                     ///< data (06h, 5 address, E0h) takes as many
  std::uint32_t program_cycles = 7;  ///< 80h, 5 address, 10h; again for each further page of a program
  std::uint32_t erase_cycles = 5;    ///< 60h, 3 address, D0h; again for each further plane
  bool transfer_spare = false;       ///< data cycles include the out-of-band bytes
  // Power. Amperes and volts.
  double array_voltage = 3.3;
  double io_voltage = 3.3;
  double read_current = 0.025;
  double program_current = 0.025;
  double erase_current = 0.025;
  double bus_current = 0.005;
  double standby_current = 10e-6;  ///< each die, whenever its array is idle
  double idle_power = 0;           ///< W; replaces array_voltage x standby_current unless 0
  // Energy of array operations (NandEnergy). Joules a byte, one value a page type or one for all, lower page first.
  std::string energy_model = "current";        ///< "current" (and time) or "bits"
  double plane_current_share = 0;              ///< "current": share of it that each further plane of an operation adds
  std::vector<double> read_energy = {1.2e-9};  ///< of pages sensed
  std::vector<double> program_energy = {26.48e-9};
  double erase_energy = 0.56e-9;  ///< of a block's pages
  double slc_read_energy = 0;     ///< of blocks in pseudo-SLC mode; 0: the lower page's
  double slc_program_energy = 0;
  // Energy of the bus (bus_energy.hpp).
  std::string bus_energy_model = "current";  ///< bus_current while it moves data, or "capacitance"
  double bus_activity = 0.5;                 ///< share of the data lines that change with a transfer
  std::uint32_t bus_strobes = 2;             ///< lines that all transfers change
  double bus_capacitance = 5e-12;            ///< F a line: pad of the controller, and trace
  double bus_die_capacitance = 2.5e-12;      ///< F a line and die
  double bus_swing = 1;                      ///< of io_voltage
  double bus_termination_power = 0;          ///< W a channel while data move
  BitErrorConfig errors{};
  EccConfig ecc{};
  VariationConfig variation{};
  NetworkConfig network{};

  /// Bits a second of data cycles: of the bus, or of the links of a network where these are slower than a die.
  std::uint64_t data_rate() const {
    const std::uint64_t die = transfer_rate * bus_width;
    if (!network.on()) return die;
    return std::min(die, (network.link_rate != 0 ? network.link_rate : transfer_rate) *
                             (network.link_width != 0 ? network.link_width : bus_width));
  }

  /// tR by page type where senses say it.
  std::vector<Picoseconds> times_by_senses() const {
    std::vector<Picoseconds> times;
    for (const std::uint32_t times_sensed : senses) times.push_back(read_setup + times_sensed * sense_time);
    return times;
  }
  /// The longest tR of a read: outside of pseudo-SLC mode, before nand.variation.
  Picoseconds longest_read() const { return open_time(*std::max_element(read_time.begin(), read_time.end())); }
  /// tR of a block with unprogrammed pages.
  Picoseconds open_time(Picoseconds time) const {
    if (open_read_factor == 1) return time;
    return static_cast<Picoseconds>(std::llround(static_cast<double>(time) * open_read_factor));
  }
  /// tPROG of the first of two passes; with one: 0.
  Picoseconds first_pass() const {
    if (program_passes == 1) return 0;
    return first_pass_time != 0 ? first_pass_time : std::max<Picoseconds>(1, program_time.back() / 2);
  }
  /// Bits of a cell: the number of page types, or of pages of a plane that are programmed together.
  std::uint32_t bits_a_cell() const {
    return static_cast<std::uint32_t>(
        std::max({read_time.size(), program_time.size(), std::size_t{pages_per_program}}));
  }
  /// Power that a die draws at all times.
  double idle_watts() const { return idle_power != 0 ? idle_power : array_voltage * standby_current; }
  bool any_slc() const { return slc_blocks != 0 || slc_dynamic != 0; }
  /// Blocks fail in the course of use.
  bool wears_out() const {
    return endurance != 0 || slc_endurance != 0 || erase_failure_rate != 0 || program_failure_rate != 0;
  }
  /// Blocks may fail in use, including a single block or die set to fail.
  bool blocks_fail() const { return wears_out() || programs_fail(); }
  /// Programs may fail in the midst of a block.
  bool programs_fail() const {
    return (program_failure_rate != 0 && program_failure_at == "program") || failed_program != 0 || die_failure_at != 0;
  }

  /// The keys of [nand].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.shapes_state()
        .count("channels", &NandConfig::channels, 1, 256, "channels")
        .count("ways", &NandConfig::ways, 1, 256, "packages (chip enables) a channel")
        .count("dies", &NandConfig::dies, 1, 64, "dies (LUNs) a way")
        .count("planes", &NandConfig::planes, 1, 16, "planes a die")
        .count("blocks", &NandConfig::blocks, 4, 1 << 20, "blocks a plane")
        .count("pages", &NandConfig::pages, 1, 65536, "pages a block")
        .key("page_size", &NandConfig::page_size, Quantity::Bytes, {512, 1 << 20}, "data bytes of a page")
        .timed_only()
        .key("spare_size", &NandConfig::spare_size, Quantity::Bytes, {0, 1 << 18}, "out-of-band bytes of a page")
        .shapes_state()
        .key("multi_plane_program", &NandConfig::multi_plane_program, "program and erase all planes of a die together")
        .count("pages_per_program", &NandConfig::pages_per_program, 1, 8,
               "pages of a plane programmed together (TLC one-shot: 3)")
        .choice(
            "unit_layout", &NandConfig::unit_layout, {"plane_first", "page_first"},
            "how mapping units fill a program unit of several planes and pages: a row of all planes, then the next, "
            "or all pages of a plane, then the next plane")
        .rare()
        .count("partial_programs", &NandConfig::partial_programs, 1, 16,
               "NOP: programs that a page takes before its block is erased; firmware programs equal parts of it")
        .common()
        .key("in_order_program", &NandConfig::in_order_program, "pages of a block must be programmed in order")
        .timed_only()
        .key("multi_plane_read", &NandConfig::multi_plane_read,
             "pages of one row may be read from several planes together")
        .shapes_state()
        .key("page_register", &NandConfig::page_register,
             "a read of the page that a die has read last takes no tR: its register holds the page until the die works "
             "on another")
        .key("copyback", &NandConfig::copyback,
             "GC copies inside a die whatever fills a program unit: no data on the bus")
        .timed_only()
        .rare()
        .choice("page_order", &NandConfig::page_order, {"word_line", "shadow"},
                "page types in programming order: word line by word line, or shadow programming of neighbours")
        .shapes_state()
        .common()
        .count("endurance", &NandConfig::endurance, 0, 1e9,
               "P/E cycles after which blocks fail and are never used again; 0: never")
        .rare()
        .key("endurance_deviation", &NandConfig::endurance_deviation, Quantity::Ratio, {0, 0.16},
             "standard deviation of that between blocks, a share of it")
        .common()
        .key("program_failures", &NandConfig::program_failures, Quantity::Ratio, {0, 1},
             "share of the worn-out blocks that fail in a program; the others fail in their erase")
        .rare()
        .key("factory_bad_blocks", &NandConfig::factory_bad_blocks, Quantity::Ratio, {0, 0.5},
             "share of the erase units that are marked bad before first use and never used, drawn from the seed")
        .key("erase_failure_rate", &NandConfig::erase_failure_rate, Quantity::Ratio, {0, 0.1},
             "of an erase: probability that its block fails for good, whatever its wear")
        .key("program_failure_rate", &NandConfig::program_failure_rate, Quantity::Ratio, {0, 0.1},
             "of a program: probability that it fails, and that its block is never used again")
        .choice(
            "program_failure_at", &NandConfig::program_failure_at, {"program", "cycle"},
            "where program_failure_rate shows: in that program, in the midst of a block (FTLs that map pages), or in "
            "the first program of the P/E cycle")
        .count("failure_growth", &NandConfig::failure_growth, 0, 1e9,
               "P/E cycles after which erase_failure_rate and program_failure_rate have doubled; they grow on so; 0: "
               "they do not")
        .samples({"0", "1", "20"})
        .common()
        .count("failed_program", &NandConfig::failed_program, 0, 1e15,
               "number of the program (of data and copies, from 1) that fails, for experiments; 0: none")
        .samples({"0", "1", "100", "1000"})
        .count("die_failure_at", &NandConfig::die_failure_at, 0, 1e15,
               "number of the program with which failed_die fails as a whole; 0: never")
        .samples({"0", "1", "300", "1500"})
        .count("failed_die", &NandConfig::failed_die, 0, 4095, "die that fails then; from 0")
        .key("paired_pages", &NandConfig::paired_pages,
             "a power cut in a program may destroy older pages of its word line; firmware fills word lines before it "
             "calls data durable")
        .time("read_time", &NandConfig::read_time, 1,
              "tR; one value a page type (SLC 1, MLC 2, TLC 3, QLC 4), lower page first")
        .brings({"senses"})
        .samples({R"(["25 us"])", R"(["30 us", "60 us"])"})
        .time("program_time", &NandConfig::program_time, 1,
              "tPROG; one value a page type; a one-shot program takes the last")
        .samples({R"(["200 us"])", R"(["300 us", "600 us"])", R"(["300 us", "600 us", "900 us"])"})
        .count("program_passes", &NandConfig::program_passes, 1, 2,
               "2: a program unit is programmed twice, and cannot be read before its second pass, which comes with the "
               "next unit's first one (foggy-fine, 8-16); firmware keeps its data until then")
        .time("first_pass_time", &NandConfig::first_pass_time, 0,
              "tPROG of the first of two passes, 0: half of nand.program_time, which is that of the second")
        .count(
            "first_pass_pages", &NandConfig::first_pass_pages, 0, 8,
            "pages of a plane's program unit whose data the first of two passes takes; the second takes the rest. 0: "
            "both take all (foggy-fine)")
        .time("erase_time", &NandConfig::erase_time, 1, "tBERS")
        .key("program_time_spread", &NandConfig::program_time_spread, Quantity::Ratio, {0, 0.9},
             "tPROG of each program lies uniformly within this share of it, up and down")
        .key("transfer_rate", &NandConfig::transfer_rate, Quantity::TransferRate, {10e6, 4800e6},
             "bus transfers a second")
        .timed_only()
        .rare()
        .count("bus_width", &NandConfig::bus_width, 8, 16, "bits a transfer: 8 or 16")
        .common()
        .time("command_cycle", &NandConfig::command_cycle, 1, "one command or address cycle", 1e9)
        .count("read_cycles", &NandConfig::read_cycles, 1, 64, "command and address cycles of a read")
        .count("program_cycles", &NandConfig::program_cycles, 1, 64, "of a page program")
        .count("erase_cycles", &NandConfig::erase_cycles, 1, 64, "of a block erase")
        .key("transfer_spare", &NandConfig::transfer_spare, "data cycles include the out-of-band bytes")
        .key("array_voltage", &NandConfig::array_voltage, Quantity::Voltage, {0.1, 20}, "supply of the array")
        .key("io_voltage", &NandConfig::io_voltage, Quantity::Voltage, {0.1, 20}, "supply of the bus")
        .key("read_current", &NandConfig::read_current, Quantity::Current, {0, 10}, "a die during tR")
        .key("program_current", &NandConfig::program_current, Quantity::Current, {0, 10}, "a die during tPROG")
        .key("erase_current", &NandConfig::erase_current, Quantity::Current, {0, 10}, "a die during tBERS")
        .key("bus_current", &NandConfig::bus_current, Quantity::Current, {0, 10}, "a channel while it moves data")
        .key("standby_current", &NandConfig::standby_current, Quantity::Current, {0, 10},
             "each die whenever its array is idle")
        .count("independent_planes", &NandConfig::independent_planes, 1, 16,
               "groups of a die's planes that read independently of each other (AIPR); divides nand.planes; 1: none do")
        .key("cache_read", &NandConfig::cache_read, "the array reads a page while the one before is sent")
        .key("cache_program", &NandConfig::cache_program,
             "data of a page come in while the array programs the one before")
        .rare()
        .time("cache_busy_time", &NandConfig::cache_busy_time, 0,
              "tRCBSY, tPCBSY: data go between page register and cache register")
        .common()
        .key("program_suspend", &NandConfig::program_suspend,
             "programs can be suspended for reads; the arbitration decides when")
        .key("erase_suspend", &NandConfig::erase_suspend, "erases can be, too")
        .time("program_suspend_time", &NandConfig::program_suspend_time, 0,
              "from the suspend command until the array serves a read")
        .rare()
        .time("erase_suspend_time", &NandConfig::erase_suspend_time, 0,
              "from the suspend command until the array serves a read")
        .time("program_resume_time", &NandConfig::program_resume_time, 0,
              "array time that a resumed program takes longer")
        .time("erase_resume_time", &NandConfig::erase_resume_time, 0, "array time that a resumed erase takes longer")
        .count("suspend_cycles", &NandConfig::suspend_cycles, 1, 64,
               "command and address cycles of a suspension, and of a resumption")
        .common()
        .time("suspend_interval", &NandConfig::suspend_interval, 0,
              "array time that an operation gets from its begin or resumption to its next suspension at least")
        .count("suspend_limit", &NandConfig::suspend_limit, 1, 1'000'000, "suspensions of one operation at most")
        .rare()
        .time("suspend_hold", &NandConfig::suspend_hold, 0,
              "an operation that has stood suspended so long goes on before further reads")
        .choice("ready_detection", &NandConfig::ready_detection, {"rb", "polling"},
                "how the controller learns that an array is done: R/B# pin, or status reads over the bus")
        .time("poll_interval", &NandConfig::poll_interval, 1,
              "between two status reads, and before the first one of an operation")
        .choice("interface", &NandConfig::interface, onfi_interface_names(),
                "ONFI data interface; with the timing mode it sets the defaults of transfer_rate, command_cycle, "
                "data_in_setup, data_out_setup and status_time")
        .brings({"transfer_rate", "command_cycle", "data_in_setup", "data_out_setup", "status_time"})
        .count("timing_mode", &NandConfig::timing_mode, 0, 12, "of the interface")
        .brings({"transfer_rate", "command_cycle", "data_in_setup", "data_out_setup", "status_time"}, "interface")
        .time("data_in_setup", &NandConfig::data_in_setup, 0,
              "tADL, tWPRE: from the address to the first data-in cycle, each page of a program")
        .time("data_out_setup", &NandConfig::data_out_setup, 0,
              "tRR, tRPRE: from the grant of the bus to the first data-out cycle")
        .count("warmup_cycles", &NandConfig::warmup_cycles, 0, 4,
               "strobe cycles without data before each burst of data: 0, 1, 2 or 4")
        .time("status_time", &NandConfig::status_time, 0, "tWHR: from the command of a status read to its byte")
        .common()
        .time("way_switch_time", &NandConfig::way_switch_time, 0,
              "a channel's bus turns from one way to another: chip enables change")
        .time("channel_switch_time", &NandConfig::channel_switch_time, 0,
              "between the starts of two commands on different channels: the controller turns to another one")
        .shapes_state()
        .count("slc_blocks", &NandConfig::slc_blocks, 0, 1 << 20,
               "first blocks of each plane that work in pseudo-SLC mode, as a write cache of the FTL; no part of the "
               "capacity; 0: none")
        .count(
            "slc_dynamic", &NandConfig::slc_dynamic, 0, 1 << 20,
            "blocks of each plane beyond these that the write cache may borrow of the capacity at a time, while more "
            "than "
            "ftl.gc_high are free; 0: none")
        .time("slc_read_time", &NandConfig::slc_read_time, 1, "tR in SLC mode")
        .time("slc_program_time", &NandConfig::slc_program_time, 1,
              "tPROG in SLC mode, of each page of a plane's program unit")
        .rare()
        .time("slc_erase_time", &NandConfig::slc_erase_time, 0, "tBERS in SLC mode; 0 s: erase_time")
        .count("slc_endurance", &NandConfig::slc_endurance, 0, 1e9,
               "P/E cycles after which blocks in SLC mode fail, with endurance_deviation; of slc_dynamic each cycle "
               "counts "
               "endurance / this; 0: never, of slc_dynamic as any cycle")
        .timed_only()
        .common()
        .count("senses", &NandConfig::senses, 1, 16,
               "how often the array senses for a page of each type, lower page first, 2^bits - 1 in all: TLC [1, 2, 4] "
               "or [2, 3, 2], QLC [1, 2, 4, 8] or [4, 4, 4, 3]; tR is read_setup + this x sense_time; []: as read_time "
               "says")
        .brings({"read_time"})
        .samples({"[]", "[1, 2]", "[2, 3, 2]", "[4, 4, 4, 3]"})
        .time("sense_time", &NandConfig::sense_time, 1,
              "of nand.senses, each: precharge, evaluation and discharge (Park et al., ASPLOS 2021)")
        .time("read_setup", &NandConfig::read_setup, 0, "with nand.senses, of each read beside them")
        .count("open_read_factor", &NandConfig::open_read_factor, 1, 10, "of tR, in blocks that are not full; 1: none")
        .shapes_state()
        .rare()
        .key("partial_erase_limit", &NandConfig::partial_erase_limit, Quantity::Ratio, {0, 1},
             "share of a block's pages that must be programmed before its erase, unless it has none; firmware programs "
             "padding; 0: no limit")
        .timed_only()
        .common()
        .choice("energy_model", &NandConfig::energy_model, {"current", "bits"},
                "energy of array operations: voltage x current x time, or an energy for each byte read, programmed and "
                "erased beside the idle power")
        .key("idle_power", &NandConfig::idle_power, Quantity::Power, {0, 100},
             "each die whenever its array is idle, with energy_model bits always; 0 W: array_voltage x standby_current")
        .rare()
        .key("plane_current_share", &NandConfig::plane_current_share, Quantity::Ratio, {0, 1},
             "energy_model current: share of the current that each further plane of an operation adds")
        .draws_only(true)
        .common()
        .key("read_energy", &NandConfig::read_energy, Quantity::EnergyPerByte, {0, 1},
             "energy_model bits: each byte of the pages that are sensed; one value a page type, lower page first, or "
             "one "
             "for all")
        .samples({R"(["1.2 nJ/B"])", R"(["0.15 nJ/bit", "0.3 nJ/bit"])"})
        .key("program_energy", &NandConfig::program_energy, Quantity::EnergyPerByte, {0, 1},
             "energy_model bits: each byte of the pages programmed; one value a page type, or one for all")
        .samples({R"(["26 nJ/B"])", R"(["20 nJ/B", "30 nJ/B"])"})
        .key("erase_energy", &NandConfig::erase_energy, Quantity::EnergyPerByte, {0, 1},
             "energy_model bits: each byte that the erased block holds")
        .rare()
        .key("slc_read_energy", &NandConfig::slc_read_energy, Quantity::EnergyPerByte, {0, 1},
             "read_energy of blocks in pseudo-SLC mode; 0 J/B: that of the lower page")
        .key("slc_program_energy", &NandConfig::slc_program_energy, Quantity::EnergyPerByte, {0, 1},
             "program_energy of blocks in pseudo-SLC mode; 0 J/B: that of the lower page")
        .common()
        .choice(
            "bus_energy_model", &NandConfig::bus_energy_model, {"current", "capacitance"},
            "energy of a channel's wires: io_voltage x bus_current while they are in use, or the charge that each byte "
            "moves, which grows with the dies of the channel")
        .rare()
        .key("bus_activity", &NandConfig::bus_activity, Quantity::Ratio, {0, 1},
             "share of the data lines that change with a transfer; random data: 50 %")
        .draws_only(true)
        .count("bus_strobes", &NandConfig::bus_strobes, 0, 16,
               "lines that change with every transfer: DQS and its complement; with RE of data-out 4")
        .draws_only(true)
        .common()
        .key("bus_capacitance", &NandConfig::bus_capacitance, Quantity::Capacitance, {0, 1e-9},
             "a line, without dies: pad of the controller and trace")
        .key("bus_die_capacitance", &NandConfig::bus_die_capacitance, Quantity::Capacitance, {0, 1e-10},
             "that each die of the channel adds to a line")
        .rare()
        .key("bus_swing", &NandConfig::bus_swing, Quantity::Ratio, {0.05, 1},
             "of io_voltage, that a line goes up and down: 1 from rail to rail, 0.5 terminated to half of it")
        .draws_only(true)
        .key("bus_termination_power", &NandConfig::bus_termination_power, Quantity::Power, {0, 10},
             "of a channel's terminations while data move");
  }
};

/// Throws ConfigProblem for settings of the table that contradict each other.
void check_config(const NandConfig& nand);

}  // namespace flashloom

// What a device file's [nand] table says: geometry, timing, bus and currents of the flash back end.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/types.hpp"
#include "models/nand/error_config.hpp"
#include "models/nand/network_config.hpp"
#include "models/nand/variation_config.hpp"

namespace flashloom {

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
};

}  // namespace flashloom

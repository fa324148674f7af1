// Energy of a die's array operations: by current and time, or by the bits that they read, program and erase.
#pragma once

#include <cstdint>
#include <vector>

#include "models/energy/power_figures.hpp"
#include "models/nand/nand_geometry.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

struct NandConfig;

/// W of a die, or of the wires of a channel, at most: the limit of the voltage and current keys.
inline constexpr double kMostDieWatts = 200;

/// `nand.energy_model`:
///  * "current": array_voltage x current during the array time, as in data sheets (ICC1 to ICC3). One
///    plane draws the current of the die; each further one of the same operation adds plane_current_share of it:
///    W = V I (1 + share (planes - 1)).
///  * "bits": the die draws its idle power at all times, and each operation adds the energy of its bytes, evenly over
///    its array time: J = bytes x energy a byte of the page's type. A read senses whole pages, even if only a part is
///    transferred; a program covers the pages of its program unit, each by its type, on all its planes; an erase covers
///    all pages of its block, of all its planes. The energy is independent of time: of the spread of tPROG, of retries
///    (each read senses once), and of suspension (a suspended operation draws its remaining energy when it resumes).
/// Both models cover pages read together, one-shot and multi-plane programs, blocks in pseudo-SLC mode, copyback, and
/// cache commands. Source of the defaults of "bits": TLC, 0.15, 3.31 and 0.07 nJ a bit read, programmed and erased
/// (energy model of AutoBlox, MICRO 2023).
class NandEnergy {
 public:
  static constexpr std::uint32_t kStates = 4;  ///< of a die's meter, before those of pages read together

  explicit NandEnergy(const NandConfig& config);

  /// States of a die's meter: idle, read, program, erase; with plane_current_share, one state for each number of planes
  /// read together. With "bits": operations "read", "program" (one a page type: "read0", ...), "erase", and with blocks
  /// in SLC mode "slc_read" and "slc_program", counted in bytes.
  static PowerFigures power_figures(const NandConfig& config);

  /// Figures of the meter of a further plane group: the same, without the die's idle power, so that each of several
  /// concurrent reads adds only its power above idle.
  static PowerFigures plane_figures(const NandConfig& config);

  /// Model "current" without plane_current_share: the state of a command is 1 + its operation, and no operations are
  /// counted.
  bool plain() const { return !bits_ && state_step_ == 0; }

  /// State of the meter for a command and those read together with it.
  std::uint32_t state(const OnfiCommand& command) const {
    const auto operation = static_cast<std::uint32_t>(command.operation);
    if (state_step_ == 0 || command.operation != FlashOperation::Read) return 1 + operation;
    const std::uint32_t planes = planes_of(command);
    return planes == 1 ? 1 : kStates + planes - 2;
  }

  /// Calls f(operation of the meter, bytes) for each operation that the command counts; none with "current".
  template <class F>
  void for_each(const OnfiCommand& command, F&& f) const {
    if (!bits_) return;
    const bool slc = geometry_.in_slc_mode(command.address.block) || command.slc;
    if (command.operation == FlashOperation::Erase) {
      f(erase_, block_bytes_);
    } else if (command.operation == FlashOperation::Read) {
      f(slc ? erase_ + 1 : type_of(command.address.page) % reads_, std::uint64_t{planes_of(command)} * page_bytes_);
    } else if (slc || programs_ == 1) {
      f(slc ? erase_ + 2 : reads_, std::uint64_t{geometry_.program_pages} * geometry_.page_bytes);
    } else {
      for (std::uint32_t i = 0; i < geometry_.program_pages; ++i)
        f(reads_ + type_of(Page{command.address.page.value() + i}) % programs_, std::uint64_t{geometry_.page_bytes});
    }
  }

  /// Mean power of the command above idle over its array time, in W.
  double watts(const OnfiCommand& command, Picoseconds time) const {
    if (!bits_) return extra_watts_[state(command)];
    double joules = 0;
    for_each(command, [this, &joules](std::uint32_t operation, std::uint64_t bytes) {
      joules += static_cast<double>(bytes) * figures_.operations[operation].joules;
    });
    return joules * 1e12 / static_cast<double>(time);
  }

  /// Maximum power of an operation above idle, with all planes that can work together; by bits for its shortest
  /// possible array time, by current for the longest (`time`).
  struct Most {
    FlashOperation operation;
    double watts;
    Picoseconds time;
    bool energy_is_fixed;  ///< with "bits": power falls in proportion to array time
  };
  static std::vector<Most> most(const NandConfig& config);
  /// The maximum over all operations, in W.
  static double most_watts(const NandConfig& config);

 private:
  std::uint32_t planes_of(const OnfiCommand& command) const {
    if (geometry_.partial_programs > 1) return 1;  // parts of one page
    std::uint32_t planes = 1;
    for (const OnfiCommand* also = command.together; also != nullptr; also = also->together) ++planes;
    return planes;
  }
  std::uint32_t type_of(Page page) const {
    const std::uint32_t in_block = geometry_.page_in_block(page);
    return in_block < types_.size() ? types_[in_block] : 0;
  }

  NandGeometry geometry_;
  PowerFigures figures_;
  std::vector<double> extra_watts_;  // by state, above idle
  bool bits_;
  std::uint32_t state_step_;  // 0: reads of several planes have no further states
  std::uint32_t page_bytes_;  // of a physical page
  std::uint64_t block_bytes_;
  std::uint32_t reads_;  // index of the meter's read operations: reads and programs by page type, erase, SLC mode
  std::uint32_t programs_;
  std::uint32_t erase_;
  std::vector<std::uint8_t> types_;  // by page of a physical block
};

}  // namespace flashloom

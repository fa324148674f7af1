// What the cells of all dies of a device hold. No clock and no SystemC: dies apply commands to it at their completion,
// the instant back end at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/common/divisor.hpp"
#include "models/nand/bit_errors.hpp"
#include "models/nand/block_endurance.hpp"
#include "models/nand/block_modes.hpp"
#include "models/nand/fill_rule.hpp"
#include "models/nand/nand_geometry.hpp"
#include "models/nand/oob_table.hpp"
#include "models/nand/tearing.hpp"
#include "models/nand/zeroed_memory.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

/// Firmware asked a die for what the die cannot do (a program without erase, out of order, out of range): a bug of the
/// firmware. The message names the address, the rule, and the history of the block.
class FirmwareViolation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Content of one device. A mapping unit holds an OobWord and, with verify, a SectorToken a sector; a page remembers
/// why it was programmed. Memory is committed as it is written: an untouched device costs next to nothing.
///
/// A page is erased, good or torn; an erase unit that was torn in its erase reads as torn, and must be erased again
/// before it is programmed.
class NandMedia {
 public:
  /// State of one page.
  struct PageState {
    FlashStatus status = FlashStatus::Erased;  ///< Good, Erased, Torn or Corrupt
    Origin origin = Origin::Host;              ///< of a page that is not erased
  };

  /// `sectors_per_unit`: SectorTokens kept for each mapping unit; 0 keeps none.
  /// Throws std::runtime_error when the memory is not to be had.
  NandMedia(const NandGeometry& geometry, bool in_order_program, std::uint32_t sectors_per_unit,
            const BlockEndurance& endurance = {}, std::vector<Picoseconds> block_times = {});

  /// Throws FirmwareViolation unless the command is legal in the present state; of pages read together given the first.
  void check(const OnfiCommand& command) const {
    switch (command.operation) {
      case FlashOperation::Read:
        check_read(command);
        if (command.together != nullptr || command.then != nullptr) check_group(command);
        return;
      case FlashOperation::Program:
        check_program(command);
        return;
      case FlashOperation::Erase:
        check_erase(command);
        return;
    }
  }

  /// Carries out a command; sets its status. Throws FirmwareViolation for an illegal one.
  void apply(OnfiCommand& command) {
    if (command.operation == FlashOperation::Read) check_read(command);
    if (command.operation == FlashOperation::Program) check_program(command);
    carry_out(command);
  }
  /// The same for a command that passed check() when it began; nothing else may have been carried out in its block since.
  void carry_out(OnfiCommand& command) {
    switch (command.operation) {
      case FlashOperation::Read:
        read(command);
        if (errors_ != nullptr) [[unlikely]]
          find_errors(command);
        return;
      case FlashOperation::Program:
        program(command);
        command.status = outcome(command);
        return;
      case FlashOperation::Erase:
        erase(command);
        command.status = outcome(command);
        return;
    }
  }

  /// A command to a page, from its `unit` on, will be applied later: lets the computer fetch what that touches.
  [[gnu::always_inline]] void prefetch(const FlashAddress& address, std::uint32_t unit) const {
    const std::uint64_t page = page_index(address);
    __builtin_prefetch(pages_ + page);
    if (told(block_index(address))) [[unlikely]]
      return rule_->prefetch(page);
    oob_.prefetch(page * units_per_page_ + unit);
  }

  /// Reads units of a page each, `source` of each counted as `first`, the block's first one, is, and programs them into
  /// the pages from the program's on, as apply() of each would, `word` being what is expected. False: nothing was done,
  /// since something of it may be out of the ordinary. In nand_media_copy.hpp.
  template <class Units>
  bool copy_plainly(OnfiCommand& read, OnfiCommand& program, std::uint32_t first, const Units& units);

  // --- A sequential fill of a new device is told by a rule (FillRule): between begin_fill() and end_fill() nothing
  // else is done to the media. Erase units are written out one by one when something is to be changed in them.
  /// What keeps this device from it; null: nothing.
  const char* why_no_rule() const;
  void begin_fill(const FillWords& words);
  /// Programs the next program unit of the fill, of that number; the command has no words.
  void program_by_rule(const OnfiCommand& command, std::uint32_t number);
  /// Erase units that are not full are written out: programs may follow there.
  void end_fill();
  /// The rule tells nothing of that erase unit any more, but the tables do.
  void write_out(Die die, Block block) {
    const std::uint32_t index = block_index({die, block, Page{}});
    if (told(index)) write_out(index);
  }
  /// What it holds is told by the rule.
  bool told(std::uint32_t block) const { return rule_ != nullptr && rule_->has(block); }

  /// A power cut meets the command in the array: its pages, or its erase unit, are torn; a read does nothing.
  void tear(const OnfiCommand& command);
  /// From now on reads find bit errors (OnfiCommand::bit_errors). Before the first command, on a config whose
  /// nand.errors.model is not "none".
  void model_errors(const NandConfig& config, std::uint64_t seed) {
    errors_ = std::make_unique<BitErrors>(config, geometry_, seed);
  }
  /// From now on nobody asks for more than these low bits of a word (1 to 57) but of a few: no more are kept of the others.
  /// Before the first command.
  void keep_low_bits(unsigned bits);
  /// Who programs need not say more of a word.
  bool low_bits_only() const { return low_bits_only_; }
  /// A state was loaded of a device that had kept low bits only, and they are asked for.
  bool high_bits_missing() const { return high_bits_missing_; }
  /// Null without.
  BitErrors* errors() { return errors_.get(); }
  const BitErrors* errors() const { return errors_.get(); }
  /// Number of an erase unit in the device: die * blocks a die + block.
  std::uint32_t block_number(const FlashAddress& address) const { return block_index(address); }

  /// Power has failed: what waits for its second pass has lost the data that the controller kept for it, and is torn.
  void power_lost() {
    if (geometry_.two_passes) lose_first_passes();
  }

  /// How: before the first cut; else every torn page is uncorrectable, and hurts no other.
  void set_tearing(Tearing tearing) { tearing_ = std::move(tearing); }

  /// What a page of metadata says beyond its out-of-band words: kept with the media under a word of its own, from
  /// before the page is programmed, until its erase; whoever reads that word off flash has read the content.
  void keep_content(OobWord word, std::vector<std::uint64_t> content) { contents_[word] = std::move(content); }
  /// Of a word that was read. Throws std::logic_error if there is none.
  const std::vector<std::uint64_t>& content(OobWord word) const;

  /// OOB word of the `unit`-th mapping unit from the start of the page at `address`; 0 unless it can be read.
  OobWord oob(const FlashAddress& address, std::uint32_t unit) const {
    if (rule_ != nullptr && rule_->has(block_index(address))) [[unlikely]]
      return told_word(address, unit);
    const std::uint64_t index = page_index(address) * units_per_page_ + unit;
    return readable(block_index(address), pages_[page_of_unit_.quotient(index)]) ? oob_.get(index) : 0;
  }
  /// The same for a block that no rule tells of, by unit of the block: for loops, while nothing programs or erases it.
  class BlockWords {
   public:
    OobWord operator[](std::uint32_t unit) const {
      return readable_ && whole(pages_[page_of_unit_->quotient(unit)]) ? words_->get(first_ + unit) : 0;
    }
    [[gnu::always_inline]] void prefetch(std::uint32_t unit) const { words_->prefetch(first_ + unit); }

   private:
    friend class NandMedia;
    const std::uint8_t* pages_;
    const OobTable* words_;
    std::uint64_t first_;  ///< of the block
    const Divisor* page_of_unit_;
    bool readable_;  ///< not torn in its erase
  };
  BlockWords words(Die die, Block block) const {
    const FlashAddress address{die, block, Page{}};
    BlockWords words;
    words.pages_ = pages_ + page_index(address);
    words.words_ = &oob_;
    words.first_ = page_index(address) * units_per_page_;
    words.page_of_unit_ = &page_of_unit_;
    words.readable_ = blocks_[block_index(address)].next != kTornErase;
    return words;
  }
  /// Tokens of that unit: sectors_per_unit values, or null if none are kept or it cannot be read.
  const SectorToken* tokens(const FlashAddress& address, std::uint32_t unit) const;
  /// The same of a unit whose page waits for its second pass: what the controller keeps of it. Not null with verify.
  const SectorToken* kept_tokens(const FlashAddress& address, std::uint32_t unit) const {
    return tokens_ + (page_index(address) * units_per_page_ + unit) * sectors_per_unit_;
  }
  PageState page(const FlashAddress& address) const;

  /// One past the highest programmed (or torn) page; `pages` of the geometry for an erase unit torn in its erase.
  std::uint32_t write_pointer(Die die, Block block) const;
  std::uint32_t erase_count(Die die, Block block) const { return blocks_[block_index({die, block, Page{}})].erases; }
  /// Where firmware may choose the mode of a block (NandGeometry::slc_dynamic): of its programs from the next first one
  /// after an erase on.
  void choose_mode(Die die, Block block, bool slc) { modes_.choose(block_index({die, block, Page{}}), slc); }
  /// The mode of what is programmed there: whoever has read a page of it knows.
  bool in_slc_mode(Die die, Block block) const {
    return geometry_.in_slc_mode(block) || (modes_.any() && modes_.slc(block_index({die, block, Page{}})));
  }
  /// A mark that firmware keeps in the spare area of the first page of each block that it opens, beside the words.
  void keep_marks() {
    if (marks_.empty()) marks_.resize(block_count_);
  }
  bool keeps_marks() const { return !marks_.empty(); }
  void mark(Die die, Block block, std::uint8_t mark) { marks_[block_index({die, block, Page{}})] = mark; }
  /// Of a block that is programmed: whoever has read its first page knows.
  std::uint8_t mark_of(Die die, Block block) const { return marks_[block_index({die, block, Page{}})]; }
  /// Firmware has that choice.
  bool modes_change() const { return modes_.any(); }
  /// Pages that must still be programmed there before an erase (nand.partial_erase_limit): none of a block that has
  /// none, or that is torn in its erase.
  std::uint32_t pages_before_erase(Die die, Block block) const {
    const std::uint32_t programmed = blocks_[block_index({die, block, Page{}})].next;
    if (!geometry_.limits_erases() || programmed == 0) return 0;
    const std::uint32_t needed = geometry_.pages_before_erase(in_slc_mode(die, block));
    return programmed < needed ? needed - programmed : 0;
  }
  /// Of what is programmed there: the block has pages that are not, and is not torn in its erase.
  bool open(const FlashAddress& address) const {
    const std::uint32_t block = block_index(address);
    return block < block_count_ && blocks_[block].next != 0 && blocks_[block].next < readable_pages(address);
  }
  /// Erases of a block whose mode was chosen to be SLC.
  std::uint32_t slc_erases(Die die, Block block) const {
    return modes_.any() ? modes_.slc_erases(block_index({die, block, Page{}})) : 0;
  }
  /// The mode that a command of the array finds, or brings. Not of pages read together.
  bool slc_mode_of(const OnfiCommand& command) const {
    const std::uint32_t block = block_index(command.address);
    if (block >= block_count_) return false;  // the die refuses it
    return command.operation == FlashOperation::Program ? mode_of_program(block) : modes_.slc(block);
  }
  /// These two pages of a die can be read together.
  bool together(const FlashAddress& a, const FlashAddress& b) const {
    return geometry_.together(a.block, a.page, b.block, b.page) &&
           (!modes_.any() || modes_.slc(block_index(a)) == modes_.slc(block_index(b)));
  }
  const BlockEndurance& endurance() const { return endurance_; }
  /// What the manufacturer's test has left on the drive (tested_block_times); empty: all blocks are alike.
  const std::vector<Picoseconds>& block_times() const { return block_times_; }
  /// The block has been erased more often than it can bear, or since a program failed in it: it can be neither
  /// programmed nor read any more. Or it has been bad from the factory, or holds nothing and its die is dead.
  bool bad(Die die, Block block) const {
    const FlashAddress address{die, block, Page{}};
    return worn_out(address) || endurance_.bad_from_factory(block_index(address)) ||
           (!failed_.empty() && retired(address));
  }

  // --- Programs that fail in the midst of a block (nand.program_failure_at). What a failed program leaves cannot be
  // read; the pages before it can, until the block's next erase, which is its last.
  /// Whether that program fails, of a block that has been erased so often; it may be asked ahead.
  bool program_fails(const FlashAddress& address, std::uint32_t erases) const {
    return !failed_.empty() && will_fail(address, erases);
  }
  /// A program has failed in the block.
  bool failed(Die die, Block block) const {
    return !failed_.empty() && failed_[block_index({die, block, Page{}})] != 0;
  }
  /// The next program of that page fails. Only where programs may fail (std::logic_error).
  void plant_failure(const FlashAddress& address);
  /// The next erase of that block does: programs there may have been decided on before it.
  void plant_erase_failure(Die die, Block block);
  /// From now on nothing can be programmed or erased on the die, and no read of data can be corrected; the words of the
  /// spare areas, of which firmware has a second copy, can be read. What was decided upon before is let through: those
  /// programs fail whose failure is planted (BlockTable::set_failed), and erases whose failure is.
  void kill_die(Die die) { dead_die_ = die.value(); }
  bool dead(Die die) const { return die.value() == dead_die_; }
  bool any_dead() const { return dead_die_ != kNoDie; }
  /// Since the device was made.
  std::uint64_t program_failures() const { return program_failures_; }
  std::uint64_t erase_failures() const { return erase_failures_; }

  /// What the firmware's table of bad blocks says of the device as a whole, for good: it is worn out.
  void set_worn_out() { worn_out_ = true; }
  bool worn_out() const { return worn_out_; }
  /// Whether the last erase was broken off.
  bool torn(Die die, Block block) const { return blocks_[block_index({die, block, Page{}})].next == kTornErase; }

  /// Calls f(address of the page, unit of the page, OobWord) for each unit of every readable page, in address order.
  template <class F>
  void for_each_unit(F&& f) const {
    for (std::uint32_t die = 0; die < geometry_.dies; ++die) {
      for (std::uint32_t block = 0; block < geometry_.blocks; ++block) {
        const std::uint32_t end = write_pointer(Die{die}, Block{block});
        for (std::uint32_t p = 0; p < end; ++p) {
          const FlashAddress address{Die{die}, Block{block}, Page{p}};
          if (page(address).status != FlashStatus::Good) continue;
          for (std::uint32_t unit = 0; unit < units_per_page_; ++unit) f(address, unit, oob(address, unit));
        }
      }
    }
  }

  /// Saves or loads everything (an archive as in policies/state_archive.hpp), into media that nothing was done to.
  template <class Archive>
  void state(Archive& archive);

  /// 64-bit hash of the whole state: content, origins, write pointers and erase counts.
  std::uint64_t digest() const;

  const NandGeometry& geometry() const { return geometry_; }
  std::uint32_t sectors_per_unit() const { return sectors_per_unit_; }

 private:
  static constexpr std::uint32_t kNoDie = ~std::uint32_t{0};
  static constexpr std::uint32_t kTornErase = ~std::uint32_t{0};  // as write pointer: no page number equals it
  static constexpr std::uint8_t kProgrammed = 0x80;
  static constexpr std::uint8_t kTorn = 0x40;
  static constexpr std::uint8_t kGarbage = 0x20;  // with kTorn
  static constexpr std::uint8_t kFirstPass = 0x10;  // with kProgrammed: of two passes
  static constexpr std::uint8_t kOriginMask = 0x0f;
  static constexpr std::uint8_t kTold = kProgrammed | static_cast<std::uint8_t>(Origin::Host);  // of pages of the fill
  static constexpr std::size_t kRecent = 1024;
  static constexpr std::size_t kHistory = 8;

  struct BlockState {
    std::uint32_t next;  // write pointer
    std::uint32_t erases;
    std::uint64_t sequence;  // OnfiCommand::sequence of its first page
  };
  enum class Deed : std::uint32_t { None, Program, Erase, TornProgram, TornErase, FailedProgram, FailedErase };
  struct Recent {
    std::uint32_t block = 0;
    std::uint32_t page = 0;
    Deed deed = Deed::None;
  };

  template <class Archive>
  void pages_state(Archive& archive);
  template <class Archive>
  void told_state(Archive& archive, std::uint64_t first_page, std::uint64_t pages) const;
  template <class Archive>
  void rule_state(Archive& archive);
  void read_told(OnfiCommand& command) const;
  OobWord told_word(const FlashAddress& address, std::uint32_t unit) const {
    const std::uint32_t page = unit / units_per_page_;
    if (blocks_[block_index(address)].next == kTornErase) return 0;
    return rule_->word(page_index(address) + page, unit - page * units_per_page_);
  }
  template <class Take>
  void told_words(std::uint64_t first_page, std::uint64_t pages, Take take) const {
    for (std::uint64_t page = first_page; page < first_page + pages; ++page) {
      OobWord word = rule_->word(page, 0);
      for (std::uint32_t unit = 0; unit < units_per_page_; ++unit, word += rule_->step()) take(word);
    }
  }
  void write_told_words(std::uint64_t first_page, std::uint64_t pages);
  void lay_out(unsigned oob_width);
  void write_out(std::uint32_t block);
  void drop_rule(std::uint32_t block);
  std::uint8_t state_of(const FlashAddress& address) const {
    return told(block_index(address)) ? kTold : pages_[page_index(address)];
  }

  std::uint32_t block_index(const FlashAddress& a) const { return a.die.value() * geometry_.blocks + a.block.value(); }
  std::uint64_t page_index(const FlashAddress& a) const {
    return std::uint64_t{block_index(a)} * geometry_.pages + a.page.value();
  }
  /// Programmed to its end.
  static bool whole(std::uint8_t page) { return (page & (kProgrammed | kTorn | kFirstPass)) == kProgrammed; }
  bool readable(std::uint32_t block, std::uint8_t page) const {
    return whole(page) && blocks_[block].next != kTornErase;
  }
  bool page_torn(const FlashAddress& address, std::uint8_t state) const;
  FlashStatus outcome(const OnfiCommand& command) const {
    if (!failed_.empty() && command.operation == FlashOperation::Program &&
        (pages_[page_index(command.address)] & kTorn) != 0) [[unlikely]]
      return FlashStatus::Failed;
    return blocks_[block_index(command.address)].next == kTornErase ? FlashStatus::Failed : FlashStatus::Good;
  }
  bool will_fail(const FlashAddress& address, std::uint32_t erases) const;
  static constexpr std::uint64_t kOfErase = std::uint64_t{1} << 63;  // in planted_, with the block
  bool planted(std::uint64_t what) const;
  bool retired(const FlashAddress& address) const;
  [[gnu::cold]] void fail_if_so_decided(const OnfiCommand& command);
  [[gnu::cold]] void fail_program(const OnfiCommand& command);
  bool plain() const;
  void store(const OnfiCommand& command);
  void programmed(const OnfiCommand& command, std::uint32_t count);
  bool worn_out(const FlashAddress& address) const {
    if (!endurance_.limited()) [[likely]]
      return false;
    const std::uint32_t index = block_index(address);
    return endurance_.worn_out(index, blocks_[index].erases, modes_.any() ? modes_.slc_erases(index) : 0);
  }
  void program_page(const OnfiCommand& command, std::uint32_t index);
  [[gnu::cold]] void find_errors(OnfiCommand& command);
  [[gnu::cold]] void pass(const OnfiCommand& command);
  void lose_first_passes();
  void tear_program(const OnfiCommand& command);
  void tear_second_pass(const OnfiCommand& command, std::uint64_t salt);
  void tear_partners(const FlashAddress& block, std::uint32_t page, std::uint32_t first_of_program);
  void drop_contents(std::uint32_t block);
  std::uint64_t draw(std::uint64_t salt) const;
  std::vector<OobWord> content_words() const;
  /// Page numbers that a block has in the mode of what is programmed there, and of its programs.
  std::uint32_t readable_pages(const FlashAddress& a) const {
    const bool slc = a.block.value() < slc_end_ && (geometry_.in_slc_mode(a.block) || modes_.slc(block_index(a)));
    return slc ? geometry_.slc_pages : geometry_.pages;
  }
  std::uint32_t writable_pages(const FlashAddress& a) const {
    return programmed_in_slc_mode(a) ? geometry_.slc_pages : geometry_.pages;
  }
  bool mode_of_program(std::uint32_t block) const {
    return blocks_[block].next == 0 ? modes_.chosen(block) : modes_.slc(block);
  }
  bool programmed_in_slc_mode(const FlashAddress& a) const {
    return a.block.value() < slc_end_ && (geometry_.in_slc_mode(a.block) || mode_of_program(block_index(a)));
  }
  // A read fills command.oob and command.tokens (zeroes unless it is Good), a program stores them (no tokens: zeroes).
  void read(OnfiCommand& command) const;
  void program(const OnfiCommand& command) {
    store(command);
    if (!failed_.empty()) [[unlikely]]
      fail_if_so_decided(command);
  }
  void erase(const OnfiCommand& command);
  void check_range(const OnfiCommand& command) const {
    const FlashAddress& a = command.address;
    if (a.die.value() >= geometry_.dies || a.block.value() >= geometry_.blocks || a.page.value() >= readable_pages(a))
        [[unlikely]]
      violation(command, "no such address");
  }
  void check_read(const OnfiCommand& command) const {
    check_range(command);
    if (command.units == 0 || std::uint32_t{command.first_unit} + command.units > units_per_page_) [[unlikely]]
      violation(command, "the mapping units read are not units of one page");
    if (command.oob == nullptr) [[unlikely]]
      violation(command, "no room for the out-of-band words");
  }
  void check_erase(const OnfiCommand& command) const {
    check_range(command);
    if (pages_before_erase(command.address.die, command.address.block) != 0) [[unlikely]]
      violation(command, "the block was not filled so far that it may be erased (nand.partial_erase_limit)");
  }
  // Which rule is broken is asked only then: what every program passes is kept small.
  void check_program(const OnfiCommand& command) const {
    const FlashAddress& address = command.address;
    const std::uint32_t page = address.page.value();
    const std::uint32_t count = geometry_.program_pages;
    if (address.die.value() >= geometry_.dies || address.block.value() >= geometry_.blocks ||
        page + count > writable_pages(address) || (count != 1 && page % count != 0) ||
        command.units != count * units_per_page_ || command.first_unit != 0 || command.oob == nullptr ||
        blocks_[block_index(address)].next != page) [[unlikely]]
      find_violation(command);
  }
  [[gnu::cold]] void find_violation(const OnfiCommand& command) const;
  void check_group(const OnfiCommand& first) const;
  [[noreturn, gnu::cold]] void violation(const OnfiCommand& command, const std::string& rule) const;
  std::string history(const FlashAddress& address) const;

  void note(std::uint32_t block, std::uint32_t page, Deed deed) { recent_[deeds_++ % kRecent] = {block, page, deed}; }

  NandGeometry geometry_;
  bool in_order_;
  BlockEndurance endurance_;
  std::vector<Picoseconds> block_times_;
  std::vector<std::uint8_t> failed_;    // by erase unit: a program has failed in it; empty: none ever does
  std::vector<std::uint64_t> planted_;  // pages whose next program fails, and blocks whose next erase does
  std::uint32_t dead_die_ = kNoDie;
  std::uint64_t program_failures_ = 0;
  std::uint64_t erase_failures_ = 0;
  BlockModes modes_;
  std::vector<std::uint8_t> marks_;  // by block; empty: firmware keeps none
  std::uint32_t slc_end_;  // behind the last block that can be in SLC mode
  std::uint32_t units_per_page_;
  Divisor page_of_unit_;  // by units_per_page_
  std::uint32_t sectors_per_unit_;
  std::uint64_t block_count_;
  std::uint64_t page_count_;
  std::uint64_t unit_count_;
  std::unique_ptr<ZeroedMemory> memory_;
  OobTable oob_;         // by unit
  BlockState* blocks_;   // by erase unit
  SectorToken* tokens_;  // by unit and sector; null without verify
  std::uint8_t* pages_;  // by page: flags and origin
  std::unique_ptr<FillRule> rule_;  // null: the tables say all
  Tearing tearing_;
  std::unordered_map<OobWord, std::vector<std::uint64_t>> contents_;  // never iterated for results
  std::unique_ptr<BitErrors> errors_;
  std::uint64_t deeds_ = 0;
  bool worn_out_ = false;
  bool low_bits_only_ = false;
  bool high_bits_missing_ = false;
  std::array<Recent, kRecent> recent_{};
};

}  // namespace flashloom

#include "models/nand/nand_media_state.hpp"

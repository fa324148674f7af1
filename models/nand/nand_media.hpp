// What the cells of all dies of a device hold. No clock and no SystemC: dies apply commands to it at their completion,
// the instant back end at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
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
  /// Same as apply(), without the checks: the command passed check() when it began, and its block is unchanged since.
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

  /// Prefetches the table entries that a later command to a page, from mapping unit `unit` on, will touch.
  [[gnu::always_inline]] void prefetch(const FlashAddress& address, std::uint32_t unit) const {
    if (is_by_rule(block_index(address))) [[unlikely]]
      return;
    const std::uint64_t page = page_index(address);
    __builtin_prefetch(pages_ + page);
    oob_.prefetch(page * units_per_page_ + unit);
  }

  /// Copies `units`, which fill program units, out of the read's block, whose first unit is `first`, to where `program`
  /// says and into the pages behind, with the same effect as apply() of each read and program; each unit must hold
  /// units[i].word. False: the caller must copy all units one by one. In nand_media_copy.hpp.
  template <class Units>
  bool copy_plainly(OnfiCommand& read, OnfiCommand& program, std::uint32_t first, const Units& units);

  // --- A rule (FillRule) stands for the tables of a sequentially filled new device. Nothing else may access the media
  // between begin_fill() and end_fill(). An erase unit is written out to the tables before anything in it changes.
  /// Why this device cannot use a rule; null: it can.
  const char* why_no_rule() const;
  void begin_fill(const FillWords& words);
  /// Programs the fill's program unit with that number; the command carries no words.
  void program_by_rule(const OnfiCommand& command, std::uint32_t number);
  /// Programs in turn one program unit in each of the `places`, the next pages of open blocks, then in the pages behind
  /// them, for so many turns, with the fill's program units from `number` on.
  void program_turns_by_rule(std::span<const FlashAddress> places, std::uint32_t number, std::uint32_t turns);
  /// Writes out the erase units that are not full, since programs may follow there.
  void end_fill();
  /// Moves an erase unit's content from the rule to the tables.
  void write_out(Die die, Block block) {
    const std::uint32_t index = block_index({die, block, Page{}});
    if (is_by_rule(index)) write_out(index);
  }
  /// The rule, not the tables, holds the content of the erase unit.
  bool is_by_rule(std::uint32_t block) const { return rule_ != nullptr && rule_->has(block); }

  /// A power cut interrupts the command in the array: its pages, or its erase unit, become torn; a read has no effect.
  void tear(const OnfiCommand& command);
  /// From now on reads find bit errors (OnfiCommand::bit_errors). Call it before the first command, and only if
  /// nand.errors.model is not "none".
  void model_errors(const NandConfig& config, std::uint64_t seed) {
    errors_ = std::make_unique<BitErrors>(config, geometry_, seed);
  }
  /// Keeps only these low bits (1 to 57) of words that fit into them, to save memory; OobTable keeps the few others in
  /// full. Call it before the first command.
  void keep_low_bits(unsigned bits);
  /// Programs need to supply the low bits of a word only.
  bool low_bits_only() const { return low_bits_only_; }
  /// The loaded state holds only the low bits of words, but this device needs all bits.
  bool high_bits_missing() const { return high_bits_missing_; }
  /// Null unless model_errors() was called.
  BitErrors* errors() { return errors_.get(); }
  const BitErrors* errors() const { return errors_.get(); }
  /// Number of an erase unit in the device: die * blocks a die + block.
  std::uint32_t block_number(const FlashAddress& address) const { return block_index(address); }

  /// Power has failed: pages that wait for their second pass are torn, since the controller lost their data.
  void power_lost() {
    if (geometry_.two_passes) lose_first_passes();
  }

  /// How a power cut tears pages; set it before the first cut. Default: torn pages are uncorrectable, others unharmed.
  void set_tearing(Tearing tearing) { tearing_ = tearing; }

  /// Content of a metadata page beyond its out-of-band words. The media keeps it under a unique word, from before the
  /// program until the erase; firmware that has read that word from flash may read the content.
  void keep_content(OobWord word, std::vector<std::uint64_t> content) { contents_[word] = std::move(content); }
  /// Content kept under a word that was read. Throws std::logic_error if there is none.
  const std::vector<std::uint64_t>& content(OobWord word) const;

  /// OOB word of the `unit`-th mapping unit from the start of the page at `address`; 0 unless it can be read.
  OobWord oob(const FlashAddress& address, std::uint32_t unit) const {
    if (rule_ != nullptr && rule_->has(block_index(address))) [[unlikely]]
      return word_by_rule(address, unit);
    const std::uint64_t index = page_index(address) * units_per_page_ + unit;
    return readable(block_index(address), pages_[page_of_unit_.quotient(index)]) ? oob_.get(index) : 0;
  }
  /// Whether mapping unit `unit` (block_number() * units a block + unit of the block) can be read without bit errors, and
  /// holds that word. In nand_media_copy.hpp.
  bool holds(std::uint64_t unit, OobWord word) const;
  /// Same as oob(), by unit of one block that no rule holds; for loops during which nothing programs or erases it.
  class BlockWords {
   public:
    OobWord operator[](std::uint32_t unit) const {
      return readable_ && whole(pages_[page_of_unit_->quotient(unit)]) ? words_->get(first_ + unit) : 0;
    }
    [[gnu::always_inline]] void prefetch(std::uint32_t unit) const {
      __builtin_prefetch(pages_ + page_of_unit_->quotient(unit));
      words_->prefetch(first_ + unit);
    }

   private:
    friend class NandMedia;
    const std::uint8_t* pages_;
    const OobTable* words_;
    std::uint64_t first_;  ///< first unit of the block
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
  /// Tokens that the controller keeps of a unit whose page waits for its second pass. Not null with verify.
  const SectorToken* kept_tokens(const FlashAddress& address, std::uint32_t unit) const {
    return tokens_ + (page_index(address) * units_per_page_ + unit) * sectors_per_unit_;
  }
  PageState page(const FlashAddress& address) const;

  /// One past the highest programmed (or torn) page; `pages` of the geometry for an erase unit torn in its erase.
  std::uint32_t write_pointer(Die die, Block block) const;
  std::uint32_t erase_count(Die die, Block block) const { return blocks_[block_index({die, block, Page{}})].erases; }
  /// Chooses the mode of a block, where firmware may (NandGeometry::slc_dynamic). It takes effect with the first
  /// program after an erase.
  void choose_mode(Die die, Block block, bool slc) { modes_.choose(block_index({die, block, Page{}}), slc); }
  /// Mode of the block's programmed pages; firmware knows it once it has read one of them.
  bool in_slc_mode(Die die, Block block) const {
    return geometry_.in_slc_mode(block) || (modes_.any() && modes_.slc(block_index({die, block, Page{}})));
  }
  /// From now on firmware keeps a mark in the spare area of the first page of each block that it opens.
  void keep_marks() {
    if (marks_.empty()) marks_.resize(block_count_);
  }
  bool keeps_marks() const { return !marks_.empty(); }
  void mark(Die die, Block block, std::uint8_t mark) { marks_[block_index({die, block, Page{}})] = mark; }
  /// Mark of a programmed block; firmware knows it once it has read the first page.
  std::uint8_t mark_of(Die die, Block block) const { return marks_[block_index({die, block, Page{}})]; }
  /// Firmware may choose the mode of blocks.
  bool modes_change() const { return modes_.any(); }
  /// Pages that must still be programmed in the block before an erase (nand.partial_erase_limit): 0 for an erased block
  /// and for one torn in its erase.
  std::uint32_t pages_before_erase(Die die, Block block) const {
    const std::uint32_t programmed = blocks_[block_index({die, block, Page{}})].next;
    if (!geometry_.limits_erases() || programmed == 0) return 0;
    const std::uint32_t needed = geometry_.pages_before_erase(in_slc_mode(die, block));
    return programmed < needed ? needed - programmed : 0;
  }
  /// The block is partly programmed, and not torn in its erase.
  bool open(const FlashAddress& address) const {
    const std::uint32_t block = block_index(address);
    return block < block_count_ && blocks_[block].next != 0 && blocks_[block].next < readable_pages(address);
  }
  /// Erases of the block while its chosen mode was SLC.
  std::uint32_t slc_erases(Die die, Block block) const {
    return modes_.any() ? modes_.slc_erases(block_index({die, block, Page{}})) : 0;
  }
  /// Mode in which the command's block is, or for a program will be. Not for pages read together.
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
  /// Times to erase and fill each erase unit, by the manufacturer's test (tested_block_times); empty: all are alike.
  const std::vector<Picoseconds>& block_times() const { return block_times_; }
  /// The block can be neither programmed nor read: it was erased more often than its endurance, or erased after a
  /// program failure in it, or was marked bad at the factory, or is erased and its die is dead.
  bool bad(Die die, Block block) const {
    const FlashAddress address{die, block, Page{}};
    return worn_out(address) || endurance_.bad_from_factory(block_index(address)) ||
           (!failed_.empty() && retired(address));
  }

  // --- Programs that fail in the midst of a block (nand.program_failure_at). The failed page cannot be read; the pages
  // before it can, until the block's next erase, which is its last.
  /// Whether a program of that page will fail when the block has `erases` erases; callers may ask ahead of time.
  bool program_fails(const FlashAddress& address, std::uint32_t erases) const {
    return !failed_.empty() && will_fail(address, erases);
  }
  /// A program has failed in the block.
  bool failed(Die die, Block block) const {
    return !failed_.empty() && failed_[block_index({die, block, Page{}})] != 0;
  }
  /// Makes the next program of that page fail. std::logic_error unless programs may fail.
  void plant_failure(const FlashAddress& address);
  /// Makes the next erase of that block fail: firmware may have decided on programs there before that erase.
  void plant_erase_failure(Die die, Block block);
  /// Kills a die: programs and erases fail and reads of data are uncorrectable from now on; spare-area words stay
  /// readable, since firmware has a second copy of them. Programs and erases decided on before succeed, unless their
  /// failure is planted (BlockTable::set_failed).
  void kill_die(Die die) { dead_die_ = die.value(); }
  bool dead(Die die) const { return die.value() == dead_die_; }
  bool any_dead() const { return dead_die_ != kNoDie; }
  /// Since the device was made.
  std::uint64_t program_failures() const { return program_failures_; }
  std::uint64_t erase_failures() const { return erase_failures_; }

  /// The firmware's bad-block table records that the whole device is worn out, for good.
  void set_worn_out() { worn_out_ = true; }
  bool worn_out() const { return worn_out_; }
  /// Whether the last erase was interrupted.
  bool torn(Die die, Block block) const { return blocks_[block_index({die, block, Page{}})].next == kTornErase; }

  /// Calls f(address of the page, unit of the page, OobWord) for each unit of every readable page, in address order.
  template <class F>
  void for_each_unit(F&& f) const;

  /// Saves or loads the whole state (an archive as in policies/state_archive.hpp); loads into unused media only.
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
  static constexpr std::uint8_t kGarbage = 0x20;    // with kTorn: reads return garbage
  static constexpr std::uint8_t kFirstPass = 0x10;  // with kProgrammed: first of two passes
  static constexpr std::uint8_t kOriginMask = 0x0f;
  static constexpr std::uint8_t kByRule = kProgrammed | static_cast<std::uint8_t>(Origin::Host);  // of pages in a rule
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
  void state_by_rule(Archive& archive, std::uint32_t block, std::uint32_t pages) const;
  template <class Archive>
  void rule_state(Archive& archive);
  void read_by_rule(OnfiCommand& command) const;
  OobWord word_by_rule(const FlashAddress& address, std::uint32_t unit) const {
    const std::uint32_t page = unit / units_per_page_;
    const std::uint32_t block = block_index(address);
    if (blocks_[block].next == kTornErase) return 0;
    return rule_->word(block, address.page.value() + page, unit - page * units_per_page_);
  }
  void store_by_rule(const FlashAddress& address, const FillRun& run);
  void lay_out(unsigned oob_width);
  void write_out(std::uint32_t block);
  void write_out_content(std::uint32_t block);
  void drop_rule(std::uint32_t block);
  std::uint8_t state_of(const FlashAddress& address) const {
    return is_by_rule(block_index(address)) ? kByRule : pages_[page_index(address)];
  }

  std::uint32_t block_index(const FlashAddress& a) const { return a.die.value() * geometry_.blocks + a.block.value(); }
  std::uint64_t page_index(const FlashAddress& a) const {
    return std::uint64_t{block_index(a)} * geometry_.pages + a.page.value();
  }
  /// The page is completely programmed.
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
  static constexpr std::uint64_t kOfErase = std::uint64_t{1} << 63;  // in planted_, with the block's number
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
  [[gnu::cold]] void find_errors(OnfiCommand& command);
  [[gnu::cold]] void pass(const OnfiCommand& command);
  void lose_first_passes();
  void tear_program(const OnfiCommand& command);
  void tear_second_pass(const OnfiCommand& command, std::uint64_t salt);
  void tear_partners(const FlashAddress& block, std::uint32_t page, std::uint32_t first_of_program);
  void drop_contents(std::uint32_t block);
  std::uint64_t draw(std::uint64_t salt) const;
  std::vector<OobWord> content_words() const;
  /// Pages of the block in its present mode, and in the mode of its next programs.
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
  // Checks only whether any rule is broken; the slow path finds out which, so that the common path stays small.
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
  std::uint32_t slc_end_;            // one past the last block that can be in SLC mode
  std::uint32_t units_per_page_;
  Divisor page_of_unit_;   // by units_per_page_
  Divisor block_of_page_;  // by the pages of a block
  std::uint32_t sectors_per_unit_;
  std::uint64_t block_count_;
  std::uint64_t page_count_;
  std::uint64_t unit_count_;
  std::unique_ptr<ZeroedMemory> memory_;
  OobTable oob_;                    // by unit
  BlockState* blocks_;              // by erase unit
  SectorToken* tokens_;             // by unit and sector; null without verify
  std::uint8_t* pages_;             // by page: flags and origin
  std::unique_ptr<FillRule> rule_;  // null: the tables hold everything
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

#include "models/nand/nand_media.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "models/common/split_mix.hpp"

namespace flashloom {

NandMedia::NandMedia(const NandGeometry& geometry, bool in_order_program, std::uint32_t sectors_per_unit,
                     const BlockEndurance& endurance, std::vector<Picoseconds> block_times)
    : geometry_(geometry),
      in_order_(in_order_program),
      endurance_(endurance),
      block_times_(std::move(block_times)),
      failed_(endurance.programs_fail() ? std::size_t{geometry.dies} * geometry.blocks : 0),
      modes_(geometry.slc_dynamic == 0 ? 0 : std::uint64_t{geometry.dies} * geometry.blocks),
      slc_end_(geometry.slc_dynamic == 0 ? geometry.slc_blocks : geometry.blocks),
      units_per_page_(geometry.units_per_page),
      page_of_unit_(geometry.units_per_page),
      block_of_page_(geometry.pages),
      sectors_per_unit_(sectors_per_unit),
      block_count_(std::uint64_t{geometry.dies} * geometry.blocks),
      page_count_(block_count_ * geometry.pages),
      unit_count_(page_count_ * geometry.units_per_page) {
  lay_out(OobTable::kFull);
}

// Lays out empty media, in which only factory bad blocks are marked.
void NandMedia::lay_out(unsigned oob_width) {
  const std::uint64_t oob_bytes = OobTable::bytes(unit_count_, oob_width);
  memory_ = std::make_unique<ZeroedMemory>(oob_bytes + block_count_ * sizeof(BlockState) +
                                           unit_count_ * sectors_per_unit_ * sizeof(SectorToken) + page_count_);
  // Largest alignment first; zero bytes are valid values of all of these types.
  std::byte* next = memory_->data();
  oob_ = OobTable(next, oob_width);
  next += oob_bytes;
  blocks_ = reinterpret_cast<BlockState*>(next);
  next += block_count_ * sizeof(BlockState);
  tokens_ = sectors_per_unit_ == 0 ? nullptr : reinterpret_cast<SectorToken*>(next);
  next += unit_count_ * sectors_per_unit_ * sizeof(SectorToken);
  pages_ = reinterpret_cast<std::uint8_t*>(next);
  // Factory bad blocks can never be read, whatever is attempted on them.
  for (std::uint32_t block = 0; endurance_.has_factory_bad() && block < block_count_; ++block)
    if (endurance_.bad_from_factory(block)) blocks_[block].next = kTornErase;
}

void NandMedia::keep_low_bits(unsigned bits) {
  if (deeds_ != 0) throw std::logic_error("words are forgotten of flash that has been programmed");
  low_bits_only_ = true;
  lay_out(bits);
}

bool NandMedia::will_fail(const FlashAddress& address, std::uint32_t erases) const {
  return dead(address.die) || endurance_.program_fails(block_index(address), erases, address.page.value()) ||
         planted(page_index(address));
}

bool NandMedia::planted(std::uint64_t what) const { return std::ranges::find(planted_, what) != planted_.end(); }

bool NandMedia::retired(const FlashAddress& address) const {
  const std::uint32_t block = block_index(address);
  return (failed_[block] != 0 && blocks_[block].next == kTornErase) ||
         (dead(address.die) && (blocks_[block].next == 0 || blocks_[block].next == kTornErase));
}

void NandMedia::plant_failure(const FlashAddress& address) {
  if (failed_.empty()) throw std::logic_error("a failure is planted in cells whose programs do not fail");
  planted_.push_back(page_index(address));
}

void NandMedia::plant_erase_failure(Die die, Block block) {
  const FlashAddress address{die, block, Page{0}};
  if (failed_.empty()) throw std::logic_error("a failure is planted in cells that do not fail");
  planted_.push_back(kOfErase | block_index(address));
}

// Half of the pages become uncorrectable, half read as garbage; the choice does not depend on the order of dies.
void NandMedia::fail_program(const OnfiCommand& command) {
  const std::uint32_t block = block_index(command.address);
  const std::uint64_t first = page_index(command.address);
  for (std::uint64_t page = first; page < first + geometry_.program_pages; ++page)
    pages_[page] |= split_mix(page, blocks_[block].erases) % 2 == 0 ? kTorn | kGarbage : kTorn;
  failed_[block] = 1;
  ++program_failures_;
  std::erase(planted_, first);
  recent_[(deeds_ - 1) % kRecent].deed = Deed::FailedProgram;
}

void NandMedia::find_errors(OnfiCommand& command) {
  const std::uint32_t block = block_index(command.address);
  command.bit_errors = 0;
  if (command.status == FlashStatus::Good)
    errors_->read(
        command, block, blocks_[block].erases,
        modes_.any() ? endurance_.wear(blocks_[block].erases, modes_.slc_erases(block)) : blocks_[block].erases,
        in_slc_mode(command.address.die, command.address.block),
        errors_->open_matters() && open(command.address) ? blocks_[block].next : 0);
  if (dead(command.address.die)) [[unlikely]]
    command.bit_errors = ~std::uint16_t{0};
  else if (command.status != FlashStatus::Good && !command.in_register)
    errors_->disturb(block);
}

void NandMedia::read(OnfiCommand& command) const {
  if (is_by_rule(block_index(command.address))) [[unlikely]]
    return read_by_rule(command);
  const std::uint64_t page = page_index(command.address);
  const std::uint8_t state = pages_[page];
  const std::uint64_t first = page * units_per_page_ + command.first_unit;
  const bool tokens = command.tokens != nullptr && tokens_ != nullptr;
  if (readable(block_index(command.address), state)) [[likely]] {
    command.status = FlashStatus::Good;
    command.sequence = blocks_[block_index(command.address)].sequence;
    command.oob[0] = oob_.get(first);
    for (std::uint32_t i = 1; i < command.units; ++i) command.oob[i] = oob_.get(first + i);
    if (tokens) {
      std::memcpy(command.tokens, tokens_ + first * sectors_per_unit_,
                  std::size_t{command.units} * sectors_per_unit_ * sizeof(SectorToken));
    }
    return;
  }
  command.status = this->page(command.address).status;
  const bool garbage = command.status == FlashStatus::Corrupt;
  for (std::uint32_t i = 0; i < command.units; ++i) command.oob[i] = garbage ? draw(first + i) : 0;
  if (tokens)
    for (std::uint32_t i = 0; i < command.units * sectors_per_unit_; ++i)
      command.tokens[i] = garbage ? static_cast<SectorToken>(draw(first * sectors_per_unit_ + i)) : 0;
}

// For a program that fails the fast check: finds out which rule it breaks, if any.
void NandMedia::find_violation(const OnfiCommand& command) const {
  const FlashAddress& address = command.address;
  const std::uint32_t page = address.page.value();
  const std::uint32_t count = geometry_.program_pages;
  check_range(command);
  if (page % count != 0 || page + count > writable_pages(address))
    violation(command, "a program begins at a program unit, of " + std::to_string(count) + " pages");
  if (command.units != count * units_per_page_ || command.first_unit != 0)
    violation(command, "a program fills its program unit, of " + std::to_string(count * units_per_page_) +
                           " mapping units, and not " + std::to_string(command.units));
  if (command.oob == nullptr) violation(command, "a program has out-of-band words");
  const BlockState& block = blocks_[block_index(address)];
  if (block.next == page) return;
  if (block.next == kTornErase) violation(command, "the block was torn in its erase and must be erased again");
  if (state_of(address) != 0) violation(command, "the page has not been erased since its last program");
  if (in_order_)
    violation(command, "pages of a block are programmed in order; the next is page " + std::to_string(block.next));
}

// Address rules of ONFI's multi-plane and copyback commands: planes differ, the page number in the block is the same
// (NandGeometry::together); data that stay in a page register are programmed in the plane that they come from.
void NandMedia::check_group(const OnfiCommand& first) const {
  const auto plane = [this](const OnfiCommand& c) { return geometry_.plane_of(c.address.block, c.address.page); };
  std::uint32_t pages = 0;
  for (const OnfiCommand* read = &first; read != nullptr; read = read->together, ++pages) {
    check_read(*read);
    if (read != &first && !geometry_.reads_together()) violation(*read, "the die has no multi-plane read");
    if (read->operation != FlashOperation::Read || read->address.die != first.address.die)
      violation(*read, "pages read together are of one die");
    for (const OnfiCommand* other = &first; other != read; other = other->together)
      if (!together(other->address, read->address))
        violation(*read, "pages read together are of different planes and one row, or parts of one page");
  }
  if (first.then == nullptr) return;
  const OnfiCommand& program = *first.then;
  if (!geometry_.copyback) violation(program, "the die has no copyback");
  if (program.operation != FlashOperation::Program || program.address.die != first.address.die)
    violation(program, "a copyback ends in a program of the same die");
  check_range(program);
  if (pages != geometry_.program_pages) violation(program, "a copyback reads what its program unit holds");
  std::uint32_t page = 0;
  for (const OnfiCommand* read = &first; read != nullptr; read = read->together, ++page) {
    const FlashAddress to{program.address.die, program.address.block, Page{program.address.page.value() + page}};
    if (plane(*read) != geometry_.plane_of(to.block, to.page))
      violation(*read, "a copyback stays in the plane of its page register");
    if (read->units != units_per_page_ || read->bytes != 0 || program.bytes != 0)
      violation(*read, "a copyback is of whole pages, and moves no data");
    if (read->oob != program.oob + std::size_t{page} * units_per_page_)
      violation(*read, "a copyback programs what it read");
  }
}

// A failure decided on earlier also happens on a dead die. A block that wore out in this program has failed already.
void NandMedia::fail_if_so_decided(const OnfiCommand& command) {
  const FlashAddress& address = command.address;
  const std::uint32_t index = block_index(address);
  const BlockState& block = blocks_[index];
  if (block.next != kTornErase &&
      (planted(page_index(address)) || endurance_.program_fails(index, block.erases, address.page.value())))
    fail_program(command);
}

void NandMedia::store(const OnfiCommand& command) {
  const std::uint64_t page = page_index(command.address);
  const std::uint32_t count = geometry_.program_pages;
  const std::uint8_t state = static_cast<std::uint8_t>(kProgrammed | static_cast<std::uint8_t>(command.origin));
  const std::uint64_t first = page * units_per_page_;
  if (command.units == 1) [[likely]] {
    pages_[page] = state;
    oob_.set(first, command.oob[0]);
  } else {
    std::memset(pages_ + page, state, count);
    for (std::uint32_t i = 0; i < command.units; ++i) oob_.set(first + i, command.oob[i]);
  }
  if (geometry_.two_passes) [[unlikely]]
    pass(command);
  if (tokens_ != nullptr) {
    SectorToken* const to = tokens_ + first * sectors_per_unit_;
    const std::size_t sectors = std::size_t{command.units} * sectors_per_unit_;
    if (command.tokens != nullptr)
      std::memcpy(to, command.tokens, sectors * sizeof(SectorToken));
    else
      std::fill_n(to, sectors, SectorToken{0});
  }
  programmed(command, count);
}

// Records a completed program in the erase unit's state.
inline void NandMedia::programmed(const OnfiCommand& command, std::uint32_t count) {
  const std::uint32_t block = block_index(command.address);
  const std::uint32_t end = command.address.page.value() + count;
  if (blocks_[block].next == 0) {
    blocks_[block].sequence = command.sequence;
    if (modes_.any()) modes_.first_programmed(block);
    if (errors_ != nullptr) errors_->programmed(block, command.at.complete);
  }
  if (end > blocks_[block].next) blocks_[block].next = end;
  if (worn_out(command.address)) [[unlikely]] {
    blocks_[block].next = kTornErase;
    ++program_failures_;
    note(block, command.address.page.value(), Deed::FailedProgram);
    return;
  }
  note(block, command.address.page.value(), Deed::Program);
}

// With two passes: the first pass of a program unit, and the second pass of the unit before it.
void NandMedia::pass(const OnfiCommand& command) {
  if (programmed_in_slc_mode(command.address)) return;
  const std::uint32_t count = geometry_.program_pages;
  std::uint8_t* const unit = pages_ + page_index(command.address);
  if (command.address.page.value() != 0)
    for (std::uint32_t i = 1; i <= count; ++i) *(unit - i) &= static_cast<std::uint8_t>(~kFirstPass);
  if (command.address.page.value() + count == geometry_.pages) return;  // its second pass follows at once
  for (std::uint32_t i = 0; i < count; ++i) unit[i] |= kFirstPass;
}

void NandMedia::lose_first_passes() {
  for (std::uint64_t block = 0; block < block_count_; ++block) {
    const std::uint32_t end = blocks_[block].next;
    if (end == 0 || end == kTornErase) continue;
    std::uint8_t* const unit = pages_ + block * geometry_.pages + end - geometry_.program_pages;  // only one unit waits
    for (std::uint32_t i = 0; i < geometry_.program_pages; ++i)
      if ((unit[i] & kFirstPass) != 0) unit[i] = static_cast<std::uint8_t>((unit[i] & ~kFirstPass) | kTorn);
  }
}

void NandMedia::erase(const OnfiCommand& command) {
  check_erase(command);
  const std::uint32_t index = block_index(command.address);
  if (endurance_.has_factory_bad() && endurance_.bad_from_factory(index)) [[unlikely]]
    violation(command, "the block is marked bad by its maker, and never used");
  if (errors_ != nullptr) errors_->erased(index);
  if (is_by_rule(index)) [[unlikely]]
    drop_rule(index);
  BlockState& block = blocks_[index];
  const std::uint32_t programmed = std::min(block.next, geometry_.pages);
  const std::uint64_t first = std::uint64_t{index} * geometry_.pages;
  if (!contents_.empty()) drop_contents(index);
  std::memset(pages_ + first, 0, programmed);
  if (!in_order_) {  // pages below the write pointer may stay erased: saved states contain zeroes for them
    for (std::uint64_t unit = first * units_per_page_; unit < (first + programmed) * units_per_page_; ++unit)
      oob_.set(unit, 0);
    if (tokens_ != nullptr)
      std::fill_n(tokens_ + first * units_per_page_ * sectors_per_unit_,
                  std::size_t{programmed} * units_per_page_ * sectors_per_unit_, SectorToken{0});
  }
  if (modes_.any() && block.next != 0) modes_.erased(index);
  block.next = 0;
  ++block.erases;
  // On a dead die an erase that was decided on earlier succeeds, unless its failure is planted.
  const bool failed =
      !failed_.empty() && (failed_[index] != 0 || (dead(command.address.die) && planted(kOfErase | index)));
  if (failed || (worn_out(command.address) && !endurance_.fails_in_program(index))) [[unlikely]] {
    block.next = kTornErase;
    erase_failures_ += failed ? 0 : 1;
    if (failed) std::erase(planted_, kOfErase | index);
    note(index, 0, Deed::FailedErase);
    return;
  }
  note(index, 0, Deed::Erase);
}

void NandMedia::tear(const OnfiCommand& command) {
  const std::uint32_t index = block_index(command.address);
  BlockState& block = blocks_[index];
  if (command.operation == FlashOperation::Program) {
    tear_program(command);
  } else if (command.operation == FlashOperation::Erase) {
    check_erase(command);
    if (tearing_.mixed && draw(deeds_) % 4 == 0) return erase(command);  // the erase was nearly complete
    if (!contents_.empty()) drop_contents(index);
    block.next = kTornErase;
    note(index, 0, Deed::TornErase);
  }
}

// Page by page: half become uncorrectable, a quarter garbage, a quarter seem valid, except on a dead die.
void NandMedia::tear_program(const OnfiCommand& command) {
  OnfiCommand whole = command;
  whole.together = whole.then = nullptr;
  if (command.torn != nullptr) whole.tokens = command.torn->tokens;
  const std::uint64_t salt = deeds_;
  store(whole);
  recent_[(deeds_ - 1) % kRecent].deed = Deed::TornProgram;
  if (command.torn != nullptr) {
    *command.torn->struck += command.torn->units;
    return;
  }
  if (geometry_.two_passes) tear_second_pass(command, salt);
  const std::uint32_t first = command.address.page.value();
  for (std::uint32_t i = 0; i < geometry_.program_pages; ++i) {
    const std::uint64_t choice = tearing_.mixed ? draw(salt * 64 + i) % 4 : 0;
    if (choice == 3 && !dead(command.address.die)) continue;
    pages_[page_index(command.address) + i] |= choice == 2 ? kTorn | kGarbage : kTorn;
    if (geometry_.pairs != nullptr) tear_partners(command.address, first + i, first);
  }
}

// Tears the second pass of the previous program unit; a quarter of its pages seem valid.
void NandMedia::tear_second_pass(const OnfiCommand& command, std::uint64_t salt) {
  if (command.address.page.value() == 0 || programmed_in_slc_mode(command.address)) return;
  std::uint8_t* const unit = pages_ + page_index(command.address);
  for (std::uint32_t i = 1; i <= geometry_.program_pages; ++i) {
    const std::uint64_t choice = tearing_.mixed ? draw(salt * 64 + 32 + i) % 4 : 0;
    if (choice != 3) *(unit - i) |= choice == 2 ? kTorn | kGarbage : kTorn;
  }
}

// Tears the pages that share cells with a torn page and were programmed before it: lower pages of its word line.
void NandMedia::tear_partners(const FlashAddress& block, std::uint32_t page, std::uint32_t first_of_program) {
  const std::uint64_t base = std::uint64_t{block_index(block)} * geometry_.pages;
  for (std::uint32_t other = 0; other < first_of_program; ++other) {
    if (!geometry_.share_cells(block.block, Page{other}, Page{page})) continue;
    const std::uint64_t choice = tearing_.mixed ? draw(deeds_ * 4096 + other) % 4 : 0;
    if (choice != 3) pages_[base + other] |= choice == 2 ? kTorn | kGarbage : kTorn;
  }
}

std::uint64_t NandMedia::draw(std::uint64_t salt) const { return split_mix(tearing_.seed, salt); }

// Only for fully readable program units: the word of any other may be in use again.
void NandMedia::drop_contents(std::uint32_t block) {
  const std::uint64_t first = std::uint64_t{block} * geometry_.pages;
  if (static_cast<Origin>(pages_[first] & kOriginMask) != Origin::Map) return;
  const std::uint64_t end = first + std::min(blocks_[block].next, geometry_.pages);
  for (std::uint64_t unit = first; unit < end; unit += geometry_.program_pages) {
    bool whole = true;
    for (std::uint32_t i = 0; i < geometry_.program_pages; ++i) whole = whole && readable(block, pages_[unit + i]);
    if (whole) contents_.erase(oob_.get(unit * units_per_page_));
  }
}

const std::vector<std::uint64_t>& NandMedia::content(OobWord word) const {
  const auto found = contents_.find(word);
  if (found == contents_.end()) throw std::logic_error("no metadata page has been programmed with this word");
  return found->second;
}

std::vector<OobWord> NandMedia::content_words() const {
  std::vector<OobWord> words;
  for (const auto& [word, content] : contents_) words.push_back(word);
  std::sort(words.begin(), words.end());
  return words;
}

const SectorToken* NandMedia::tokens(const FlashAddress& address, std::uint32_t unit) const {
  const std::uint64_t index = page_index(address) * units_per_page_ + unit;
  if (tokens_ == nullptr || !readable(block_index(address), pages_[index / units_per_page_])) return nullptr;
  return tokens_ + index * sectors_per_unit_;
}

bool NandMedia::page_torn(const FlashAddress& address, std::uint8_t state) const {
  return (state & (kTorn | kFirstPass)) != 0 || blocks_[block_index(address)].next == kTornErase;
}

NandMedia::PageState NandMedia::page(const FlashAddress& address) const {
  const std::uint8_t state = state_of(address);
  const Origin origin = static_cast<Origin>(state & kOriginMask);
  if (page_torn(address, state))
    return {(state & kGarbage) != 0 && (state & kTorn) != 0 ? FlashStatus::Corrupt : FlashStatus::Torn, origin};
  return {(state & kProgrammed) != 0 ? FlashStatus::Good : FlashStatus::Erased, origin};
}

std::uint32_t NandMedia::write_pointer(Die die, Block block) const {
  return std::min(blocks_[block_index({die, block, Page{}})].next, geometry_.pages);
}

std::uint64_t NandMedia::digest() const {
  // Multiply-rotate over 64-bit words, as in xxHash's rounds, and its avalanche at the end.
  constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87;
  constexpr std::uint64_t kPrime2 = 0xC2B2AE3D27D4EB4F;
  std::uint64_t hash = kPrime2;
  const auto add = [&hash](std::uint64_t word) { hash = std::rotl(hash ^ (word * kPrime2), 31) * kPrime1; };
  for (std::uint64_t b = 0; b < block_count_; ++b) {
    const BlockState& block = blocks_[b];
    if (block.next == 0 && block.erases == 0) continue;
    add(b);
    add((std::uint64_t{block.next} << 32) | block.erases);
    if (modes_.any())
      add((std::uint64_t{modes_.slc_erases(static_cast<std::uint32_t>(b))} << 1) |
          (block.next != 0 && modes_.slc(static_cast<std::uint32_t>(b)) ? 1 : 0));
    const std::uint32_t end = std::min(block.next, geometry_.pages);
    const bool by_rule = is_by_rule(static_cast<std::uint32_t>(b));
    for (std::uint32_t of_block = 0; of_block < end; ++of_block) {
      const std::uint64_t page = b * geometry_.pages + of_block;
      const std::uint8_t state = by_rule ? kByRule : pages_[page];
      add(state);
      if (!readable(static_cast<std::uint32_t>(b), state)) continue;
      for (std::uint32_t of_page = 0; of_page < units_per_page_; ++of_page) {
        const std::uint64_t unit = page * units_per_page_ + of_page;
        add(by_rule ? rule_->word(static_cast<std::uint32_t>(b), of_block, of_page) : oob_.get(unit));
        for (std::uint32_t s = 0; s < sectors_per_unit_; ++s) add(tokens_[unit * sectors_per_unit_ + s]);
      }
    }
  }
  hash ^= hash >> 33;
  hash *= kPrime2;
  hash ^= hash >> 29;
  return hash;
}

std::string NandMedia::history(const FlashAddress& address) const {
  constexpr const char* kDeeds[] = {"",           "program page ",        "erase",       "torn program page ",
                                    "torn erase", "failed program page ", "failed erase"};
  const std::uint32_t index = block_index(address);
  const BlockState& block = blocks_[index];
  std::string text = "block history: ";
  text += block.next == kTornErase ? "torn erase" : "write pointer " + std::to_string(block.next);
  text += ", erase count " + std::to_string(block.erases);
  std::vector<std::string> last;
  const std::uint64_t oldest = deeds_ > kRecent ? deeds_ - kRecent : 0;
  for (std::uint64_t i = deeds_; i > oldest && last.size() < kHistory; --i) {
    const Recent& entry = recent_[(i - 1) % kRecent];
    if (entry.block != index) continue;
    const bool page =
        entry.deed == Deed::Program || entry.deed == Deed::TornProgram || entry.deed == Deed::FailedProgram;
    std::string& line = last.emplace_back(1, '#');
    line.append(std::to_string(i - 1)).append(" ").append(kDeeds[static_cast<std::size_t>(entry.deed)]);
    if (page) line.append(std::to_string(entry.page));
  }
  text += last.empty() ? ", nothing in the device's last " + std::to_string(kRecent) + " operations" : ", last: ";
  for (std::size_t i = last.size(); i > 0; --i) text += last[i - 1] + (i > 1 ? ", " : "");
  return text;
}

void NandMedia::violation(const OnfiCommand& command, const std::string& rule) const {
  const FlashAddress& a = command.address;
  std::string text = std::string("firmware violation: ") + to_string(command.operation) + " (" +
                     to_string(command.origin) + ") of die " + std::to_string(a.die.value()) + ", block " +
                     std::to_string(a.block.value()) + ", page " + std::to_string(a.page.value()) + ": " + rule;
  if (a.die.value() < geometry_.dies && a.block.value() < geometry_.blocks)
    text += "; " + history(a);
  else
    text += "; the device has " + std::to_string(geometry_.dies) + " dies of " + std::to_string(geometry_.blocks) +
            " blocks of " + std::to_string(geometry_.pages) + " pages";
  if (a.die.value() < geometry_.dies && a.block.value() < geometry_.blocks && writable_pages(a) != geometry_.pages)
    text += "; in SLC mode a block has " + std::to_string(geometry_.slc_pages) + " pages";
  throw FirmwareViolation(text);
}

}  // namespace flashloom

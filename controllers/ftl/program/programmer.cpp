#include "controllers/ftl/program/programmer.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "controllers/runtime/fault.hpp"

namespace flashloom {

Programmer::Programmer(const FtlContext& context, BlockTable& blocks, const OobLayout& layout)
    : context_(context),
      blocks_(blocks),
      layout_(layout),
      word_lines_(context.geometry),
      units_per_page_(context.geometry.units_per_page),
      units_per_program_(context.geometry.units_per_program()),
      unit_bytes_(context.geometry.unit_bytes),
      all_sectors_(~std::uint64_t{0} >> (64 - context.sectors_per_unit)),
      on_their_way_(context.geometry.dies) {
  prepare_direct();
}

ProgramJob& Programmer::take_job() {
  if (free_.empty()) {
    const std::size_t sectors = context_.verify ? std::size_t{units_per_program_} * context_.sectors_per_unit : 0;
    free_.push_back(jobs_.emplace_back(std::make_unique<ProgramJob>(units_per_program_, sectors)).get());
  }
  ProgramJob& job = *free_.back();
  free_.pop_back();
  return job;
}

ProgramJob& Programmer::begin(BlockNumber block, Origin origin, std::uint32_t page) {
  ProgramJob& job = take_job();
  job.block = block;
  job.first_page = page;
  job.turn = blocks_.give_out(block, ++sequence_);
  job.filled = 0;
  job.gaps = 0;
  job.copied = 0;
  ++under_way_;
  prepare(job, origin, sequence_);
  return job;
}

void Programmer::prepare(ProgramJob& job, Origin origin, std::uint64_t sequence) {
  job.gathered = 0;
  job.completing = 0;
  job.window = nullptr;
  job.behind = 0;
  OnfiCommand& command = job.command;
  command.operation = FlashOperation::Program;
  command.origin = origin;
  command.address = blocks_.address(job.block, job.first_page);
  command.first_unit = 0;
  command.units = static_cast<std::uint16_t>(units_per_program_);
  command.bytes = context_.geometry.program_pages * context_.geometry.page_bytes;
  command.sequence = sequence;
  command.oob = job.oob;
  command.tokens = job.tokens;
  command.owners = origin == Origin::Host || origin == Origin::Gc ? job.owners : nullptr;
  command.flow = kNoFlow;
}

PhysicalUnit Programmer::place_host(ProgramJob& job, WriteUnit& unit, PhysicalUnit old_place) {
  const std::uint32_t index = job.filled++;
  job.oob[index] = word_of(unit);
  job.writes[index] = &unit;
  job.owners[index] = unit.request;
  note_flow(job, unit);
  job.replaced[index] = kNoBlockNumber;
  if (old_place != kNoPhysicalUnit) {
    job.replaced[index] = blocks_.block_of(old_place);
    ++blocks_[job.replaced[index]].copies_pending;
  }
  job.source[index] = kNoPhysicalUnit;
  if (unit.sectors != all_sectors_) {
    if (old_place != kNoPhysicalUnit && lost_in_transit(old_place)) [[unlikely]] {
      job.oob[index] = OobLayout::as_lost(job.oob[index]);
      unit.rest_lost = true;
      unit.listener->on_filled(unit);
    } else if (old_place != kNoPhysicalUnit) {
      // Read at once: who waits for the whole unit must not wait for the program unit to fill.
      job.source[index] = readable(old_place);
      ++blocks_[blocks_.block_of(job.source[index])].reads_in_flight;
      ++job.completing;
      Runtime::current().spawn([this, &job, index] { return complete(job, index); });
    } else {
      unit.sectors = all_sectors_;  // never written: the rest are zeroes, which its tokens already are
      unit.listener->on_filled(unit);
    }
  }
  const std::uint32_t in_block = job.first_page * units_per_page_ + index;
  PendingPages& pending = *blocks_[job.block].pending;
  pending.oob[in_block] = job.oob[index];
  pending.source[in_block] = kNoPhysicalUnit;
  return job.block * blocks_.units_per_block() + in_block;
}

PhysicalUnit Programmer::place_copy(ProgramJob& job, OobWord word, PhysicalUnit source) {
  const std::uint32_t index = job.filled++;
  job.oob[index] = word;
  job.writes[index] = nullptr;
  job.source[index] = source;
  if (job.command.origin == Origin::Host) job.owners[index] = 0;
  ++job.copied;
  BlockInfo& from = blocks_[blocks_.block_of(source)];
  ++from.copies_pending;
  const std::uint32_t in_block = job.first_page * units_per_page_ + index;
  PendingPages& pending = *blocks_[job.block].pending;
  pending.oob[in_block] = word;
  pending.source[in_block] = source;
  return job.block * blocks_.units_per_block() + in_block;
}

void Programmer::carry_host_data(ProgramJob& job) {
  if (job.command.origin == Origin::Host) return;
  job.command.origin = Origin::Host;
  job.command.owners = job.owners;
  std::fill_n(job.owners, job.filled, std::uint64_t{0});
}

void Programmer::place_gap(ProgramJob& job, OobWord word) {
  place_empty(job, word);
  ++job.gaps;
}

PhysicalUnit Programmer::place_new(ProgramJob& job, OobWord word) {
  place_empty(job, word);
  return job.block * blocks_.units_per_block() + job.first_page * units_per_page_ + job.filled - 1;
}

bool Programmer::needs(const ProgramJob& job, BlockNumber block) const {
  for (std::uint32_t index = 0; index < job.filled; ++index) {
    const PhysicalUnit source = job.source[index];
    if (job.writes[index] != nullptr ? job.replaced[index] == block
                                     : source != kNoPhysicalUnit && blocks_.block_of(source) == block)
      return true;
  }
  return false;
}

bool Programmer::exposed(BlockNumber block, BlockNumber old) const {
  if (!exposed(block)) return false;
  const BlockInfo& info = blocks_[block];
  const std::uint32_t safe = word_lines_.safe(info.allocated);
  for (std::uint32_t at = safe * units_per_page_; at < info.pending->data_end * units_per_page_; ++at)
    if (const PhysicalUnit from = info.pending->source[at]; from != kNoPhysicalUnit && blocks_.block_of(from) == old)
      return true;
  return std::ranges::any_of(jobs_, [&](const std::unique_ptr<ProgramJob>& job) {
    return job->block == block && job->first_page + context_.geometry.program_pages > safe && needs(*job, old);
  });
}

void Programmer::place_empty(ProgramJob& job, OobWord word) {
  const std::uint32_t index = job.filled++;
  job.oob[index] = word;
  job.writes[index] = nullptr;
  job.owners[index] = 0;
  job.source[index] = kNoPhysicalUnit;
  blocks_[job.block].pending->oob[job.first_page * units_per_page_ + index] = word;
  if (context_.verify)
    std::fill_n(job.tokens + static_cast<std::ptrdiff_t>(std::size_t{index} * context_.sectors_per_unit),
                context_.sectors_per_unit, SectorToken{0});
}

std::uint32_t Programmer::pad(ProgramJob& job) {
  const std::uint32_t padding = units_per_program_ - job.filled;
  PendingPages& pending = *blocks_[job.block].pending;
  for (std::uint32_t index = job.filled; index < units_per_program_; ++index) {
    job.oob[index] = layout_.padding();
    job.writes[index] = nullptr;
    job.source[index] = kNoPhysicalUnit;
    pending.oob[job.first_page * units_per_page_ + index] = layout_.padding();
    if (context_.verify)
      std::fill_n(job.tokens + static_cast<std::ptrdiff_t>(std::size_t{index} * context_.sectors_per_unit),
                  context_.sectors_per_unit, SectorToken{0});
  }
  return padding;
}

ParkedJob Programmer::park(ProgramJob& job) {
  free_.push_back(&job);
  return {.block = job.block,
          .first_page = job.first_page,
          .turn = job.turn,
          .filled = job.filled,
          .gaps = job.gaps,
          .copied = job.copied,
          .origin = job.command.origin,
          .sequence = job.command.sequence,
          .owner = job.owners[0]};
}

ProgramJob& Programmer::unpark(const ParkedJob& parked) {
  ProgramJob& job = take_job();
  job.block = parked.block;
  job.first_page = parked.first_page;
  job.turn = parked.turn;
  job.filled = parked.filled;
  job.gaps = parked.gaps;
  job.copied = parked.copied;
  prepare(job, parked.origin, parked.sequence);
  job.owners[0] = parked.owner;
  const PendingPages& pending = *blocks_[job.block].pending;
  const auto first = static_cast<std::ptrdiff_t>(std::size_t{job.first_page} * units_per_page_);
  std::copy_n(pending.oob.begin() + first, units_per_program_, job.oob);
  std::copy_n(pending.source.begin() + first, units_per_program_, job.source);
  std::fill_n(job.writes, units_per_program_, nullptr);
  if (job.copied != units_per_program_ && context_.verify)
    std::fill_n(job.tokens, std::size_t{units_per_program_} * context_.sectors_per_unit, SectorToken{0});
  return job;
}

PhysicalUnit Programmer::readable(PhysicalUnit unit) const {
  while (!blocks_.on_flash(unit)) {
    const PhysicalUnit source = blocks_.pending_source(unit);
    if (source == kNoPhysicalUnit) break;  // host data on their way: the buffer has them
    unit = source;
  }
  return unit;
}

bool Programmer::lost_in_transit(PhysicalUnit unit) const {
  const PhysicalUnit where = readable(unit);
  return !blocks_.on_flash(where) && OobLayout::lost(blocks_.pending_word(where));
}

void Programmer::program(ProgramJob& job) {
  Hardware& hardware = context_.hardware;
  job.programmer = this;
  job.runtime = &Runtime::current();
  job.runtime->hold();
  ++on_their_way_[die_of(job)];
  if (debt_ != nullptr) job.behind = debt_->owed(die_of(job));
  if (job.completing != 0 || hardware.addressed() || !hardware.moves_at_once()) [[unlikely]] {
    job.runtime->spawn([this, &job] { return program_in_pieces(job); });
    return;
  }
  fill_command(job);
  job.at.begin = hardware.now();
  const Picoseconds mapped = Hardware::at_once(hardware.map_write(job.filled, 0));
  const Picoseconds fetched =
      Hardware::at_once(job.command.origin == Origin::Host ? hardware.buffer_read(job.command.bytes, job.gathered, 0)
                                                           : hardware.dram_read(job.command.bytes, job.gathered));
  update(job, mapped, fetched);
}

// The same where something has to be waited for first, or a memory.
Task<void> Programmer::program_in_pieces(ProgramJob& job) {
  Hardware& hardware = context_.hardware;
  if (job.completing != 0) stands(job);
  while (job.completing != 0) co_await job.completed.wait();
  fill_command(job);
  job.at.begin = hardware.now();
  Picoseconds mapped = 0;
  Picoseconds fetched = 0;
  if (hardware.addressed()) {
    co_await write_entries(job, mapped);
    co_await fetch_units(job, fetched);
  } else {
    mapped = co_await hardware.map_write(job.filled, 0);
    fetched = co_await (job.command.origin == Origin::Host ? hardware.buffer_read(job.command.bytes, job.gathered, 0)
                                                           : hardware.dram_read(job.command.bytes, job.gathered));
  }
  update(job, mapped, fetched);
}

// The core's part; then it is issued.
void Programmer::update(ProgramJob& job, Picoseconds mapped, Picoseconds fetched) {
  job.at.mapped = mapped;
  job.at.fetched = fetched;
  if (!context_.hardware.begin(job, FirmwareStep::MapUpdate, job.filled, FirmwareStep::FlashIssue, 1,
                               std::max(mapped, fetched), die_of(job)))
    issue(job);
}

void ProgramJob::updated() { programmer->issue(*this); }

void Programmer::issue(ProgramJob& job) {
  job.at.updated = context_.hardware.now();
  if (before(job) == nullptr && !context_.hardware.flash().limited()) [[likely]]
    submit(job);
  else
    job.runtime->spawn([this, &job] { return issue_in_turn(job); });
}

Task<void> Programmer::issue_in_turn(ProgramJob& job) {
  stands(job);
  while (WaitList* const list = before(job)) co_await list->wait();
  co_await context_.hardware.flash().place(job.command);
  submit(job);
}

void Programmer::submit(ProgramJob& job) {
  blocks_.submitted(job.block, job.command.origin);
  moves(job);
  --on_their_way_[die_of(job)];
  job.command.completion = &job;
  if (context_.hardware.flash().submit(job.command)) job.programmed();
}

void ProgramJob::programmed() {
  Runtime& of = *runtime;
  programmer->finish(*this);
  of.let_go();
}

// What is known of its content when all that it was waiting for is there.
void Programmer::fill_command(ProgramJob& job) {
  const bool host = job.command.origin == Origin::Host;
  if (context_.verify && host)
    for (std::uint32_t index = 0; index < job.filled; ++index)
      if (job.writes[index] != nullptr)
        std::copy_n(job.writes[index]->tokens, context_.sectors_per_unit,
                    job.tokens + static_cast<std::ptrdiff_t>(std::size_t{index} * context_.sectors_per_unit));
  if (fault(Fault::SwappedUnits) && job.filled > 1)
    std::swap_ranges(job.tokens, job.tokens + context_.sectors_per_unit, job.tokens + context_.sectors_per_unit);
  job.command.payload_units = job.filled - job.gaps;
  job.command.copied_units = host ? job.copied : 0;
}

// What the job has to wait for before it may go to the die's queue; null: nothing.
WaitList* Programmer::before(const ProgramJob& job) {
  const BlockInfo& info = blocks_[job.block];
  if (info.submitted != job.turn) return &blocks_.events(die_of(job)).submitted;
  if (job.turn == 0)
    if (WaitList* const list = blocks_.before_first_program(job.block)) return list;
  // Programs of one origin stay in order in the die's queue; of another one they might overtake.
  if (info.last_origin != job.command.origin && info.durable != info.submitted)
    return &blocks_.events(die_of(job)).durable;
  if (debt_ != nullptr && job.command.origin == Origin::Host && job.window == nullptr)
    return debt_->before_host_data(die_of(job), job.behind);
  return nullptr;
}

// Copies that a debt is told of: commands of them are on their way, or wait for something.
void Programmer::moves(ProgramJob& job) {
  if (job.window == nullptr || job.window->debt == nullptr || job.moving) return;
  job.moving = true;
  job.window->debt->moves(die_of(job));
}

void Programmer::stands(ProgramJob& job) {
  if (!job.moving) return;
  job.moving = false;
  job.window->debt->stands(die_of(job));
}

// A program unit whose units all come from one of its die, in their order and plane by plane: the die can copy it by
// itself. A one-shot program takes more pages than a page register holds, and a map unit that is written anew changes
// on its way.
bool Programmer::can_copy_back(const ProgramJob& job) const {
  const NandGeometry& geometry = context_.geometry;
  if (!geometry.copyback || geometry.program_pages != geometry.planes_together || job.copied != units_per_program_ ||
      job.command.origin == Origin::Map)
    return false;
  const BlockNumber from = blocks_.block_of(job.source[0]);
  const std::uint32_t in_block = blocks_.offset_in_block(job.source[0], from);
  if (blocks_.die_of(from) != die_of(job) || in_block % units_per_program_ != 0) return false;
  for (std::uint32_t index = 1; index < units_per_program_; ++index)
    if (job.source[index] != job.source[0] + index) return false;
  return geometry.plane_of(Block{blocks_.block_of_die(from)}, Page{blocks_.page_of(in_block)}) ==
         geometry.plane_of(Block{blocks_.block_of_die(job.block)}, Page{job.first_page});
}

Task<void> Programmer::copy_back(ProgramJob& job) {
  Hardware& hardware = context_.hardware;
  while (WaitList* const list = blocks_.before_on_flash(job.source[units_per_program_ - 1])) co_await list->wait();
  Picoseconds mapped = 0;
  if (hardware.addressed()) [[unlikely]]
    co_await write_entries(job, mapped);
  else
    mapped = co_await hardware.map_write(job.filled, 0);
  co_await hardware.cpu(FirmwareStep::MapUpdate, job.filled, FirmwareStep::FlashIssue, 2, mapped,
                        blocks_.die_of(job.block));
  while (WaitList* const list = before(job)) co_await list->wait();
  co_await hardware.flash().place(job.command);
  blocks_.submitted(job.block, job.command.origin);
  const std::uint32_t pages = context_.geometry.program_pages;
  for (std::uint32_t page = 0; page < pages; ++page) {
    const std::uint32_t index = page * units_per_page_;
    OnfiCommand& read = fill_read(job, job.reads[page], index, units_per_page_, job.command.origin);
    read.bytes = 0;
    read.oob = job.oob + index;  // the words stay as they are: a copy keeps its unit and version
    read.tokens = context_.verify ? job.tokens + std::size_t{index} * context_.sectors_per_unit : nullptr;
    if (page != 0) job.reads[page - 1].together = &read;
  }
  job.reads[0].then = &job.command;
  job.command.bytes = 0;
  job.command.payload_units = job.filled;
  job.command.copied_units = 0;
  moves(job);
  co_await FlashBatch(hardware.flash(), job.reads[0]);
  for (std::uint32_t page = 0; page < pages; ++page)
    if (job.reads[page].status != FlashStatus::Good)
      throw std::logic_error("a copyback met a page that cannot be read");
  const OobWord* const expected = &blocks_[job.block].pending->oob[std::size_t{job.first_page} * units_per_page_];
  if (!std::equal(expected, expected + job.filled, job.oob))
    throw std::logic_error("a copyback moved other units than the map says");
  finish(job);
}

void Programmer::finish(ProgramJob& job) {
  const BlockNumber block = job.block;
  BlockInfo& info = blocks_[block];
  job.at.flash = job.command.at;
  blocks_.done(block, job.first_page);
  if (job.window != nullptr) {
    --job.window->in_flight;
    job.window->room.wake_one();
    stands(job);
    if (job.window->debt != nullptr) job.window->debt->pay(die_of(job));
  }
  if (word_lines_.independent() || fault(Fault::WordLineForgotten)) {
    release(job);
  } else {
    info.pending->exposed.push_back(&job);
    release_exposed(*info.pending, info.done_with() ? info.durable : word_lines_.safe(info.durable));
  }
  blocks_.tell_done(block);
}

void Programmer::give_up(BlockNumber block) {
  const BlockInfo& info = blocks_[block];
  if (info.pending != nullptr && info.durable == info.allocated) release_exposed(*info.pending, info.durable);
}

// Those of the first `safe` pages.
void Programmer::release_exposed(PendingPages& pending, std::uint32_t safe) {
  std::erase_if(pending.exposed, [&](ProgramJob* each) {
    if (each->filled != 0 && each->first_page + context_.geometry.program_pages > safe) return false;
    release(*each);
    return true;
  });
}

// Its data are on flash, and safe there.
void Programmer::release(ProgramJob& job) {
  if (observer_ != nullptr)
    observer_->programmed(job.block, job.first_page, blocks_[job.block].pending->sequence, job.oob, units_per_program_);
  for (std::uint32_t index = 0; index < job.filled; ++index) {
    if (WriteUnit* const write = job.writes[index]) {
      write->listener->on_durable(*write, job.at);
      if (job.replaced[index] != kNoBlockNumber) blocks_.copy_done(job.replaced[index]);
    } else if (job.source[index] != kNoPhysicalUnit) {
      blocks_.copy_done(blocks_.block_of(job.source[index]));
    }
  }
  job.filled = 0;  // it needs nothing any more
  free_.push_back(&job);
  if (--under_way_ == 0) idle_.wake_all();
}

}  // namespace flashloom

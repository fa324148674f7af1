#include "controllers/ftl/program/programmer.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "controllers/ftl/ftl_config.hpp"
#include "controllers/ftl/program/stripe_recovery.hpp"
#include "controllers/ftl/program/torn_writes.hpp"
#include "controllers/hardware/drive_faults.hpp"
#include "controllers/runtime/fault.hpp"

namespace flashloom {

Programmer::Programmer(const FtlContext& context, BlockTable& blocks, const OobLayout& layout,
                       FtlStatistics& statistics)
    : context_(context),
      blocks_(blocks),
      layout_(layout),
      word_lines_(context.geometry),
      units_per_page_(context.geometry.units_per_page),
      units_per_program_(context.geometry.units_per_program()),
      unit_bytes_(context.geometry.unit_bytes),
      all_sectors_(~std::uint64_t{0} >> (64 - context.sectors_per_unit)),
      failed_program_(context.media.endurance().failed_program()),
      die_failure_at_(context.media.endurance().die_failure_at()),
      on_their_way_(context.geometry.dies),
      not_done_(context.geometry.dies),
      statistics_(statistics),
      stripes_(context.config.rain == 0 ? nullptr : std::make_unique<Stripes>(context, blocks, layout)),
      accumulations_(context.config.rain_memory == "sram" ? 0 : 2 * context.config.rain) {
  if (stripes_ != nullptr) recovery_ = std::make_unique<StripeRecovery>(context, blocks, *stripes_, statistics.rain);
  DriveFaults* const faults = context.hardware.faults();
  if (faults != nullptr && faults->tears_writes() && context.verify)
    torn_writes_ = std::make_unique<TornWrites>(context, blocks, *faults);
  if (context.hardware.compressor() != nullptr) packing_ = std::make_unique<const Packing>(context, layout);
  prepare_direct();
}

Programmer::~Programmer() = default;

ProgramJob& Programmer::take_job() {
  if (free_.empty()) {
    const std::size_t sectors = context_.verify ? std::size_t{units_per_program_} * context_.sectors_per_unit : 0;
    ProgramJob& created = *jobs_.emplace_back(std::make_unique<ProgramJob>(units_per_program_, sectors));
    OnfiCommand& command = created.command;
    command.operation = FlashOperation::Program;
    command.units = static_cast<std::uint16_t>(units_per_program_);
    command.oob = created.oob;
    command.tokens = created.tokens;
    free_.push_back(&created);
  }
  ProgramJob& job = *free_.back();
  free_.pop_back();
  job.fails = job.parity = false;
  job.granules = 0;
  return job;
}

ProgramJob& Programmer::begin(BlockNumber block, Origin origin, std::uint32_t page) {
  ProgramJob& job = take_job();
  job.block = block;
  job.first_page = page;
  job.fails = next_fails(block);
  job.turn = blocks_.programs().give_out(block, next_sequence());
  if (job.fails) [[unlikely]]
    blocks_.set_failed(block, job.turn);
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
  job.accumulations = accumulations_;
  OnfiCommand& command = job.command;
  command.origin = origin;
  command.address = blocks_.address(job.block, job.first_page);
  command.bytes = context_.geometry.program_bytes(command.address.page, blocks_.in_slc_mode(job.block));
  command.sequence = sequence;
  command.torn = nullptr;
  command.owners = origin == Origin::Host || origin == Origin::Gc ? job.owners : nullptr;
  command.flow = kNoFlow;
}

PhysicalUnit Programmer::place_host(ProgramJob& job, WriteUnit& unit, PhysicalUnit old_place) {
  const OobWord word = word_of(unit);
  begin_place(job, word);
  const std::uint32_t index = job.filled++;
  job.oob[index] = word;
  job.writes[index] = &unit;
  job.owners[index] = unit.request;
  note_flow(job, unit);
  job.replaced[index] = kNoBlockNumber;
  if (old_place != kNoPhysicalUnit) {
    job.replaced[index] = blocks_.block_of(old_place);
    ++blocks_[job.replaced[index]].copies_pending;
  }
  job.source[index] = kNoPhysicalUnit;
  if (torn_writes_ != nullptr) [[unlikely]]
    torn_writes_->placed(job, index, old_place);
  if (unit.sectors != all_sectors_) {
    if (old_place != kNoPhysicalUnit && lost_in_transit(old_place)) [[unlikely]] {
      job.oob[index] = OobLayout::as_lost(job.oob[index]);
      unit.rest_lost = true;
      unit.listener->on_filled(unit);
    } else if (old_place != kNoPhysicalUnit) {
      // Read now: whoever waits for the whole unit must not wait for the program unit to fill.
      job.source[index] = readable(old_place);
      ++blocks_[blocks_.block_of(job.source[index])].reads_in_flight;
      ++job.completing;
      Runtime::current().spawn(
          [this, &job, index, missing = all_sectors_ & ~unit.sectors] { return complete(job, index, missing); });
    } else {
      unit.sectors = all_sectors_;  // never written: the other sectors are zeroes, as in its tokens
      unit.listener->on_filled(unit);
    }
  }
  const std::uint32_t in_block = job.first_page * units_per_page_ + index;
  blocks_[job.block].pending->oob[in_block] = job.oob[index];
  end_place(job, word);
  return job.block * blocks_.units_per_block() + in_block;
}

PhysicalUnit Programmer::place_copy(ProgramJob& job, OobWord word, PhysicalUnit source) {
  begin_place(job, word);
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
  end_place(job, word);
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
  begin_place(job, word);
  const std::uint32_t index = job.filled;
  place_empty(job, word);
  end_place(job, word);
  return job.block * blocks_.units_per_block() + job.first_page * units_per_page_ + index;
}

bool Programmer::needs(const ProgramJob& job, BlockNumber block) const {
  for (const FailedProgram& failure : job.failures)
    if (failure.block == block || holds_back(failure.block, block)) return true;
  for (std::uint32_t index = 0; index < job.filled; ++index) {
    const PhysicalUnit source = job.source[index];
    if (job.writes[index] != nullptr ? job.replaced[index] == block
                                     : source != kNoPhysicalUnit && blocks_.block_of(source) == block)
      return true;
  }
  return false;
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
  const std::uint32_t padding = room(job);
  const OobWord word = job.parity ? layout_.parity(blocks_[job.block].parity) : layout_.padding();
  PendingPages& pending = *blocks_[job.block].pending;
  for (std::uint32_t index = job.filled; index < units_per_program_; ++index) {
    job.oob[index] = word;
    job.writes[index] = nullptr;
    if (packing_ != nullptr) job.owners[index] = 0;
    job.source[index] = kNoPhysicalUnit;
    pending.oob[job.first_page * units_per_page_ + index] = word;
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
          .filled = std::exchange(job.filled, 0),  // exposed_in() looks at all jobs, and a parked one must need nothing
          .gaps = job.gaps,
          .granules = job.granules,
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
  job.granules = parked.granules;
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

// readable() of a unit that is not on flash.
PhysicalUnit Programmer::source_of(PhysicalUnit unit) const {
  while (!blocks_.on_flash(unit)) {
    const PhysicalUnit source = blocks_.programs().pending_source(unit);
    if (source == kNoPhysicalUnit) break;  // host data in transit: the buffer has them
    unit = source;
  }
  return unit;
}

bool Programmer::lost_in_transit(PhysicalUnit unit) const {
  const PhysicalUnit where = readable(unit);
  return !blocks_.on_flash(where) && OobLayout::lost(blocks_.programs().pending_word(where));
}

void Programmer::program(ProgramJob& job) {
  job.programmer = this;
  job.runtime = &Runtime::current();
  job.runtime->hold();
  job.stage = ProgramJob::Stage::Data;
  if (job.filled == 0) job.accumulations = 0;  // padding adds nothing to parity
  job.inside = can_copy_back(job);
  if (!job.inside) ++on_their_way_[die_of(job)];
  ++not_done_[die_of(job)];
  if (debt_ != nullptr) job.behind = debt_->owed(die_of(job));
  go_on(job);
}

void ProgramJob::advance() { programmer->go_on(*this); }

void Programmer::go_on(ProgramJob& job) {
  if (WaitList* const list = advance(job)) [[unlikely]]
    job.runtime->spawn([this, &job, list] { return wait(job, list); });
}

Task<void> Programmer::wait(ProgramJob& job, WaitList* list) {
  for (; list != nullptr; list = advance(job)) {
    stands(job);
    co_await list->wait();
  }
}

// All data that the job waited for are present: its content is known.
inline void Programmer::begin_moves(ProgramJob& job) {
  const bool host = job.command.origin == Origin::Host;
  if (job.parity) [[unlikely]]
    recovery_->parity_of(job.block, job.first_page, job.tokens);
  if (context_.verify && host)
    for (std::uint32_t index = 0; index < job.filled; ++index)
      if (job.writes[index] != nullptr)
        std::copy_n(job.writes[index]->tokens, context_.sectors_per_unit,
                    job.tokens + static_cast<std::ptrdiff_t>(std::size_t{index} * context_.sectors_per_unit));
  if (fault(Fault::SwappedUnits) && job.filled > 1)
    std::swap_ranges(job.tokens, job.tokens + context_.sectors_per_unit, job.tokens + context_.sectors_per_unit);
  if (torn_writes_ != nullptr) [[unlikely]]
    torn_writes_->prepare(job);
  OnfiCommand& command = job.command;
  command.payload_units = job.parity ? context_.geometry.whole_units_per_program() : job.filled - job.gaps;
  command.unused_units =
      packing_ == nullptr ? 0 : units_per_program_ - command.payload_units - (job.parity ? 0 : room(job));
  command.copied_units = host && !job.inside ? job.copied : 0;
  job.at.begin = context_.hardware.now();
  job.at.mapped = job.at.fetched = 0;
  begin_fetch(job);
  job.stage = ProgramJob::Stage::Entries;
}

// If the DRAM model uses addresses, each entry is one burst. False: the job waits for a memory.
inline bool Programmer::write_entries(ProgramJob& job) {
  Hardware& hardware = context_.hardware;
  while (job.stage == ProgramJob::Stage::Entries) {
    std::uint32_t entries = carried(job);
    std::uint32_t places = job.filled;
    std::uint32_t unit = 0;
    if (hardware.addressed()) [[unlikely]] {
      const OobWord word = job.oob[job.piece];
      if (layout_.is_data(word)) unit = layout_.unit(word);
      if (most_entries_ != 1) places = std::min(places, 1U);
      entries = packing_ != nullptr && !layout_.is_data(word) ? 0 : std::min(places, 1U);
    }
    job.piece += places;
    if (job.piece == job.filled) {
      job.piece = 0;
      job.stage = ProgramJob::Stage::Fetch;
    }
    if (job.move(hardware.map_write(entries, unit), job.at.mapped)) return false;
  }
  return true;
}

// Copies are contiguous where they were gathered; host data lie where each unit has its place in the buffer.
inline bool Programmer::fetch_units(ProgramJob& job) {
  Hardware& hardware = context_.hardware;
  const bool host = job.command.origin == Origin::Host;
  while (job.unfetched != 0) {
    const Piece piece = host && hardware.addressed() ? next_piece(job) : Piece{job.unfetched, host ? 0 : job.staged};
    job.unfetched -= piece.bytes;
    if (job.move(host ? hardware.buffer_read(piece.bytes, job.gathered, piece.address)
                      : hardware.dram_read(piece.bytes, job.gathered, piece.address),
                 job.at.fetched))
      return false;
  }
  return true;
}

// The work of the memories and of a core. False: one of them is still working.
bool Programmer::move_and_update(ProgramJob& job) {
  if (!write_entries(job) || !fetch_units(job)) return false;
  if (job.uncompressed != 0) [[unlikely]]
    compress(job);
  if (job.accumulations != 0 && !accumulate(job)) [[unlikely]]
    return false;
  job.stage = ProgramJob::Stage::Updated;
  return !context_.hardware.begin(job, FirmwareStep::MapUpdate, carried(job), FirmwareStep::FlashIssue,
                                  job.inside ? 2 : 1, std::max(job.at.mapped, job.at.fetched), die_of(job));
}

// Advances a job as far as possible now. Returns what it waits for; null if hardware is working on it and will advance
// it, or if it is done. On the instant clock hardware needs no waiting, so it is done.
WaitList* Programmer::advance(ProgramJob& job) {
  using Stage = ProgramJob::Stage;
  if (job.stage < Stage::Updated) {
    if (job.stage == Stage::Data) {
      if (WaitList* const list = before_data(job)) return list;
      begin_moves(job);
    }
    if (!move_and_update(job)) return nullptr;
  }
  if (job.stage == Stage::Updated) {
    job.at.updated = context_.hardware.now();
    job.stage = job.failures.empty() ? Stage::Turn : Stage::FailTurn;
  }
  if (job.stage == Stage::FailTurn) [[unlikely]] {
    if (WaitList* const list = before_try(job)) return list;
    job.stage = Stage::Fail;
    if (WaitList* const place = context_.hardware.flash().ask_place(*job.attempt)) return place;
  }
  if (job.stage == Stage::Fail) [[unlikely]] {
    submit_try(job);
    return nullptr;
  }
  if (job.stage == Stage::Turn) {
    if (WaitList* const list = before(job)) return list;
    job.stage = Stage::Submit;
    if (WaitList* const place = context_.hardware.flash().ask_place(job.command)) return place;
  }
  submit(job);
  return nullptr;
}

// What a job must wait for before its data can be fetched; null if nothing.
WaitList* Programmer::before_data(ProgramJob& job) {
  if (job.completing != 0) return &job.completed;
  if (job.parity) [[unlikely]]
    return before_parity(job);
  return job.inside ? blocks_.programs().before_on_flash(job.source[units_per_program_ - 1]) : nullptr;
}

void Programmer::submit(ProgramJob& job) {
  blocks_.programs().submitted(job.block, job.command.origin);
  moves(job);
  if (!job.inside) --on_their_way_[die_of(job)];
  OnfiCommand& first = job.inside ? copy_inside(job) : job.command;
  job.commands = 0;
  for_each_of_group(first, [&job](OnfiCommand& each) {
    each.completion = &job;
    ++job.commands;
  });
  if (context_.hardware.flash().submit(first)) job.programmed();
}

void ProgramJob::programmed() {
  if (!failures.empty()) [[unlikely]]
    return programmer->has_failed(*this);
  Runtime& of = *runtime;
  programmer->finish(*this);
  of.let_go();
}

// What a job must wait for before it may enter the die's queue; null if nothing.
WaitList* Programmer::before(ProgramJob& job) {
  if (WaitList* const list = before_turn(job, job.block, job.turn)) return list;
  if (debt_ != nullptr && job.command.origin == Origin::Host && job.window == nullptr)
    return debt_->before_host_data(die_of(job), job.behind);
  return nullptr;
}

// For copy jobs in a debt: counts whether their commands are in flight (moves) or wait for something (stands).
void Programmer::moves(ProgramJob& job) {
  if (job.window == nullptr || job.window->debt == nullptr || job.moving) return;
  job.moving = true;
  job.window->debt->moves(die_of(job));
}

void Programmer::stands(ProgramJob& job) {
  if (std::exchange(job.moving, false)) job.window->debt->stands(die_of(job));
}

void Programmer::finish(ProgramJob& job) {
  const BlockNumber block = job.block;
  const std::uint32_t die = die_of(job);
  BlockInfo& info = blocks_[block];
  const bool parity = job.parity;
  if (job.inside) [[unlikely]]
    check_copied(job);
  if ((job.command.status == FlashStatus::Failed) != job.fails || (job.fails && job.filled != 0)) [[unlikely]]
    throw std::logic_error("a program ended in another way than was decided upon");
  if (job.command.origin == Origin::Host) {  // only host programs report these
    job.at.flash = job.command.at;
    job.at.die = die;
    job.at.history = context_.hardware.flash().history(Die{die});
  }
  blocks_.programs().done(block, job.first_page);
  --not_done_[die];
  if (job.window != nullptr) {
    --job.window->in_flight;
    job.window->room.wake_one();
    stands(job);
    if (job.window->debt != nullptr) job.window->debt->pay(die);
  }
  if (!exposes() || fault(Fault::WordLineForgotten) || fault(Fault::ParityForgotten)) {
    release(job);
  } else {
    info.pending->exposed.push_back(&job);
    release_safe(block);
  }
  if (parity) [[unlikely]]
    parity_done(block);
  blocks_.programs().retire_if_done(block);
  blocks_.waits().events(die).durable.wake_all();
}

// The job's data are on flash and safe there.
void Programmer::release(ProgramJob& job) {
  if (observer_ != nullptr && !job.fails && !job.parity)
    observer_->programmed(job.block, job.first_page, blocks_[job.block].pending->sequence, job.oob, units_per_program_);
  for (std::uint32_t index = 0; index < job.filled; ++index) {
    if (WriteUnit* const write = job.writes[index]) {
      write->listener->on_durable(*write, job.at);
      if (job.replaced[index] != kNoBlockNumber) blocks_.waits().copy_done(job.replaced[index]);
    } else if (job.source[index] != kNoPhysicalUnit) {
      blocks_.waits().copy_done(blocks_.block_of(job.source[index]));
    }
  }
  job.filled = 0;  // it needs nothing any more
  free_.push_back(&job);
  if (--under_way_ == 0) idle_.wake_all();
}

}  // namespace flashloom

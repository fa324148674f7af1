#include "controllers/ftl/program/programmer.hpp"

#include <stdexcept>
#include <utility>

#include "controllers/ftl/ftl_config.hpp"
#include "controllers/ftl/program/torn_writes.hpp"

namespace flashloom {

Programmer::Programmer(const FtlContext& context, BlockTable& blocks, const OobLayout& layout,
                       FtlStatistics& statistics)
    : ProgramPart(context, blocks, layout),
      reads_(context, blocks, layout),
      jobs_(context, blocks, layout, numbers_, reads_),
      redundancy_(make_redundancy(context, blocks, layout, *this, statistics)),
      failures_(make_failure_handler(context, blocks, *this, statistics)),
      exposed_(context, blocks, jobs_, redundancy_.get(), failures_.get(), *this),
      plain_(!exposed_.possible() && !context.geometry.copyback && jobs_.torn_writes() == nullptr &&
             failures_ == nullptr),
      direct_(
          context, blocks, layout, numbers_, observers_,
          plain_ && (units_per_program_ == 1 || (!context.verify && sizes_ == nullptr && !context.geometry.two_passes &&
                                                 !context.geometry.reads_together()))),
      on_their_way_(context.geometry.dies),
      not_done_(context.geometry.dies) {
  if (redundancy_ != nullptr) reads_.attach(*redundancy_);
  if (failures_ != nullptr) jobs_.attach(*failures_);
}

void Programmer::program(ProgramJob& job) {
  if (job.copied == 0 && carry_out_at_once(job)) return;
  job.programmer = this;
  job.runtime = &Runtime::current();
  job.runtime->hold();
  job.stage = ProgramJob::Stage::Data;
  job.accumulations =
      redundancy_ == nullptr || job.filled == 0 ? 0 : redundancy_->accumulations();  // padding adds nothing
  job.inside = reads_.can_copy_back(job);
  if (!job.inside) ++on_their_way_[job.die()];
  ++not_done_[job.die()];
  if (debt_ != nullptr) job.behind = debt_->owed(job.die());
  go_on(job);
}

void ProgramJob::advance() { programmer->go_on(*this); }

void Programmer::go_on(ProgramJob& job) {
  if (WaitList* const list = advance(job)) [[unlikely]]
    job.runtime->spawn([this, &job, list] { return wait(job, list); });
}

Task<void> Programmer::wait(ProgramJob& job, WaitList* list) {
  for (; list != nullptr; list = advance(job)) {
    job.note_waiting();
    co_await list->wait();
  }
}

// All data that the job waited for are present: its content is known.
void Programmer::begin_moves(ProgramJob& job) {
  const bool host = job.command.origin == Origin::Host;
  if (job.parity) [[unlikely]]
    redundancy_->fill(job);
  if (context_.verify && host)
    for (std::uint32_t index = 0; index < job.filled; ++index)
      if (job.writes[index] != nullptr)
        std::copy_n(job.writes[index]->tokens, context_.sectors_per_unit,
                    job.tokens + static_cast<std::ptrdiff_t>(std::size_t{index} * context_.sectors_per_unit));
  if (fault(Fault::SwappedUnits) && job.filled > 1)
    std::swap_ranges(job.tokens, job.tokens + context_.sectors_per_unit, job.tokens + context_.sectors_per_unit);
  if (TornWrites* const torn = jobs_.torn_writes()) [[unlikely]]
    torn->prepare(job);
  OnfiCommand& command = job.command;
  command.payload_units = job.parity ? context_.geometry.whole_units_per_program() : job.filled - job.gaps;
  command.unused_units =
      sizes_ == nullptr ? 0 : units_per_program_ - command.payload_units - (job.parity ? 0 : jobs_.room(job));
  command.copied_units = host && !job.inside ? job.copied : 0;
  job.at.begin = context_.hardware.now();
  job.at.mapped = job.at.fetched = 0;
  begin_fetch(job);
  job.stage = ProgramJob::Stage::Entries;
}

// Padding and parity that was accumulated elsewhere come from no memory.
void Programmer::begin_fetch(ProgramJob& job) {
  job.piece = 0;
  job.resized = 0;
  job.unfetched = job.inside || (job.parity && redundancy_->accumulations() == 0) ? 0 : job.command.bytes;
  if (sizes_ != nullptr && job.command.origin == Origin::Host) [[unlikely]]
    sizes_->begin_fetch(job);
}

void Programmer::fetch_again(ProgramJob& job) {
  job.stage = ProgramJob::Stage::Fetch;
  begin_fetch(job);
  go_on(job);
}

// If the DRAM model uses addresses, each entry is one burst. False: the job waits for a memory.
bool Programmer::write_entries(ProgramJob& job) {
  Hardware& hardware = context_.hardware;
  while (job.stage == ProgramJob::Stage::Entries) {
    std::uint32_t entries = carried(job);
    std::uint32_t places = job.filled;
    std::uint32_t unit = 0;
    if (hardware.addressed()) [[unlikely]] {
      const OobWord word = job.oob[job.piece];
      if (layout_.is_data(word)) unit = layout_.unit(word);
      if (most_entries_ != 1) places = std::min(places, 1U);
      entries = sizes_ != nullptr && !layout_.is_data(word) ? 0 : std::min(places, 1U);
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

// For a DRAM model with addresses: consecutive units form one piece. Padding comes from a page of zeroes.
Programmer::Piece Programmer::next_piece(ProgramJob& job) const {
  const Hardware& hardware = context_.hardware;
  if (job.piece == job.filled) return {job.unfetched, hardware.buffer_address(0, job.unfetched)};
  const OobWord word = job.oob[job.piece];
  std::uint32_t run = 1;
  while (layout_.is_data(word) && job.piece + run < job.filled && layout_.is_data(job.oob[job.piece + run]) &&
         layout_.unit(job.oob[job.piece + run]) == layout_.unit(word) + run)
    ++run;
  job.piece += run;
  if (sizes_ != nullptr && !layout_.is_data(word)) [[unlikely]]
    return {0, 0};  // a gap has no data
  const std::uint32_t bytes = std::min(job.unfetched, run * context_.geometry.unit_bytes);
  const std::uint64_t offset =
      layout_.is_data(word) ? std::uint64_t{layout_.unit(word)} * context_.geometry.unit_bytes : 0;
  return {bytes, hardware.buffer_address(offset, bytes)};
}

// Copies are contiguous where they were gathered; host data lie where each unit has its place in the buffer.
bool Programmer::fetch_units(ProgramJob& job) {
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
  if (job.resized != 0) [[unlikely]] {
    sizes_->fetched(job);
    job.resized = 0;
  }
  if (job.accumulations != 0 && !redundancy_->accumulate(job)) [[unlikely]]
    return false;
  job.stage = ProgramJob::Stage::Updated;
  return !context_.hardware.begin(job, FirmwareStep::MapUpdate, carried(job), FirmwareStep::FlashIssue,
                                  job.inside ? 2 : 1, std::max(job.at.mapped, job.at.fetched), job.die());
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
    if (WaitList* const list = failures_->before_try(job)) return list;
    job.stage = Stage::Fail;
    if (WaitList* const place = context_.hardware.flash().ask_place(*job.attempt)) return place;
  }
  if (job.stage == Stage::Fail) [[unlikely]] {
    failures_->submit_try(job);
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
    return redundancy_->before_data(job);
  return job.inside ? blocks_.programs().before_on_flash(job.source[units_per_program_ - 1]) : nullptr;
}

void Programmer::submit(ProgramJob& job) {
  blocks_.programs().submitted(job.block, job.command.origin);
  job.note_in_flight();
  if (!job.inside) --on_their_way_[job.die()];
  OnfiCommand& first = job.inside ? reads_.copyback(job) : job.command;
  job.commands = 0;
  for_each_of_group(first, [&job](OnfiCommand& each) {
    each.completion = &job;
    ++job.commands;
  });
  if (context_.hardware.flash().submit(first)) job.programmed();
}

void ProgramJob::programmed() {
  if (!failures.empty()) [[unlikely]]
    return programmer->failure_handler()->tried(*this);
  Runtime& of = *runtime;
  programmer->finish(*this);
  of.let_go();
}

// What a job must wait for before it may enter the die's queue; null if nothing.
WaitList* Programmer::before(ProgramJob& job) {
  if (WaitList* const list = before_turn(job, job.block, job.turn)) return list;
  if (debt_ != nullptr && job.command.origin == Origin::Host && job.window == nullptr)
    return debt_->before_host_data(job.die(), job.behind);
  return nullptr;
}

void Programmer::finish(ProgramJob& job) {
  const BlockNumber block = job.block;
  const std::uint32_t die = job.die();
  const bool parity = job.parity;
  if (job.inside) [[unlikely]]
    reads_.check_copyback(job);
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
    job.note_waiting();
    if (job.window->debt != nullptr) job.window->debt->pay(die);
  }
  if (!exposed_.possible() || fault(Fault::WordLineForgotten) || fault(Fault::ParityForgotten)) {
    release(job);
  } else {
    blocks_[block].pending->exposed.push_back(&job);
    exposed_.release_safe(block);
  }
  if (parity) [[unlikely]]
    redundancy_->done(block);
  blocks_.programs().retire_if_done(block);
  blocks_.waits().events(die).durable.wake_all();
}

void Programmer::release(ProgramJob& job) {
  if (!observers_.none() && !job.fails && !job.parity)
    observers_.programmed(job.block, job.first_page, blocks_[job.block].pending->sequence, job.oob, units_per_program_);
  for (std::uint32_t index = 0; index < job.filled; ++index) {
    if (WriteUnit* const write = job.writes[index])
      write->listener->on_durable(*write, job.at);
    else if (job.source[index] != kNoPhysicalUnit)
      blocks_.waits().copy_done(blocks_.block_of(job.source[index]));
    if (job.replaced[index] != kNoBlockNumber) blocks_.waits().copy_done(job.replaced[index]);
  }
  jobs_.give_back(job);
}

bool Programmer::carry_out_now(ProgramJob& job) {
  if (carry_out_at_once(job)) return true;
  if (!context_.hardware.flash().synchronous() || job.completing != 0) return false;
  if (!job.failures.empty() || before(job) != nullptr) return false;
  if (job.copied != 0 && !reads_.gather_now(job)) return false;
  program(job);
  return true;
}

// As before(), and whether a unit to be copied is not on flash yet.
inline bool Programmer::must_wait(const ProgramJob& job) {
  const BlockInfo& info = blocks_[job.block];
  if (info.submitted != job.turn || info.durable != job.turn) return true;
  if (job.turn == 0 && blocks_.waits().before_first_program(job.block) != nullptr) return true;
  if (job.copied == 0) return debt_ != nullptr && debt_->before_host_data(job.die(), debt_->owed(job.die())) != nullptr;
  return std::any_of(job.source, job.source + job.filled,
                     [this](PhysicalUnit source) { return source != kNoPhysicalUnit && !blocks_.on_flash(source); });
}

bool Programmer::carry_out_at_once(ProgramJob& job) {
  FlashPort& flash = context_.hardware.flash();
  if (!plain_ || !flash.synchronous() || context_.verify || sizes_ != nullptr || job.completing != 0 ||
      !job.failures.empty() || must_wait(job))
    return false;
  OnfiCommand& command = job.command;
  const bool host = command.origin == Origin::Host;
  if (job.copied != 0 && !flash.read_units(host ? Origin::Merge : command.origin, {job.source, job.filled}, job.oob))
    return false;
  command.payload_units = job.filled - job.gaps;
  command.unused_units = 0;
  command.copied_units = host ? job.copied : 0;
  flash.submit(command);
  job.at = {};
  end_at_once(job);
  return true;
}

const char* Programmer::why_no_rule() const {
  if (!context_.hardware.flash().synchronous()) return "flash commands have to be waited for, or may be cut off";
  if (redundancy_ != nullptr) return "data have redundancy on other dies";
  if (exposed_.possible()) return "pages of a word line wait for each other";
  if (sizes_ != nullptr) return "mapping units differ in size";
  if (jobs_.torn_writes() != nullptr) return "the drive tears writes";
  if (!observers_.none()) return "a part hears of each program (a journal, ftl.recovery)";
  return nullptr;
}

void Programmer::program_by_rule(ProgramJob& job, std::uint32_t number) {
  job.command.payload_units = units_per_program_;
  job.command.unused_units = job.command.copied_units = 0;
  context_.hardware.flash().program_by_rule(job.command, number);
  end_at_once(job);
}

// The program of a job that has waited for nothing is done.
inline void Programmer::end_at_once(ProgramJob& job) {
  const BlockNumber block = job.block;
  blocks_.programs().submitted(block, job.command.origin);
  blocks_.programs().done(block, job.first_page);
  release(job);
  blocks_.programs().retire_if_done(block);
  blocks_.waits().events(blocks_.die_of(block)).durable.wake_all();
}

void Programmer::program_turns_by_rule(std::span<const std::uint32_t> places, std::uint32_t number,
                                       std::uint32_t turns) {
  BlockPrograms& programs = blocks_.programs();
  std::vector<FlashAddress> pages;
  for (const std::uint32_t place : places) {
    const BlockNumber block = place / (blocks_.units_per_block() / units_per_program_);
    const std::uint32_t page = programs.give_out(block, numbers_.last() + 1, turns);
    programs.submitted(block, Origin::Host, turns);
    programs.done(block, page, turns);
    pages.push_back(blocks_.address(block, page));
  }
  numbers_.take(static_cast<std::uint32_t>(places.size()) * turns);
  OnfiCommand command;
  command.operation = FlashOperation::Program;
  command.units = static_cast<std::uint16_t>(units_per_program_);
  command.payload_units = units_per_program_;
  command.bytes = context_.geometry.program_bytes(Page{}, false);
  context_.hardware.flash().program_turns_by_rule(command, pages, number, turns);
}

// Exposed jobs still hold buffer space, and the blocks that they replace or copy out of.
void Programmer::state(StateArchive& archive, FrontBuffer& front) {
  numbers_.state(archive);
  if (!exposed_.possible()) return;
  for (BlockNumber block = 0; block < blocks_.size(); ++block) {
    if (blocks_[block].pending == nullptr) continue;
    std::vector<ProgramJob*>& exposed = blocks_[block].pending->exposed;
    auto count = static_cast<std::uint32_t>(exposed.size());
    archive(count);
    exposed.resize(count);
    for (ProgramJob*& job : exposed) {
      jobs_.job_state(archive, job, front);
      for (std::uint32_t index = job->filled; index < units_per_program_; ++index) archive(job->oob[index]);
    }
  }
}

}  // namespace flashloom

#include "controllers/ftl/program/program_jobs.hpp"

#include <stdexcept>

#include "controllers/ftl/program/program_reads.hpp"
#include "controllers/ftl/program/torn_writes.hpp"
#include "controllers/hardware/drive_faults.hpp"

namespace flashloom {

ProgramJob::ProgramJob(std::uint32_t units, std::size_t sectors) {
  // Largest alignment first, so that each table is aligned after the previous one.
  static_assert(alignof(OnfiCommand) >= alignof(OobWord) && alignof(OobWord) == alignof(std::uint64_t) &&
                alignof(OobWord) >= alignof(WriteUnit*) && alignof(WriteUnit*) >= alignof(SectorToken) &&
                alignof(SectorToken) == alignof(PhysicalUnit));
  const std::size_t bytes = units * (sizeof(OnfiCommand) + 2 * sizeof(OobWord) + sizeof(std::uint64_t) +
                                     sizeof(WriteUnit*) + sizeof(PhysicalUnit) + sizeof(BlockNumber)) +
                            2 * sectors * sizeof(SectorToken);
  memory_ = std::make_unique<std::byte[]>(bytes);
  std::byte* free = memory_.get();
  const auto take = [&free]<class T>(T*& table, std::size_t n) {
    table = reinterpret_cast<T*>(free);
    std::uninitialized_value_construct_n(table, n);
    free += n * sizeof(T);
  };
  take(reads, units);
  take(oob, units);
  take(read_oob, units);
  take(owners, units);
  take(writes, units);
  if (sectors != 0) {
    take(tokens, sectors);
    take(read_tokens, sectors);
  }
  take(source, units);
  take(replaced, units);
}

ProgramJobs::ProgramJobs(const FtlContext& context, BlockTable& blocks, const OobLayout& layout,
                         ProgramNumbers& numbers, ProgramReads& reads)
    : ProgramPart(context, blocks, layout), numbers_(numbers), reads_(reads) {
  DriveFaults* const faults = context.hardware.faults();
  if (faults != nullptr && faults->tears_writes() && context.verify)
    torn_writes_ = std::make_unique<TornWrites>(context, blocks, *faults);
}

ProgramJobs::~ProgramJobs() = default;

ProgramJob& ProgramJobs::take(const ProgramFill& fill) {
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
  static_cast<ProgramFill&>(job) = fill;
  job.fails = job.parity = false;
  return job;
}

ProgramJob& ProgramJobs::begin(BlockNumber block, Origin origin, std::uint32_t page) {
  ProgramJob& job = take({.block = block, .first_page = page});
  job.fails = failures_ != nullptr && failures_->number(block);
  job.turn = blocks_.programs().give_out(block, numbers_.next());
  if (job.fails) [[unlikely]]
    blocks_.set_failed(block, job.turn);
  ++under_way_;
  prepare(job, origin, numbers_.last());
  return job;
}

ProgramJob& ProgramJobs::begin_failed(const FailedProgram& failure, Origin origin) {
  ProgramJob& job = take({.block = failure.block, .first_page = failure.page, .turn = failure.page});
  job.fails = true;
  ++under_way_;
  prepare(job, origin, failure.sequence);
  return job;
}

void ProgramJobs::prepare(ProgramJob& job, Origin origin, std::uint64_t sequence) {
  job.gathered = 0;
  job.completing = 0;
  job.window = nullptr;
  job.behind = 0;
  OnfiCommand& command = job.command;
  command.origin = origin;
  command.address = blocks_.address(job.block, job.first_page);
  command.bytes = context_.geometry.program_bytes(command.address.page, blocks_.in_slc_mode(job.block));
  command.sequence = sequence;
  command.torn = nullptr;
  command.owners = origin == Origin::Host || origin == Origin::Gc ? job.owners : nullptr;
  command.flow = kNoFlow;
}

PhysicalUnit ProgramJobs::place_host(ProgramJob& job, WriteUnit& unit, PhysicalUnit old_place) {
  const OobWord word = word_of(unit);
  begin_place(job, word);
  const std::uint32_t index = job.filled++;
  put(job, index, word, &unit, kNoPhysicalUnit);
  job.owners[index] = unit.request;
  note_flow(job, unit);
  note_replaced(job, index, old_place);
  if (torn_writes_ != nullptr) [[unlikely]]
    torn_writes_->placed(job, index, old_place);
  if (unit.sectors != all_sectors_) {
    if (old_place != kNoPhysicalUnit && reads_.lost_in_transit(old_place)) [[unlikely]] {
      reads_.note_lost(job, index);
      unit.rest_lost = true;
      unit.listener->on_filled(unit);
    } else if (old_place != kNoPhysicalUnit) {
      // Read now: whoever waits for the whole unit must not wait for the program unit to fill.
      job.source[index] = reads_.readable(old_place);
      ++blocks_[blocks_.block_of(job.source[index])].reads_in_flight;
      ++job.completing;
      Runtime::current().spawn(
          [this, &job, index, missing = all_sectors_ & ~unit.sectors] { return reads_.complete(job, index, missing); });
    } else {
      unit.sectors = all_sectors_;  // never written: the other sectors are zeroes, as in its tokens
      unit.listener->on_filled(unit);
    }
  }
  end_place(job, word);
  return place_of(job, index);
}

PhysicalUnit ProgramJobs::place_copy(ProgramJob& job, OobWord word, PhysicalUnit source) {
  begin_place(job, word);
  const std::uint32_t index = job.filled++;
  put(job, index, word, nullptr, source);
  blocks_[job.block].pending->source[job.first_page * units_per_page_ + index] = source;
  if (job.command.origin == Origin::Host) job.owners[index] = 0;
  ++job.copied;
  ++blocks_[blocks_.block_of(source)].copies_pending;
  end_place(job, word);
  return place_of(job, index);
}

void ProgramJobs::carry_host_data(ProgramJob& job) {
  if (job.command.origin == Origin::Host) return;
  job.command.origin = Origin::Host;
  job.command.owners = job.owners;
  std::fill_n(job.owners, job.filled, std::uint64_t{0});
}

void ProgramJobs::place_gap(ProgramJob& job, OobWord word) {
  put_empty(job, job.filled++, word);
  ++job.gaps;
}

PhysicalUnit ProgramJobs::place_new(ProgramJob& job, OobWord word) {
  begin_place(job, word);
  const std::uint32_t index = job.filled++;
  put_empty(job, index, word);
  end_place(job, word);
  return place_of(job, index);
}

void ProgramJobs::leave_page(ProgramJob& job) {
  while (job.filled % units_per_page_ != 0) place_gap(job, layout_.padding());
  job.steps_of_page = 0;
}

void ProgramJobs::take_room(ProgramJob& job, OobWord word) {
  if (sizes_->takes(job, word) || job.filled % units_per_page_ == 0) leave_page(job);
}

void ProgramJobs::put_empty(ProgramJob& job, std::uint32_t index, OobWord word) {
  put(job, index, word, nullptr, kNoPhysicalUnit);
  job.owners[index] = 0;
  if (context_.verify)
    std::fill_n(job.tokens + static_cast<std::ptrdiff_t>(std::size_t{index} * context_.sectors_per_unit),
                context_.sectors_per_unit, SectorToken{0});
}

std::uint32_t ProgramJobs::pad(ProgramJob& job) {
  const std::uint32_t padding = room(job);
  const OobWord word = job.parity ? layout_.parity(blocks_[job.block].parity) : layout_.padding();
  for (std::uint32_t index = job.filled; index < units_per_program_; ++index) put_empty(job, index, word);
  return padding;
}

ParkedJob ProgramJobs::park(ProgramJob& job) {
  const ParkedJob parked{{job}, job.command.origin, job.command.sequence, job.owners[0]};
  job.filled = 0;  // ExposedData looks at all jobs, and a parked one must need nothing
  free_.push_back(&job);
  return parked;
}

ProgramJob& ProgramJobs::unpark(const ParkedJob& parked) {
  ProgramJob& job = take(parked);
  prepare(job, parked.origin, parked.sequence);
  job.owners[0] = parked.owner;
  const PendingPages& pending = *blocks_[job.block].pending;
  const auto first = static_cast<std::ptrdiff_t>(std::size_t{job.first_page} * units_per_page_);
  std::copy_n(pending.oob.begin() + first, units_per_program_, job.oob);
  std::copy_n(pending.source.begin() + first, units_per_program_, job.source);
  std::fill_n(job.writes, units_per_program_, nullptr);
  std::fill_n(job.replaced, units_per_program_, kNoBlockNumber);
  if (job.copied != units_per_program_ && context_.verify)
    std::fill_n(job.tokens, std::size_t{units_per_program_} * context_.sectors_per_unit, SectorToken{0});
  return job;
}

// Saves the filled part of a job. The buffer saves its host data; its copies are read only when the job is full.
void ProgramJobs::job_state(StateArchive& archive, ProgramJob*& job, FrontBuffer& front) {
  bool filling = job != nullptr;
  archive(filling);
  if (!filling) return;
  if (archive.loading()) {
    job = &take({});
    ++under_way_;
  }
  Origin origin = job->command.origin;
  std::uint64_t sequence = job->command.sequence;
  archive(job->block, job->first_page, job->turn, job->filled, job->gaps, job->copied, origin, sequence);
  archive(job->fails, job->failures);
  if (sizes_ != nullptr) archive(job->steps_of_page);
  if (archive.loading()) prepare(*job, origin, sequence);
  for (std::uint32_t index = 0; index < job->filled; ++index) {
    constexpr std::uint32_t kCopy = ~std::uint32_t{0};
    std::uint32_t slot = archive.loading() || job->writes[index] == nullptr ? kCopy : job->writes[index]->owner_slot;
    archive(job->oob[index], job->source[index], slot);
    job->writes[index] = slot == kCopy ? nullptr : &front.write_unit(slot);
    if (archive.loading()) job->replaced[index] = kNoBlockNumber;
    if (slot != kCopy) {
      archive(job->replaced[index]);
      note_flow(*job, *job->writes[index]);
    }
    if (archive.loading()) job->owners[index] = 0;  // request numbers belong to another run
  }
}

void ProgramJobs::too_many_versions() {
  throw std::runtime_error(
      "the device has been written more often than the version numbers in its spare areas can count");
}

}  // namespace flashloom

// Page-mapping FTL: the whole L2P table in memory, log-structured writes striped by the placement policy, greedy (or
// other) foreground GC on each die. Source: A. Ban, Flash File System, US patent 5,404,485 (1995); the form here
// follows Agrawal et al., USENIX ATC 2008.
#include "controllers/ftl/kinds/page_map.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "controllers/ftl/ftl_config.hpp"
#include "controllers/ftl/recovery/mount.hpp"
#include "controllers/runtime/fault.hpp"
#include "policies/registry.hpp"

namespace flashloom {
namespace {

constexpr ProgramInstants kAtOnce;

}  // namespace

PageMapFtl::PageMapFtl(const FtlContext& context, bool map_stream)
    : MappedFtl(context),
      collector_({context_, blocks_, layout_, map_, programmer_, statistics_}, map_stream),
      host_blocks_(collector_.open_blocks().host()),
      frontier_(collector_),
      log_blocks_(collector_),
      keeper_(context_, blocks_, layout_, map_, *this) {
  add_victim_sources(context_, blocks_, programmer_, collector_);
  collector_.guard(keeper_);
  if (context_.config.blocks_host()) collector_.block(gate_);
  if (keeper_.method().journals) programmer_.attach(keeper_);
}

Task<void> PageMapFtl::recover() {
  Mount mount(context_, blocks_, layout_, map_, keeper_, programmer_.redundancy());
  Mount::Result found = co_await mount.run();
  mounted_ = mount.report();
  newer_ = std::move(found.newer);
  newest_version_ = found.newest_version;
  programmer_.numbers().continue_after(found.newest_sequence);
  log_blocks_.find();
  if (Redundancy* const redundancy = programmer_.redundancy()) redundancy->recovered();
  for (const BlockNumber block : found.to_erase) collector_.open_blocks().erase_later(block);
  collector_.sources().recovered();
  if (reclaim_units() != nullptr) reclaim_units()->recovered();
  co_await collector_.restore_reserve();
  read_only_ = blocks_.spare().worn_down();
}

void PageMapFtl::prefetch_older(std::uint32_t unit) const {
  const PhysicalUnit old = map_.get(unit);
  if (old != kNoPhysicalUnit) blocks_.prefetch(old);
}

// Without a coroutine if nothing has to be waited for, since every write goes through here.
inline Task<void> PageMapFtl::write_next(WriteUnit& unit) {
  const PlacementRequest request = request_of(unit);
  frontier_.make_fit(request.stream, unit);
  if (host_blocks_.job(request.stream) == nullptr) {
    const WriteFrontier::Opening opening = frontier_.begin_opening(request);
    if (opening.block == kNoBlockNumber) return open_and_place(unit, request, opening);
    if (programmer_.direct().suit(opening.block) && context_.geometry.units_per_program() == 1 &&
        programmer_.jobs().whole(unit)) {
      write_directly(unit, request.stream, opening.block);
      return Task<void>::over();
    }
    frontier_.begin(request.stream, opening.block);
  }
  place(unit, request.stream);
  return Task<void>::over();
}

Task<void> PageMapFtl::write(WriteUnit& unit) {
  if (idling_) [[unlikely]]
    return write_later(unit);
  return keeper_.paces() ? write_paced(unit) : write_next(unit);
}

Task<void> PageMapFtl::write_later(WriteUnit& unit) {
  while (idling_) co_await opened_.wait();
  co_await write(unit);
}

Task<void> PageMapFtl::write_paced(WriteUnit& unit) {
  opening_ = true;
  co_await keeper_.before_write();
  opening_ = false;
  opened_.wake_all();
  co_await write_next(unit);
}

// Places the unit as place() does, and programs it at once.
void PageMapFtl::write_directly(WriteUnit& unit, std::uint32_t stream, BlockNumber block) {
  const PhysicalUnit old = map_.get(unit.unit);
  const OobWord word = programmer_.jobs().whole_word_of(unit);
  const PhysicalUnit place = programmer_.direct().allot(block, std::span(&word, 1));
  moved(unit.unit, unit.version, old, place);
  frontier_.count_unit(stream, block);
  host_blocks_.close_if_full(stream, block);
  programmer_.direct().write(block, Origin::Host, &word, unit.tokens);
  unit.listener->on_durable(unit, kAtOnce);
  collector_.open_blocks().data_programmed();
}

// Updates the tables for a unit that has got its place.
inline void PageMapFtl::moved(std::uint32_t unit, std::uint64_t version, PhysicalUnit old, PhysicalUnit place) {
  if (old != kNoPhysicalUnit) blocks_.invalidate(old, age() + 1);
  if (!fault(Fault::LostUnit)) map_.set(unit, place);
  blocks_.validate(place);
  newest_version_ = std::max(newest_version_, version);
}

Task<void> PageMapFtl::open_and_place(WriteUnit& unit, PlacementRequest request, WriteFrontier::Opening begun) {
  opening_ = true;
  const bool opened = co_await frontier_.open(request, begun);
  opening_ = false;
  opened_.wake_all();
  read_only_ = blocks_.spare().worn_down();
  if (opened)
    place(unit, request.stream);
  else
    unit.refused = out_of_room_ = true;
}

void PageMapFtl::place(WriteUnit& unit, std::uint32_t stream) {
  const PhysicalUnit old = map_.get(unit.unit);
  const PhysicalUnit place = programmer_.jobs().place_host(*host_blocks_.job(stream), unit, old);
  moved(unit.unit, unit.version, old, place);
  frontier_.placed(stream);
}

Task<void> PageMapFtl::trim(std::uint32_t first, std::uint32_t count, std::uint64_t version) {
  while (idling_) co_await opened_.wait();
  opening_ = true;
  const bool recorded = co_await keeper_.trim(first, count, version);
  if (!recorded) out_of_room_ = true;
  opening_ = false;
  opened_.wake_all();
  newest_version_ = std::max(newest_version_, version);
  co_await MappedFtl::trim(first, count, version);
}

Task<void> PageMapFtl::come_to_rest() {
  co_await collector_.leave_room();
  host_blocks_.seal_all(true);
  collector_.open_blocks().copies().seal();
  co_await programmer_.jobs().all_done();
}

Task<bool> PageMapFtl::idle() {
  while (opening_) co_await opened_.wait();
  idling_ = true;
  const bool any = co_await collector_.idle();
  idling_ = false;
  opened_.wake_all();
  if (any) co_await collector_.copied();
  read_only_ = blocks_.spare().worn_down();
  co_return any;
}

// Padding goes into blocks shared with copies: a victim that has taken the last free block needs the rest of it.
Task<void> PageMapFtl::seal() {
  if (programmer_.exposed().possible() && collector_.open_blocks().copies().shared()) {
    opening_ = true;
    co_await collector_.leave_room();
    opening_ = false;
    opened_.wake_all();
  }
  host_blocks_.seal_all(false);
}

Task<void> PageMapFtl::update_handle(PlacementId placement) {
  while (idling_) co_await opened_.wait();
  reclaim_units()->update(placement);
}

const char* PageMapFtl::why_no_rule() const {
  if (context_.config.kind.name != "page_map") return Ftl::why_no_rule();
  if (keeper_.paces()) return "the map's keeper does its share with each write (ftl.recovery)";
  for (const char* const why : {context_.media.why_no_rule(), programmer_.why_no_rule(), frontier_.why_no_rule()})
    if (why != nullptr) return why;
  return nullptr;
}

// A rule describes the content and places of program units (FillRule, UnitMap). They are placed as usual, but for whole
// turns round the open blocks.
Task<std::uint32_t> PageMapFtl::fill_by_rule(FillPart part) {
  const std::uint32_t units = context_.geometry.units_per_program();
  if (statistics_.units_written != std::uint64_t{part.first} * units || host_blocks_.job(0) != nullptr)
    throw std::logic_error("what a rule is to tell does not go on where the fill is");
  const OobWord first = layout_.encode(0, part.version);
  context_.media.begin_fill({first, layout_.encode(1, part.version + 1) - first});
  map_.begin_fill(units);
  // Most blocks that a group opens before the fill can stop.
  const std::uint32_t programs = context_.geometry.pages / context_.geometry.program_pages;
  const std::uint32_t opened = (blocks_.one_by_one() ? blocks_.banks_per_die() : 1) + part.step / programs;
  const std::uint32_t kept = collector_.collects_at() + opened;
  const std::uint32_t last = part.end - (part.end - part.first) % part.step;  // where the fill can stop
  std::uint32_t least_free = least_free_blocks();
  std::uint32_t number = part.first;
  std::vector<std::uint32_t> turn;
  while (number + part.step <= part.end && least_free > kept) {
    for (std::uint32_t end = number + part.step; number != end;) {
      const PlacementRequest request{.unit = number * units};
      const WriteFrontier::Opening opening = frontier_.begin_opening(request);
      if (opening.block != kNoBlockNumber) [[likely]] {
        frontier_.begin(request.stream, opening.block);
      } else {
        if (!opening.pace.kept) throw std::logic_error("garbage is collected during a fill that is told by a rule");
        co_await frontier_.open(request, opening);
        const BlockNumber block = host_blocks_.job(request.stream)->block;
        least_free = std::min(least_free, blocks_.free_of_group(blocks_.group_of(block)));
      }
      map_.add_program(number, frontier_.filled_by_rule(request.stream, number));
      map_.next_turn(++number, turn);
      if (turn.empty() || least_free <= kept) continue;
      const auto length = static_cast<std::uint32_t>(turn.size());
      number += length * frontier_.fill_turns(request.stream, number, turn, (last - number) / length);
      while (end < number) end += part.step;
    }
  }
  newest_version_ = std::max(newest_version_, part.version + std::uint64_t{number} * units - 1);
  map_.end_fill(part.first, number);
  context_.media.end_fill();
  blocks_.programs().note_words();
  co_return number;
}

void PageMapFtl::state(StateArchive& archive, FrontBuffer& front) {
  archive.part("page_map");
  archive(map_, blocks_, statistics_, newest_version_, read_only_, out_of_room_);
  programmer_.state(archive, front);
  collector_.open_blocks().state(archive);
  archive(log_blocks_);
  collector_.state(archive, front);
  host_blocks_.state(archive, front);
  frontier_.state(archive);
  archive.part("map keeper");
  keeper_.state(archive);
}

namespace {

const RecoveryMethods recovery{"page_map", {"checkpoint", "journal"}, true};

const Registration<Ftl> registration{
    {.name = "page_map",
     .summary = "page mapping, whole map in memory",
     .source = "A. Ban, US patent 5,404,485, 1995; Agrawal et al., USENIX ATC 2008",
     .parameters = {}},
    [](const FtlContext& context, const ParameterValues&) { return std::make_unique<PageMapFtl>(context); }};

}  // namespace
}  // namespace flashloom

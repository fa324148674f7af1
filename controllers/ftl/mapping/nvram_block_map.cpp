#include "controllers/ftl/mapping/nvram_block_map.hpp"

#include <array>
#include <span>

#include "controllers/hardware/hardware.hpp"
#include "controllers/runtime/fault.hpp"

namespace flashloom {
namespace {

constexpr std::uint64_t kStateBits = 3;
constexpr std::uint32_t kGenerationShift = 2;
constexpr std::uint32_t kLogicalShift = 32;

std::uint32_t bit_words(const NandGeometry& geometry) { return (geometry.units_per_block() + 63) / 64; }

}  // namespace

std::size_t NvramBlockMap::words(const NandGeometry& geometry) {
  return std::size_t{geometry.dies} * geometry.blocks * (bit_words(geometry) + 2);
}

NvramBlockMap::NvramBlockMap(const FtlContext& context)
    : nvram_(*context.nvram),
      hardware_(context.hardware),
      first_(context.nvram_first),
      bit_words_(bit_words(context.geometry)),
      blocks_(context.geometry.dies * context.geometry.blocks) {}

NvramBlockMap::Access& NvramBlockMap::take_access() {
  if (free_.empty()) free_.push_back(&accesses_.emplace_back());
  Access& access = *free_.back();
  free_.pop_back();
  access.writes.clear();
  access.words = 0;
  return access;
}

void NvramBlockMap::write(Access& access, std::size_t address, std::span<const std::uint64_t> words) {
  access.writes.push_back(nvram_.begin(address, words));
  access.words += static_cast<std::uint32_t>(words.size());
}

void NvramBlockMap::set_state(Access& access, BlockNumber block, State state) {
  const std::size_t header = header_of(block);
  const std::array<std::uint64_t, 1> word = {(nvram_.read(header) & ~kStateBits) | static_cast<std::uint64_t>(state)};
  write(access, header, word);
}

// Performs an access. Its words become persistent one after another.
Task<void> NvramBlockMap::pass(Access& access) {
  const Picoseconds from = hardware_.now();
  const Picoseconds until = co_await hardware_.nvram_write(std::uint64_t{access.words} * kWord);
  std::uint32_t done = 0;
  for (const NvramContents::Write& write : access.writes) {
    const Picoseconds begin = from + (until - from) / access.words * done;
    done += write.count;
    nvram_.end(write, begin, done == access.words ? until : from + (until - from) / access.words * done);
  }
  free_.push_back(&access);
  co_await hardware_.until(until);
}

Task<void> NvramBlockMap::open(BlockNumber block, LogicalBlock logical, BlockNumber data, Use use) {
  const std::uint64_t generation = data == kNoBlockNumber ? 0 : (record(data).generation + 1U) & 3;
  const State state = use == Use::Copies ? State::Garbage : State::Open;
  Access& access = take_access();
  scratch_.assign(bit_words_, ~std::uint64_t{0});
  scratch_.push_back(0);
  scratch_.push_back((std::uint64_t{logical} << kLogicalShift) | (generation << kGenerationShift) |
                     static_cast<std::uint64_t>(state));
  if (fault(Fault::OpenNotRecorded)) scratch_.back() = 0;
  write(access, first_of(block), scratch_);
  return pass(access);
}

Task<void> NvramBlockMap::replace(BlockNumber target, const std::vector<std::uint64_t>& units, std::uint64_t version,
                                  const std::vector<BlockNumber>& given_up) {
  Access& access = take_access();
  if (target != kNoBlockNumber && !fault(Fault::DataNotRecorded)) {
    scratch_ = units;
    scratch_.push_back(version);
    write(access, first_of(target), scratch_);
    set_state(access, target, State::Data);
  }
  for (const BlockNumber block : given_up) set_state(access, block, State::Garbage);
  return pass(access);
}

Task<void> NvramBlockMap::share(BlockNumber block) {
  Access& access = take_access();
  const std::size_t header = header_of(block);
  const std::array<std::uint64_t, 1> word = {nvram_.read(header) | (std::uint64_t{kNoLogicalBlock} << kLogicalShift)};
  write(access, header, word);
  return pass(access);
}

void NvramBlockMap::clear(BlockNumber block, std::uint32_t word, std::uint64_t units) {
  const std::size_t address = first_of(block) + word;
  const std::uint64_t before = nvram_.read(address);
  if ((before & units) == 0 || fault(Fault::TrimNotRecorded)) return;
  if (clearing_ == nullptr) clearing_ = &take_access();
  const std::array<std::uint64_t, 1> after = {before & ~units};
  write(*clearing_, address, after);
}

Task<void> NvramBlockMap::cleared() {
  if (Access* const access = std::exchange(clearing_, nullptr)) co_await pass(*access);
}

// Not awaited: a later open() of the block comes after it in NVRAM, too.
void NvramBlockMap::erased(BlockNumber block) {
  constexpr std::array<std::uint64_t, 1> kErased = {0};
  if (nvram_.read(header_of(block)) == 0) return;
  Access& access = take_access();
  write(access, header_of(block), kErased);
  Runtime::current().spawn([this, &access] { return pass(access); });
}

Task<void> NvramBlockMap::read() {
  const Picoseconds there = co_await hardware_.nvram_read(std::uint64_t{blocks_} * (bit_words_ + 2) * kWord);
  co_await hardware_.cpu(FirmwareStep::MapLookup, blocks_, there);
}

NvramBlockMap::Record NvramBlockMap::record(BlockNumber block) const {
  const std::uint64_t header = nvram_.read(header_of(block));
  return {static_cast<State>(header & kStateBits), static_cast<std::uint8_t>(header >> kGenerationShift & 3),
          static_cast<LogicalBlock>(header >> kLogicalShift)};
}

}  // namespace flashloom

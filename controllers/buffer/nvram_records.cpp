#include "controllers/buffer/nvram_records.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "controllers/runtime/fault.hpp"

namespace flashloom {
namespace {

// In the first word of a header, above the unit.
constexpr unsigned kStreamAt = 32;
constexpr unsigned kDirectiveAt = 40;
constexpr unsigned kIdentifierAt = 48;

// Not zero, which is "nothing".
std::uint64_t check_word(std::uint64_t unit_and_stream, std::uint64_t version, std::uint64_t sectors) {
  std::uint64_t hash = unit_and_stream * 0x9E3779B97F4A7C15;
  for (const std::uint64_t word : {version, sectors}) {
    hash ^= hash >> 29;
    hash = (hash + word) * 0xBF58476D1CE4E5B9;
  }
  return (hash ^ (hash >> 32)) | 1;
}

}  // namespace

Task<Picoseconds> NvramRecords::write(std::uint32_t slot, const WriteUnit& unit, std::uint32_t superseded) {
  const unsigned place = newest_[slot] ^= 1;
  NvramContents::Write data;
  if (sectors_ != 0) {
    scratch_.assign(unit.tokens, unit.tokens + sectors_);
    data = contents_.begin(tokens_at(slot, place), scratch_);
  }
  const std::uint64_t unit_and_stream = unit.unit | (std::uint64_t{unit.stream} << kStreamAt) |
                                        (static_cast<std::uint64_t>(unit.placement.directive) << kDirectiveAt) |
                                        (std::uint64_t{unit.placement.identifier} << kIdentifierAt);
  const std::array<std::uint64_t, 4> words = {unit_and_stream, unit.version, unit.sectors,
                                              check_word(unit_and_stream, unit.version, unit.sectors)};
  const NvramContents::Write header = contents_.begin(header_at(slot, place), words);
  Release old;
  if (superseded != kNone) old = begin_release(superseded);
  const Picoseconds from = hardware_.now();
  const Picoseconds until =
      co_await hardware_.nvram_write(superseded == kNone ? kHeaderBytes : kHeaderBytes + kReleaseBytes);
  const Picoseconds written = superseded == kNone ? until : from + (until - from) / 3 * 2;
  contents_.end(data, from, written, true);
  contents_.end(header, from, written);
  if (superseded != kNone) end_release(old, from, until);
  co_return until;
}

void NvramRecords::release(std::uint32_t slot) {
  Runtime::current().spawn([this, slot] { return pass_release(slot); });
}

NvramRecords::Release NvramRecords::begin_release(std::uint32_t slot) {
  constexpr std::array<std::uint64_t, 1> kNothing = {0};
  Release release;
  release.older = contents_.begin(header_at(slot, newest_[slot] ^ 1) + 3, kNothing);
  release.newer = contents_.begin(header_at(slot, newest_[slot]) + 3, kNothing);
  return release;
}

void NvramRecords::end_release(const Release& release, Picoseconds from, Picoseconds until) {
  contents_.end(release.older, from, std::max(from, until == 0 ? 0 : until - 1));
  contents_.end(release.newer, from, until);
}

Task<void> NvramRecords::pass_release(std::uint32_t slot) {
  const Release release = begin_release(slot);
  ++releasing_;
  const Picoseconds from = hardware_.now();
  const Picoseconds until = co_await hardware_.nvram_write(kReleaseBytes);
  end_release(release, from, until);
  released_ = std::max(released_, until);
  if (--releasing_ == 0) answered_.wake_all();
}

Task<void> NvramRecords::until_released() {
  while (releasing_ != 0) co_await answered_.wait();
  co_await hardware_.until(released_);
}

bool NvramRecords::read(std::uint32_t slot, unsigned place, Header& header) const {
  const std::size_t at = header_at(slot, place);
  const std::uint64_t check = contents_.read(at + 3);
  const std::uint64_t unit_and_stream = contents_.read(at);
  header.unit = static_cast<std::uint32_t>(unit_and_stream);
  header.stream = static_cast<std::uint8_t>(unit_and_stream >> kStreamAt);
  header.placement = {static_cast<Directive>(unit_and_stream >> kDirectiveAt & 0xff),
                      static_cast<std::uint16_t>(unit_and_stream >> kIdentifierAt)};
  header.version = contents_.read(at + 1);
  header.sectors = contents_.read(at + 2);
  if (check == 0) return false;
  return check == check_word(unit_and_stream, header.version, header.sectors) || fault(Fault::TornHeader);
}

Task<void> NvramRecords::recover(std::vector<std::uint32_t>& held, const std::vector<WriteUnit*>& units) {
  const Picoseconds there = co_await hardware_.nvram_read(std::uint64_t{slots_} * 2 * kHeaderBytes);
  co_await hardware_.cpu(FirmwareStep::BufferLookup, slots_, there);
  std::unordered_map<std::uint32_t, std::uint32_t> slot_of;
  std::vector<std::uint32_t> superseded;
  for (std::uint32_t slot = 0; slot < slots_; ++slot) {
    std::array<Header, 2> headers{};
    const bool first = read(slot, 0, headers[0]);
    const bool second = read(slot, 1, headers[1]);
    if (!first && !second) continue;
    const unsigned place = !first || (second && headers[1].version > headers[0].version) ? 1 : 0;
    const Header& header = headers[place];
    newest_[slot] = static_cast<std::uint8_t>(place);
    WriteUnit& unit = *units[slot];
    unit.unit = header.unit;
    unit.stream = header.stream;
    unit.placement = header.placement;
    unit.version = header.version;
    unit.sectors = header.sectors;
    for (std::uint32_t sector = 0; sector < sectors_; ++sector)
      unit.tokens[sector] = static_cast<SectorToken>(contents_.read(tokens_at(slot, place) + sector));
    const auto [other, alone] = slot_of.try_emplace(unit.unit, slot);
    if (alone) continue;
    std::uint32_t older = slot;
    if (units[other->second]->version < unit.version) std::swap(other->second, older);
    superseded.push_back(older);
  }
  for (const std::uint32_t slot : superseded) release(slot);
  held.clear();
  for (const auto& [unit, slot] : slot_of) held.push_back(slot);
  std::sort(held.begin(), held.end(),
            [&](std::uint32_t a, std::uint32_t b) { return units[a]->version < units[b]->version; });
}

}  // namespace flashloom

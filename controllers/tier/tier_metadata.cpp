#include "controllers/tier/tier_metadata.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "controllers/runtime/fault.hpp"

namespace flashloom {
namespace {

constexpr std::size_t kRecordsABlock = 4096 / 16;  // with room for a header

// Whether sectors hold the tokens from `first` on, in a row.
bool in_a_row(const SectorToken* tokens, std::uint64_t sectors, SectorToken first) {
  for (std::uint64_t i = 0; i < sectors; ++i)
    if (tokens[i] != first + i) return false;
  return true;
}

}  // namespace

TierMetadata::TierMetadata(const Layout& layout, BlockPort& home, BlockPort& cache, std::uint32_t slots,
                           TierContents* contents, TierMetadataStatistics& statistics)
    : layout_(layout), home_(home), cache_(cache), slots_(slots), contents_(contents), statistics_(statistics) {
  image_.map.assign(slots, kNoSegment);
  image_.dirty.assign(slots, false);
}

// Bytes of an image: those of the largest image, so that the cost does not depend on the contents; less once the SSD
// has failed.
std::uint64_t TierMetadata::bytes_of(const TierImage& image) const {
  if (!image.retired) return layout_.area_bytes;
  // Beyond this size lost segments are stored as one bit a segment, for which the layout has room.
  return std::min(area_bytes(image.lost.size(), 0), layout_.area_bytes);
}

SectorToken TierMetadata::take_tokens(std::uint64_t bytes) {
  const auto sectors = static_cast<SectorToken>(bytes / layout_.sector_bytes);
  SectorToken& next = contents_->next_token;
  if (next + sectors < next) throw std::runtime_error("the tier's metadata were written too often");
  return std::exchange(next, next + sectors);
}

// Forgets images that are on no media any more.
void TierMetadata::forget_old() {
  if (contents_ == nullptr) return;
  const auto old = [this](std::uint64_t version) { return version + 2 < image_.version; };
  std::erase_if(contents_->images, [&](const auto& entry) { return old(entry.second.version); });
  std::erase_if(contents_->blocks, [&](const auto& entry) { return old(entry.second.version); });
}

Task<IoStatus> TierMetadata::write(TierImage& image) {
  image.version = image_.version + 1;
  const std::uint64_t bytes = bytes_of(image);
  const std::uint64_t area = area_of(image.version);
  SectorToken token = 0;
  std::vector<SectorToken> tokens;
  if (contents_ != nullptr) {
    token = take_tokens(bytes);
    contents_->images[token] = image;
    tokens.resize(bytes / layout_.sector_bytes);
    std::iota(tokens.begin(), tokens.end(), token);
  }
  TransferGroup group;
  for (std::uint64_t at = 0; at < bytes; at += kTransferBytes) {
    SectorToken* const piece = contents_ != nullptr ? tokens.data() + at / layout_.sector_bytes : nullptr;
    group.submit(home_, IoOperation::Write, area + at, std::min(kTransferBytes, bytes - at), piece);
    co_await group;
    if (group.status() != IoStatus::Ok) co_return group.status();
    group.release();
  }
  group.submit(home_, IoOperation::Flush, 0, 0, nullptr);
  co_await group;
  if (group.status() != IoStatus::Ok) co_return group.status();
  ++statistics_.images;
  statistics_.image_bytes += bytes;
  image_ = std::move(image);
  next_block_ = 0;
  forget_old();
  if (layout_.copies > 1 && !image_.retired) co_await trim_journal();
  co_return IoStatus::Ok;
}

// Trims the journal that begins: behind its last block recovery must find nothing, since unreadable old blocks could
// not be told from new ones.
Task<void> TierMetadata::trim_journal() {
  TransferGroup group;
  for (std::uint32_t copy = 0; copy < layout_.copies; ++copy)
    group.submit(cache_, IoOperation::Trim, journal_of(image_.version, copy), layout_.journal_bytes, nullptr);
  co_await group;
}

void TierMetadata::apply(TierImage& image, const TierRecord& record) {
  image.map[record.slot] = record.kind == TierRecord::Kind::Free    ? kNoSegment
                           : record.kind == TierRecord::Kind::Holds ? record.segment
                                                                    : image.map[record.slot];
  image.dirty[record.slot] = record.kind == TierRecord::Kind::Dirty;
}

Task<IoStatus> TierMetadata::append(TierRecord record) {
  pending_.push_back(record);
  const std::uint64_t number = ++appended_;
  if (!std::exchange(writing_, true)) Runtime::current().spawn([this] { return write_journal(); });
  while (durable_ < number && journal_status_ == IoStatus::Ok) co_await wrote_.wait();
  co_return journal_status_;
}

// Writes block after block, each with all changes since the last one, and a new image when the journal is full.
Task<void> TierMetadata::write_journal() {
  while (!pending_.empty() && journal_status_ == IoStatus::Ok) {
    if (next_block_ == layout_.journal_bytes / layout_.block_bytes) {
      TierImage whole = image_;
      journal_status_ = co_await write(whole);
      continue;
    }
    if (image_.version == 0 && next_block_ == 0 && layout_.copies > 1) co_await trim_journal();
    const std::size_t count = std::min(pending_.size(), kRecordsABlock);
    std::vector<TierRecord> records(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(count));
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(count));
    journal_status_ = co_await write_block(records);
    if (journal_status_ == IoStatus::Ok) durable_ += count;
    wrote_.wake_all();
  }
  writing_ = false;
  wrote_.wake_all();
}

Task<IoStatus> TierMetadata::write_block(const std::vector<TierRecord>& records) {
  std::vector<SectorToken> tokens;
  if (contents_ != nullptr) {
    const SectorToken token = take_tokens(layout_.block_bytes);
    contents_->blocks[token] = {image_.version, next_block_, records};
    tokens.resize(layout_.block_bytes / layout_.sector_bytes);
    std::iota(tokens.begin(), tokens.end(), token);
  }
  // One copy after the other: written together they could share a flash page.
  for (std::uint32_t copy = 0; copy < layout_.copies; ++copy) {
    TransferGroup group;
    group.submit(cache_, IoOperation::Write, journal_of(image_.version, copy) + next_block_ * layout_.block_bytes,
                 layout_.block_bytes, contents_ != nullptr ? tokens.data() : nullptr, nullptr, true);
    co_await group;
    if (group.status() != IoStatus::Ok) co_return group.status();
  }
  ++next_block_;
  ++statistics_.journal_blocks;
  for (const TierRecord& record : records) apply(image_, record);
  co_return IoStatus::Ok;
}

Task<IoStatus> TierMetadata::read_image(std::uint32_t area, bool& found, TierImage& image) {
  found = false;
  const std::uint64_t begin = layout_.areas + area * layout_.area_bytes;
  TransferGroup group;
  const BlockTransfer& header = group.read(home_, begin, kBlock, kBlock / layout_.sector_bytes);
  co_await group;
  statistics_.bytes_read += kBlock;
  if (group.status() != IoStatus::Ok) co_return group.status();
  const SectorToken first = header.tokens[0];
  group.release();
  const auto content = contents_->images.find(first);
  if (content == contents_->images.end()) co_return IoStatus::Ok;
  const std::uint64_t bytes = bytes_of(content->second);
  for (std::uint64_t at = 0; at < bytes; at += kTransferBytes) {
    const std::uint64_t length = std::min(kTransferBytes, bytes - at);
    const std::uint64_t sectors = length / layout_.sector_bytes;
    const BlockTransfer& piece = group.read(home_, begin + at, length, sectors);
    co_await group;
    statistics_.bytes_read += length;
    if (group.status() != IoStatus::Ok) co_return group.status();
    const bool whole = in_a_row(piece.tokens, sectors, first + static_cast<SectorToken>(at / layout_.sector_bytes));
    group.release();
    if (!whole) co_return IoStatus::Ok;  // the hash says so
  }
  found = true;
  image = content->second;
  co_return IoStatus::Ok;
}

Task<IoStatus> TierMetadata::load() {
  if (contents_ == nullptr) throw std::logic_error("without contents no metadata can be found");
  TierImage newest;
  newest.map.assign(slots_, kNoSegment);
  newest.dirty.assign(slots_, false);
  for (std::uint32_t area = 0; area < 2; ++area) {
    bool found = false;
    TierImage image;
    const IoStatus status = co_await read_image(area, found, image);
    if (status != IoStatus::Ok) co_return status;
    if (found && image.version > newest.version) newest = std::move(image);
  }
  image_ = std::move(newest);
  next_block_ = 0;
  if (layout_.journal_bytes == 0 || image_.retired) co_return IoStatus::Ok;
  const IoStatus status = co_await replay();
  co_return status;
}

// Block number next_block_ of one copy of the journal.
Task<TierMetadata::Found> TierMetadata::read_block(std::uint32_t copy, const TierJournalBlock** block) {
  const std::uint64_t sectors = layout_.block_bytes / layout_.sector_bytes;
  TransferGroup group;
  const BlockTransfer& read = group.read(cache_, journal_of(image_.version, copy) + next_block_ * layout_.block_bytes,
                                         layout_.block_bytes, sectors);
  co_await group;
  statistics_.bytes_read += layout_.block_bytes;
  if (group.status() != IoStatus::Ok) {
    ++statistics_.unreadable_blocks;
    co_return Found::Unreadable;
  }
  const auto found = contents_->blocks.find(read.tokens[0]);
  const bool good = found != contents_->blocks.end() && in_a_row(read.tokens, sectors, read.tokens[0]) &&
                    found->second.version == image_.version && found->second.number == next_block_;
  if (good) *block = &found->second;
  co_return good ? Found::Whole : Found::None;
}

// An acknowledged block exists in all copies, of which the first is written first. So there is no acknowledged block if
// the first copy, or another readable one, does not have it.
Task<TierMetadata::Found> TierMetadata::read_block(const TierJournalBlock** block, bool& damaged) {
  Found found = Found::Unreadable;
  for (std::uint32_t copy = 0; copy < layout_.copies && found == Found::Unreadable; ++copy) {
    found = co_await read_block(copy, block);
    damaged = damaged || found == Found::Unreadable;
  }
  co_return found;
}

// Afterwards every valid block has all its copies, or a new image replaces the journal.
Task<IoStatus> TierMetadata::replay() {
  bool damaged = false;
  const TierJournalBlock* block = nullptr;
  for (; next_block_ < layout_.journal_bytes / layout_.block_bytes; ++next_block_) {
    const Found found = co_await read_block(&block, damaged);
    if (found == Found::Unreadable && !fault(Fault::HoleIsTheEnd)) co_return IoStatus::MediaError;
    if (found != Found::Whole) break;
    for (const TierRecord& record : block->records) apply(image_, record);
  }
  // A power cut may have left only the first copy of the last block.
  if (next_block_ != 0 && !damaged && layout_.copies > 1) {
    --next_block_;
    damaged = co_await read_block(1, &block) != Found::Whole;
    ++next_block_;
  }
  if (!damaged || layout_.copies == 1) co_return IoStatus::Ok;
  TierImage whole = image_;
  const IoStatus status = co_await write(whole);
  co_return status;
}

}  // namespace flashloom

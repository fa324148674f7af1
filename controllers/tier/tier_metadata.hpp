// What of a tier is on media beside the data. On the HDD, behind the segments: two areas that are written in turn, each
// with an image of the map and of what the policy remembers, under a version and a hash; the valid one with the higher
// version wins. On the SSD, behind the slots, where the policy has one: two journals in turn, each of what has changed
// since the image of its version.
// After Baek and Park's metadata (two areas, version, hash, clean and update bit); retired, lost and the journal are
// ours.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "controllers/runtime/task.hpp"
#include "controllers/runtime/wait_list.hpp"
#include "controllers/tier/block_port.hpp"
#include "controllers/tier/tier_statistics.hpp"
#include "policies/tiering/tier_map.hpp"

namespace flashloom {

struct TierImage {
  std::uint64_t version = 0;  ///< 0: nothing was ever written, and nothing is cached
  bool clean = false;         ///< the tier has been stopped in order since: nothing is dirty
  bool update = false;        ///< a pass has begun and not ended: nothing is dirty, and the SSD is not to be trusted
  bool retired = false;       ///< the SSD is broken, and never used again
  std::vector<Segment> map;   ///< by slot
  std::vector<bool> dirty;    ///< by slot; where there is a journal
  std::vector<Segment> lost;  ///< their newest data went with the SSD
  std::string policy;         ///< what the policy remembers
};

struct TierRecord {
  enum class Kind : std::uint8_t { Holds, Free, Dirty } kind = Kind::Free;
  Slot slot = kNoSlot;
  Segment segment = kNoSegment;
};

struct TierJournalBlock {
  std::uint64_t version = 0;  ///< of the image
  std::uint64_t number = 0;   ///< in the journal
  std::vector<TierRecord> records;
};

/// What tokens of metadata on the media mean: each image or block has its tokens, one a sector, in a row, and the first
/// one stands for the whole. Survives power cuts, as the media do.
struct TierContents {
  SectorToken next_token = SectorToken{1} << 31;  ///< the host's own begin at 1
  std::unordered_map<SectorToken, TierImage> images;
  std::unordered_map<SectorToken, TierJournalBlock> blocks;
};

class TierMetadata {
 public:
  static constexpr std::uint32_t kBlock = 4096;  ///< bytes: header of an image; of a block of the journal at least
  struct Layout {
    std::uint32_t sector_bytes = 512;
    std::uint64_t areas = 0;       ///< offset of the first area on the HDD
    std::uint64_t area_bytes = 0;  ///< of each
    std::uint64_t journals = 0;    ///< offset of the first journal on the SSD
    std::uint64_t journal_bytes = 0;
    std::uint32_t block_bytes = kBlock;  ///< of the journals
    std::uint32_t copies = 1;            ///< of each journal
  };
  /// Bytes of an area for so many slots and what the policy has.
  static std::uint64_t area_bytes(std::uint64_t slots, std::uint64_t policy_bytes) {
    return (kBlock + slots * sizeof(Segment) + policy_bytes + kBlock - 1) / kBlock * kBlock;
  }

  /// `contents` (may be null: the devices keep no tokens, and nothing can be found again) and `statistics` outlive it.
  TierMetadata(const Layout& layout, BlockPort& home, BlockPort& cache, std::uint32_t slots, TierContents* contents,
               TierMetadataStatistics& statistics);

  /// Writes an image, under the next version. Returns when it is durable, or the HDD fails; `image` is gone then.
  Task<IoStatus> write(TierImage& image);
  /// Writes down a change; returns when it is durable, or a device fails.
  Task<IoStatus> append(TierRecord record);
  /// After power-on: finds the newest image, and what the journal says of later changes. If a block of the journal
  /// cannot be read, in none of its copies, it fails, and nobody knows what has changed since the image.
  Task<IoStatus> load();
  /// What is durable.
  const TierImage& image() const { return image_; }

 private:
  std::uint64_t area_of(std::uint64_t version) const { return layout_.areas + version % 2 * layout_.area_bytes; }
  std::uint64_t journal_of(std::uint64_t version, std::uint32_t copy) const {
    return layout_.journals + (2 * copy + version % 2) * layout_.journal_bytes;
  }
  std::uint64_t bytes_of(const TierImage& image) const;
  SectorToken take_tokens(std::uint64_t bytes);
  static void apply(TierImage& image, const TierRecord& record);
  Task<void> trim_journal();
  Task<void> write_journal();
  Task<IoStatus> write_block(const std::vector<TierRecord>& records);
  Task<IoStatus> read_image(std::uint32_t area, bool& found, TierImage& image);
  /// What a start finds where a block of the journal would be.
  enum class Found : std::uint8_t { Whole, None, Unreadable };
  Task<Found> read_block(std::uint32_t copy, const TierJournalBlock** block);
  Task<Found> read_block(const TierJournalBlock** block, bool& damaged);
  Task<IoStatus> replay();
  void forget_old();

  Layout layout_;
  BlockPort& home_;
  BlockPort& cache_;
  std::uint32_t slots_;
  TierContents* contents_;
  TierMetadataStatistics& statistics_;
  TierImage image_;

  std::vector<TierRecord> pending_;
  std::uint64_t appended_ = 0;
  std::uint64_t durable_ = 0;
  std::uint64_t next_block_ = 0;
  bool writing_ = false;
  IoStatus journal_status_ = IoStatus::Ok;
  WaitList wrote_;
};

}  // namespace flashloom

// The metadata of a tier on its media. On the HDD, behind the segments: two areas that are written in turn, each with
// an image of the map and of the policy's state, a version and a hash; the valid one with the higher version counts. On
// the SSD, behind the slots, if the policy has a journal: two journals that are written in turn, each with the changes
// since the image of its version. After Baek and Park's metadata (two areas, version, hash, clean and update bit);
// retired, lost and the journal are additions of this model.
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
  std::uint64_t version = 0;  ///< 0: no image was ever written, and nothing is cached
  bool clean = false;         ///< orderly shutdown: nothing is dirty
  bool update = false;        ///< a pass has begun and not ended: nothing is dirty, and the SSD is not valid
  bool retired = false;       ///< the SSD has failed, and is never used again
  std::vector<Segment> map;   ///< by slot
  std::vector<bool> dirty;    ///< by slot; used with a journal only
  std::vector<Segment> lost;  ///< segments whose newest data were lost with the SSD
  std::string policy;         ///< state of the policy
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

/// The metadata behind the tokens on the media: an image or block has consecutive tokens, one a sector, of which the
/// first one is its key here. Survives power cuts, as the media do.
struct TierContents {
  SectorToken next_token = SectorToken{1} << 31;  ///< tokens of the host begin at 1
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
  /// Bytes of an area for `slots` slots and `policy_bytes` of policy state.
  static std::uint64_t area_bytes(std::uint64_t slots, std::uint64_t policy_bytes) {
    return (kBlock + slots * sizeof(Segment) + policy_bytes + kBlock - 1) / kBlock * kBlock;
  }

  /// `contents` (null: the devices keep no tokens, and recovery is impossible) and `statistics` outlive it.
  TierMetadata(const Layout& layout, BlockPort& home, BlockPort& cache, std::uint32_t slots, TierContents* contents,
               TierMetadataStatistics& statistics);

  /// Writes an image with the next version; `image` is moved from. Returns when it is durable, or the HDD fails.
  Task<IoStatus> write(TierImage& image);
  /// Appends a change to the journal; returns when it is durable, or a device fails.
  Task<IoStatus> append(TierRecord record);
  /// After power-on: reads the newest image and the later changes in the journal. Fails if a block of the journal is
  /// unreadable in all its copies: then the changes since the image are not known.
  Task<IoStatus> load();
  /// The durable state.
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
  /// Result of recovery's read at the place of a journal block.
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

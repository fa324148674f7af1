// The bytes behind the tokens: the data that a host wrote, by version of each sector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/host/oracle.hpp"
#include "models/common/sector_token.hpp"
#include "models/common/split_mix.hpp"
#include "policies/state_archive.hpp"
#include "workloads/spill_file.hpp"

namespace flashloom {

/// Keeps the bytes of each write under its token (Oracle::submitted) and returns the bytes of the token that a read has
/// returned; so reads after a power cut return the bytes of the versions that survived. Token 0 is zeroes; the bytes of
/// a token that was never put (preconditioning) are computed from token and sector.
///
/// Bytes are kept in pieces: the sectors of a write within 4 KiB of addresses. A piece whose words are all equal is
/// kept as that word; the others are in memory, and beyond `memory_bytes` compressed in an unnamed file in $TMPDIR. A
/// piece has an overhead of 40 bytes.
class PayloadStore final : public VersionObserver {
 public:
  struct Shape {
    std::uint32_t sector_bytes;
    std::uint64_t memory_bytes = kUsualMemory;  ///< limit of the pieces in memory; at least a few pieces fit
    bool forgets = true;  ///< drop versions that the oracle rules out; false for drives with injected faults
  };
  static constexpr std::uint64_t kUsualMemory = std::uint64_t{512} << 20;

  explicit PayloadStore(const Shape& shape);
  ~PayloadStore();
  PayloadStore(const PayloadStore&) = delete;
  PayloadStore& operator=(const PayloadStore&) = delete;

  /// `data`: the `sectors` sectors from sector `first` on that the write of this token wrote; null: zeroes. Called once
  /// for each token and sector. Throws std::runtime_error if the file cannot grow.
  void put(SectorToken token, std::uint64_t first, std::uint64_t sectors, const std::byte* data);
  /// Copies `sectors` sectors from `first` on to `into`; sector first + i has the token tokens[i].
  void get(const SectorToken* tokens, std::uint64_t first, std::uint64_t sectors, std::byte* into);
  void gone(SectorToken token, std::uint64_t sector) override;

  /// Saves or loads everything: into a new store of the same sector size.
  void state(StateArchive& archive);
  /// For tests of checkers: flips a bit of the sector's bytes. False: none are kept.
  bool corrupt(SectorToken token, std::uint64_t sector);

  struct Figures {
    std::uint64_t sectors = 0;        ///< kept
    std::uint64_t pieces = 0;         ///< of these sectors
    std::uint64_t memory_pieces = 0;  ///< of the pieces, those in memory
    std::uint64_t file_pieces = 0;    ///< of the pieces, those in the file
    std::uint64_t file_bytes = 0;     ///< of the file, in use
  };
  Figures figures() const;

 private:
  struct Key {
    std::uint64_t group;  // number of the piece of the address space
    SectorToken token;
    bool operator==(const Key&) const = default;
    friend std::size_t hash_value(const Key& key) { return static_cast<std::size_t>(split_mix(key.group, key.token)); }
  };
  enum class Kind : std::uint8_t { Word, Memory, File };
  struct Piece {
    std::uint64_t place = 0;  // the word; number of the slot; place in the file
    std::uint16_t bytes = 0;  // File: stored
    Kind kind = Kind::Word;
    std::uint8_t live = 0;    // sectors not forgotten, a bit each
    std::uint8_t stored = 0;  // File: sectors that lie there, one after the other
  };
  struct Pieces;  // by key; never iterated for results

  std::byte* slot(std::uint64_t number) const { return memory_ + number * piece_bytes_; }
  std::uint64_t take_slot();
  void spill(std::uint64_t slot);
  void release(const Piece& piece);
  void put_piece(const Key& key, std::uint8_t live, std::uint32_t at, const std::byte* data);
  void read_piece(const Piece& piece);
  void made_up(SectorToken token, std::uint64_t sector, std::byte* into) const;

  Shape shape_;
  std::uint32_t piece_bytes_;
  std::uint32_t piece_sectors_;
  std::uint64_t slots_;
  std::byte* memory_ = nullptr;  // lazily committed
  std::vector<Key> owners_;      // by slot; token 0: free
  std::vector<std::uint64_t> free_slots_;
  std::uint64_t hand_ = 0;  // the slot that is spilled next
  std::unique_ptr<Pieces> pieces_;
  std::uint64_t sectors_ = 0;
  SpillFile file_;
  std::vector<std::byte> buffer_;  // a piece, as it lies in memory
};

}  // namespace flashloom

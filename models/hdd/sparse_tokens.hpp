// Contents of a disk: a token for each logical sector that was ever written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "models/common/sector_token.hpp"

namespace flashloom {

/// An array of tokens, 0 where nothing was written, that allocates memory only for written parts.
class SparseTokens {
 public:
  SectorToken at(std::uint64_t index) const {
    const auto chunk = chunks_.find(index / kChunk);
    return chunk == chunks_.end() ? 0 : (*chunk->second)[index % kChunk];
  }
  void set(std::uint64_t index, SectorToken token) {
    std::unique_ptr<Chunk>& chunk = chunks_[index / kChunk];
    if (chunk == nullptr) chunk = std::make_unique<Chunk>();
    (*chunk)[index % kChunk] = token;
  }
  std::size_t chunks() const { return chunks_.size(); }

 private:
  static constexpr std::size_t kChunk = 1024;
  using Chunk = std::array<SectorToken, kChunk>;
  std::unordered_map<std::uint64_t, std::unique_ptr<Chunk>> chunks_;
};

}  // namespace flashloom

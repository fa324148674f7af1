// The bytes behind the tokens: what a host wrote, by version of each sector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/common/sector_token.hpp"

namespace flashloom {

/// Keeps the bytes of each write under its token (Oracle::submitted) and gives those of whatever token a read brings
/// back. So what a power cut leaves are the bytes of the versions that survived it. Token 0 is zeroes; a token that
/// nobody has put (preconditioning) has bytes that follow from it and the sector.
class PayloadStore {
 public:
  explicit PayloadStore(std::uint32_t sector_bytes);
  ~PayloadStore();
  PayloadStore(const PayloadStore&) = delete;
  PayloadStore& operator=(const PayloadStore&) = delete;

  /// `data`: `sectors` sectors, written from sector `first` on by the write of this token.
  void put(SectorToken token, std::uint64_t first, std::uint64_t sectors, const std::byte* data);
  /// One sector into `into`.
  void get(SectorToken token, std::uint64_t sector, std::byte* into) const;
  /// This version of the sector can never be read again.
  void forget(SectorToken token, std::uint64_t sector);

 private:
  struct Write {
    std::uint64_t first;
    std::vector<std::byte> bytes;
    std::uint64_t live;  // sectors not forgotten
  };
  std::uint32_t sector_bytes_;
  std::unordered_map<SectorToken, Write> writes_;  // never iterated for results
};

}  // namespace flashloom

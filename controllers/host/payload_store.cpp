#include "controllers/host/payload_store.hpp"

#include <algorithm>
#include <cstring>

#include "models/common/split_mix.hpp"

namespace flashloom {

PayloadStore::PayloadStore(std::uint32_t sector_bytes) : sector_bytes_(sector_bytes) {}
PayloadStore::~PayloadStore() = default;

void PayloadStore::put(SectorToken token, std::uint64_t first, std::uint64_t sectors, const std::byte* data) {
  writes_[token] = {first, std::vector<std::byte>(data, data + sectors * sector_bytes_), sectors};
}

void PayloadStore::get(SectorToken token, std::uint64_t sector, std::byte* into) const {
  const auto found = writes_.find(token);
  if (found != writes_.end()) {
    std::copy_n(found->second.bytes.data() + (sector - found->second.first) * sector_bytes_, sector_bytes_, into);
    return;
  }
  for (std::uint32_t at = 0; at < sector_bytes_; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = token == 0 ? 0 : split_mix((std::uint64_t{token} << 32) ^ sector, at);
    std::memcpy(into + at, &word, sizeof word);
  }
}

void PayloadStore::forget(SectorToken token, std::uint64_t) {
  const auto found = writes_.find(token);
  if (found != writes_.end() && --found->second.live == 0) writes_.erase(found);
}

}  // namespace flashloom

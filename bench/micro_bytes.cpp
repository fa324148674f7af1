// Real bytes: the CPU time that storing and fetching the data of 4 KiB requests adds to the simulation.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "controllers/host/payload_store.hpp"
#include "models/common/split_mix.hpp"

namespace flashloom {
namespace {

constexpr std::uint32_t kSectorBytes = 512;
constexpr std::uint64_t kSectors = 8;
constexpr std::uint64_t kPlaces = 4096;  // addresses of 4 KiB each, overwritten in turn

enum class Contents { Zeroes, Noise, Text };

std::vector<std::byte> block_of(Contents contents) {
  std::vector<std::byte> block(kSectors * kSectorBytes);
  for (std::size_t at = 0; at < block.size(); at += 8) {
    const std::uint64_t word = contents == Contents::Zeroes  ? 0
                               : contents == Contents::Noise ? split_mix(1, at)
                                                             : split_mix(1, at) & 0x0f0f0f0f0f0f0f0f;
    std::memcpy(block.data() + at, &word, sizeof word);
  }
  return block;
}

// Each iteration stores a new version of an address and drops the previous one.
void payload_overwrite(benchmark::State& state, Contents contents, std::uint64_t memory) {
  PayloadStore store({.sector_bytes = kSectorBytes, .memory_bytes = memory});
  const std::vector<std::byte> block = block_of(contents);
  std::uint64_t write = 0;
  for (auto _ : state) {
    const std::uint64_t first = write % kPlaces * kSectors;
    if (write >= kPlaces)
      for (std::uint64_t i = 0; i < kSectors; ++i) store.gone(static_cast<SectorToken>(write - kPlaces + 1), first + i);
    store.put(static_cast<SectorToken>(++write), first, kSectors, block.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(write * block.size()));
}
BENCHMARK_CAPTURE(payload_overwrite, zeroes, Contents::Zeroes, std::uint64_t{64} << 20);
BENCHMARK_CAPTURE(payload_overwrite, noise_in_memory, Contents::Noise, std::uint64_t{64} << 20);
BENCHMARK_CAPTURE(payload_overwrite, noise_in_file, Contents::Noise, std::uint64_t{1} << 20);
BENCHMARK_CAPTURE(payload_overwrite, text_in_file, Contents::Text, std::uint64_t{1} << 20);

void payload_read(benchmark::State& state, Contents contents, std::uint64_t memory) {
  PayloadStore store({.sector_bytes = kSectorBytes, .memory_bytes = memory});
  std::vector<std::byte> block = block_of(contents);
  for (std::uint64_t place = 0; place < kPlaces; ++place)
    store.put(static_cast<SectorToken>(place + 1), place * kSectors, kSectors, block.data());
  std::vector<SectorToken> tokens(kSectors);
  std::uint64_t read = 0;
  for (auto _ : state) {
    const std::uint64_t place = split_mix(2, read++) % kPlaces;
    std::fill(tokens.begin(), tokens.end(), static_cast<SectorToken>(place + 1));
    store.get(tokens.data(), place * kSectors, kSectors, block.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(read * block.size()));
}
BENCHMARK_CAPTURE(payload_read, zeroes, Contents::Zeroes, std::uint64_t{64} << 20);
BENCHMARK_CAPTURE(payload_read, noise_in_memory, Contents::Noise, std::uint64_t{64} << 20);
BENCHMARK_CAPTURE(payload_read, noise_in_file, Contents::Noise, std::uint64_t{1} << 20);
BENCHMARK_CAPTURE(payload_read, text_in_file, Contents::Text, std::uint64_t{1} << 20);

}  // namespace
}  // namespace flashloom

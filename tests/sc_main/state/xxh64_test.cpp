#include "sc_main/state/xxh64.hpp"

#include <gtest/gtest.h>
#include <zstd.h>

#include <cstring>
#include <string>
#include <string_view>

namespace flashloom {
namespace {

std::uint64_t of(std::string_view text) { return xxh64(text.data(), text.size()); }

// From the description of the algorithm, and its reference implementation.
TEST(Xxh64, PublishedValues) {
  EXPECT_EQ(of(""), 0xEF46DB3751D8E999U);
  EXPECT_EQ(of("a"), 0xD24EC4F1A98C6E5BU);
  EXPECT_EQ(of("abc"), 0x44BC2CF5AD770999U);
  EXPECT_EQ(of("xxhash"), 0x32DD38952C4BC720U);
}

// A zstd frame ends with the low half of the same hash of its content: an implementation of somebody else's, at every
// length that takes another way.
TEST(Xxh64, IsTheChecksumOfZstdFrames) {
  std::string content;
  ZSTD_CCtx* const state = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(state, ZSTD_c_checksumFlag, 1);
  for (std::size_t length = 0; length < 200; ++length) {
    std::string frame(ZSTD_compressBound(content.size()) + 16, '\0');
    const std::size_t size = ZSTD_compress2(state, frame.data(), frame.size(), content.data(), content.size());
    ASSERT_EQ(ZSTD_isError(size), 0U);
    std::uint32_t checksum = 0;
    std::memcpy(&checksum, frame.data() + size - sizeof checksum, sizeof checksum);
    EXPECT_EQ(static_cast<std::uint32_t>(of(content)), checksum) << length;
    content.push_back(static_cast<char>(length * 37 + 11));
  }
  ZSTD_freeCCtx(state);
}

}  // namespace
}  // namespace flashloom

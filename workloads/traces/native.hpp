// The compact form of a trace, format name "flashloom", as `flashloom trace convert` writes it. Binary, little-endian;
// docs/traces.md describes it for other programs.
//
//     header   magic (8 bytes), version u16 = 1, flags u16 (bit 0: the trace has no times), CRC-32 u32 of the 12 bytes
//     block    payload bytes u32, requests u32 (1 .. 4096), CRC-32 u32 of these 8 bytes and the payload, payload
//     end      a block of no requests; its payload is the number of all requests, u64. Nothing follows.
//
// Payload of a block, which stands for itself; varints are LEB128:
//     time unit (ps), address unit (bytes), arrival of the first request (ps): varints
//     a request: tag u8; stream u8 if tag bit 3; with marks, marks u8, identifier varint if bit 2 of them, writer varint
//     if bit 3; time since the one before / time unit, varint, unless tag bit 6;
//     and unless it is a flush: length / address unit, varint, unless tag bit 4; (offset - end of the one before) /
//     address unit, zigzag varint, unless tag bit 5
//     tag: bits 0-1 kind (read, write, trim, flush), bit 2 FUA, bit 3 another stream than the one before, bit 4 the
//     same length, bit 5 it begins where the one before ends, bit 6 the same time, bit 7
//     with kind write: write zeroes
//     marks: bits 0-1 directive (0 none, 1 streams, 2 data placement), bit 2 another identifier than the one before, bit
//     3 another writer. Bit 31 of the requests of a block says that its requests have marks.
// "The one before" is the one before in the block (of the offsets and lengths: that is no flush); at its beginning
// stream, length and end are 0.
#pragma once

#include <cstdint>
#include <string_view>

namespace flashloom::native {

inline constexpr std::string_view kMagic{
    "\x89"
    "FLT\r\n\x1a\n",
    8};  // as PNG's: neither text nor 7 bits, shows converted line ends
inline constexpr std::uint16_t kVersion = 1;
inline constexpr std::uint16_t kUntimed = 1;
inline constexpr std::size_t kHeaderBytes = 16;
inline constexpr std::size_t kBlockHeadBytes = 12;
inline constexpr std::uint32_t kBlockRequests = 4096;
inline constexpr std::uint32_t kMarked = std::uint32_t{1} << 31U;  // with the number of requests
inline constexpr std::size_t kLongestPayload = 3 * 10 + kBlockRequests * std::size_t{2 + 7 + 3 * 10};
inline constexpr std::size_t kEndBytes = 8;

enum Tag : unsigned {
  kKind = 3,
  kFua = 1U << 2U,
  kStream = 1U << 3U,
  kSameLength = 1U << 4U,
  kSequential = 1U << 5U,
  kSameTime = 1U << 6U,
  kZeroes = 1U << 7U,
};

enum Marks : unsigned {
  kDirective = 3,
  kIdentifier = 1U << 2U,
  kWriter = 1U << 3U,
};

/// CRC-32 (ISO 3309, as in gzip) of a piece, following on `before`.
std::uint32_t crc32(const void* bytes, std::size_t size, std::uint32_t before = 0);

}  // namespace flashloom::native

// The compact form of a trace, format name "flashloom", as `flashloom trace convert` writes it. Binary, little-endian;
// CRC-32 is that of gzip.
//
//     header   magic (8 bytes: 89 46 4C 54 0D 0A 1A 0A), version u16 = 1, flags u16 (bit 0: the trace has no times),
//              CRC-32 u32 of the 12 bytes
//     block    payload bytes u32, requests u32 (1 .. 4096; bit 31: the requests have marks), CRC-32 u32 of the 8 bytes
//              and the payload, payload
//     end      a block of 0 requests; its payload is the number of all requests, u64. Nothing follows.
//
// Payload of a block, which does not depend on other blocks; varints are LEB128:
//     time unit (ps), address unit (bytes), arrival of the first request (ps): varints
//     each request:
//         tag u8
//         stream u8, if tag bit 3
//         with marks: marks u8; identifier varint, if marks bit 2; writer varint, if marks bit 3
//         time since the previous request / time unit, varint, unless tag bit 6
//         unless it is a flush: length / address unit, varint, unless tag bit 4;
//             (offset - end of the previous request) / address unit, zigzag varint, unless tag bit 5
//     tag: bits 0-1 kind (read, write, trim, flush), bit 2 FUA, bit 3 stream changes, bit 4 same length, bit 5 begins
//     at the end of the previous request, bit 6 same time, bit 7 (kind write only) write zeroes
//     marks: bits 0-1 directive (0 none, 1 streams, 2 data placement), bit 2 identifier changes, bit 3 writer changes
// "Previous" means the previous request of the block; for lengths and ends, the previous one that is no flush. At the
// start of a block stream, identifier, writer, length and end are 0.
#pragma once

#include <cstdint>
#include <string_view>

namespace flashloom::native {

inline constexpr std::string_view kMagic{
    "\x89"
    "FLT\r\n\x1a\n",
    8};  // like PNG's: shows a transfer as text, as 7 bits or with converted line ends
inline constexpr std::uint16_t kVersion = 1;
inline constexpr std::uint16_t kUntimed = 1;
inline constexpr std::size_t kHeaderBytes = 16;
inline constexpr std::size_t kBlockHeadBytes = 12;
inline constexpr std::uint32_t kBlockRequests = 4096;
inline constexpr std::uint32_t kMarked = std::uint32_t{1} << 31U;  // set in the number of requests
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

/// CRC-32 (ISO 3309, as in gzip) of bytes; continues the checksum `before`.
std::uint32_t crc32(const void* bytes, std::size_t size, std::uint32_t before = 0);

}  // namespace flashloom::native

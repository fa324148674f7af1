// What nbdkit's plug-in and the simulation say to each other, on a stream socket between them.
#pragma once

#include <cstdint>

namespace flashloom {

enum class NbdOperation : std::uint32_t { Read, Write, Flush, Trim, Zeroes };

/// From the plug-in; of a write its bytes follow.
struct NbdRequest {
  std::uint64_t number = 0;  ///< which thread waits
  std::uint64_t offset = 0;  ///< bytes
  std::uint64_t length = 0;  ///< bytes
  NbdOperation operation = NbdOperation::Read;
  std::uint32_t fua = 0;  ///< durable when it completes
};

/// To the plug-in, in any order; of a read that has no error its bytes follow.
struct NbdReply {
  std::uint64_t number = 0;
  std::uint32_t error = 0;  ///< errno; 0: done
  std::uint32_t reserved = 0;
};

/// Descriptors of nbdkit: the socket that it listens on (LISTEN_FDS, sd_listen_fds(3)), and the one to the simulation.
inline constexpr int kNbdListenDescriptor = 3;
inline constexpr int kNbdChannelDescriptor = 4;

/// Longer requests are refused, and clients are told so.
inline constexpr std::uint32_t kNbdLongest = std::uint32_t{32} << 20;

}  // namespace flashloom

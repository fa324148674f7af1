// Messages between nbdkit's plug-in and the simulation, on a stream socket.
#pragma once

#include <cstdint>

namespace flashloom {

enum class NbdOperation : std::uint32_t { Read, Write, Flush, Trim, Zeroes };

/// From the plug-in; a write is followed by its data.
struct NbdRequest {
  std::uint64_t number = 0;  ///< identifies the plug-in's waiting thread
  std::uint64_t offset = 0;  ///< bytes
  std::uint64_t length = 0;  ///< bytes
  NbdOperation operation = NbdOperation::Read;
  std::uint32_t fua = 0;  ///< durable when it completes
};

/// To the plug-in, in any order; a read without error is followed by its data.
struct NbdReply {
  std::uint64_t number = 0;
  std::uint32_t error = 0;  ///< errno; 0: done
  std::uint32_t reserved = 0;
};

/// Descriptors of nbdkit: the listening socket (LISTEN_FDS, sd_listen_fds(3)), and the socket to the simulation.
inline constexpr int kNbdListenDescriptor = 3;
inline constexpr int kNbdChannelDescriptor = 4;

/// Longest request in bytes; clients are told this limit, and longer requests are refused.
inline constexpr std::uint32_t kNbdLongest = std::uint32_t{32} << 20;

}  // namespace flashloom

// Where in the host's memory the data of a command are: PRP entries and lists (section 4.3), SGLs (section 4.4).
#pragma once

#include <cstdint>

#include "controllers/nvme/controller_parts.hpp"

namespace flashloom::nvme {

/// Fills command.segments with the pieces of the first `bytes` of its data. Reads lists over the memory socket.
/// `to_host`: bit buckets take a part of the data. Success, or what is wrong with the pointer.
Task<Status> find_data(ControllerParts& parts, NvmeCommand& command, std::uint64_t bytes, bool to_host);

}  // namespace flashloom::nvme

// SCSI operation codes (SBC-3) as block traces record them.
#pragma once

#include <cstdint>
#include <optional>

#include "workloads/request.hpp"

namespace flashloom {

/// What a command asks of a block device: READ and WRITE of 6, 10, 12 and 16 bytes, WRITE AND VERIFY, SYNCHRONIZE CACHE
/// (a flush). Nothing for all others (INQUIRY, TEST UNIT READY, ...): they move no blocks, or (UNMAP, WRITE SAME) their
/// extent is not in the record.
std::optional<RequestKind> scsi_request(std::uint64_t opcode);

}  // namespace flashloom

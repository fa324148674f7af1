// SCSI operation codes (SBC-3) as block traces record them.
#pragma once

#include <cstdint>
#include <optional>

#include "workloads/request.hpp"

namespace flashloom {

/// The request kind of a command: READ and WRITE of 6, 10, 12 and 16 bytes, WRITE AND VERIFY, SYNCHRONIZE CACHE (a
/// flush). nullopt for all others: they move no blocks (INQUIRY, TEST UNIT READY, ...), or their extent is not in the
/// record (UNMAP, WRITE SAME).
std::optional<RequestKind> scsi_request(std::uint64_t opcode);

}  // namespace flashloom

// RWBS, the letters by which Linux names the operation and the flags of a block request (blk_fill_rwbs() in
// kernel/trace/blktrace.c; blkparse(1)).
#pragma once

#include <string_view>

#include "workloads/traces/record_source.hpp"

namespace flashloom {

/// Sets kind, FUA and preflush of the record: optional F (preflush), then R, W, WZ (write zeroes), Z and a letter (of
/// zones), D, F or N, then flags, of which F means FUA. Unknown flags are counted. False: no block request. Throws
/// FieldError for an unknown operation.
bool parse_rwbs(std::string_view rwbs, TraceRecord& record, TraceNotes& notes);

/// A request whose event may have an extent: without one it must be a flush, or have one before it. Throws FieldError.
void set_extent(TraceRecord& record, std::string_view first_sector, std::string_view sectors);

}  // namespace flashloom

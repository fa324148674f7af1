// Requests of workloads as commands of the block socket.
#pragma once

#include "models/block/io_command.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// The command that a workload request means, but its ranges. Lengths and offsets must be whole sectors.
void to_command(const Request& request, IoCommand& command);

}  // namespace flashloom

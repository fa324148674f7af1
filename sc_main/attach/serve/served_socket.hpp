// The Unix socket of a server.
#pragma once

#include <string>

#include "sc_main/attach/linux/file_descriptor.hpp"

namespace flashloom {

/// Listens at `path`, which the caller removes. Removes a socket that a killed process has left there. Throws
/// UsageError, which names `option`, if the socket cannot be made or another process serves it.
FileDescriptor serve_at(const std::string& option, const std::string& path);

}  // namespace flashloom

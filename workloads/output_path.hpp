// Where the bytes of an output go: into a file that is replaced, or into an existing device, FIFO or descriptor.
#pragma once

#include <string>

namespace flashloom {

/// The target of an output path.
struct OutputPath {
  std::string file;      ///< the path with symbolic links followed
  int descriptor = -1;   ///< open descriptor that `file` names (/dev/stdout, /dev/fd/N, /proc/self/fd/N, "-"); -1: none
  bool through = false;  ///< a device, FIFO, socket or open descriptor: it is written, never replaced or removed

  /// Never throws; errors of a path appear when it is opened.
  static OutputPath of(const std::string& path);
};

/// Removes the regular file at `path` that an earlier run wrote. Devices and FIFOs stay. If `path` is a symbolic link,
/// the file that it points to is removed, and the link stays.
void remove_output(const std::string& path);

/// Whether both are the same regular file, by whatever name.
bool same_file(const std::string& a, const std::string& b);

}  // namespace flashloom

// Where the bytes of an output go: into a file that is replaced, or through what is there already.
#pragma once

#include <string>

namespace flashloom {

/// What a path means that somebody writes to.
struct OutputPath {
  std::string file;  ///< symbolic links followed: the links stay
  int descriptor =
      -1;  ///< of this process (/dev/stdout, /dev/fd/N, /proc/self/fd/N), which `file` names, or "-"; -1: none
  bool through = false;  ///< a device, FIFO, socket or open descriptor: it is written, never replaced or removed

  /// Never throws: what is wrong with a path shows when it is opened.
  static OutputPath of(const std::string& path);
};

/// Removes what an earlier run wrote there. Devices and FIFOs stay, and symbolic links; of these the file goes.
void remove_output(const std::string& path);

/// Whether both are the same regular file, by whatever name.
bool same_file(const std::string& a, const std::string& b);

}  // namespace flashloom

// The folder to which a command writes its answers.
#pragma once

#include <filesystem>
#include <string>

#include "workloads/file_lock.hpp"

namespace flashloom {

/// Makes the folder before the work, so that a bad path costs no simulation, and removes the answers of an earlier run,
/// so that a failed run leaves none. The lock keeps other processes out of the folder. Throws UsageError, which names
/// --out, and WorkloadError if another process has the lock.
[[nodiscard]] FileLock make_result_folder(const std::string& path);

/// Removes every file that a command may have written there, and no others.
void remove_answers(const std::filesystem::path& folder);

/// Writes a file whole or not at all: a reader never sees half of it. Throws std::runtime_error.
void write_whole(const std::filesystem::path& path, const std::string& text);

}  // namespace flashloom

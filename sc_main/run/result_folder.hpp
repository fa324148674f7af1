// The folder that a command writes its answers into.
#pragma once

#include <filesystem>
#include <string>

#include "workloads/file_lock.hpp"

namespace flashloom {

/// Makes the folder, before the work, so that a bad path costs nothing. Answers of an earlier run go, so that a run that
/// fails leaves none. No other process gets the folder while the lock is held. Throws UsageError, which names --out, and
/// WorkloadError if another process has it.
[[nodiscard]] FileLock make_result_folder(const std::string& path);

/// Removes every file that a command may have written there, and no other.
void remove_answers(const std::filesystem::path& folder);

/// Writes a file whole or not at all: a reader never sees half of it. Throws std::runtime_error.
void write_whole(const std::filesystem::path& path, const std::string& text);

}  // namespace flashloom

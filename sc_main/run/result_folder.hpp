// The folder that a command writes its answers into.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "workloads/file_lock.hpp"

namespace flashloom {

/// Makes the folder, before the work, so that a bad path costs nothing. `answers` of an earlier run go, so that a run
/// that fails leaves none. No other process gets the folder while the lock is held. Throws UsageError, which names
/// --out, and WorkloadError if another process has it.
[[nodiscard]] FileLock make_result_folder(const std::string& path, const std::vector<std::filesystem::path>& answers);

/// Writes a file whole or not at all: a reader never sees half of it. Throws std::runtime_error.
void write_whole(const std::filesystem::path& path, const std::string& text);

}  // namespace flashloom

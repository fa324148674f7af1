#include "sc_main/attach/nbd/nbd_state.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "sc_main/assembly/config/content_hash.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kReplayPiece = std::uint64_t{1} << 20;  // bytes of a request

const std::string& made_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder) || ::access(folder.c_str(), W_OK) != 0)
    throw UsageError("--state: cannot write into '" + folder + "'" + (error ? ": " + error.message() : ""));
  return folder;
}

RequestKind kind_of(NbdOperation operation) {
  switch (operation) {
    case NbdOperation::Write:
      return RequestKind::Write;
    case NbdOperation::Trim:
      return RequestKind::Trim;
    default:
      return RequestKind::WriteZeroes;
  }
}

void replay(InstantHost& host, const NbdChange& change) {
  for (std::uint64_t done = 0; done < change.length;) {
    const std::uint64_t length = std::min(kReplayPiece, change.length - done);
    const Request request{.offset = change.offset + done, .length = length, .kind = kind_of(change.operation)};
    const IoStatus status =
        change.operation == NbdOperation::Write ? host.write(request, change.bytes + done) : host.run(request);
    if (status != IoStatus::Ok)
      throw SimulationFailure("the drive refuses a write of its journal, at offset " + std::to_string(request.offset));
    done += length;
  }
}

}  // namespace

NbdState::NbdState(const std::string& folder)
    : folder_(made_folder(folder)),
      file_((fs::path(folder) / "device.state").string()),
      lock_(FileLock::of_folder(folder)),
      journal_((fs::path(folder) / "journal").string()) {}

std::string NbdState::saved() const { return fs::exists(file_) ? file_ : std::string(); }

std::string NbdState::restore(Simulation& simulation, const DeviceConfig& config, PreconditionResult& result) {
  if (saved().empty()) {
    save(simulation, config, result);
    return {};
  }
  InstantHost host = simulation.instant_host();
  const NbdJournal::Replayed replayed =
      journal_.open(content_hash_of_file(file_), [&](const NbdChange& change) { replay(host, change); });
  simulation.ssd().reset_statistics();
  std::string note;
  if (replayed.changes != 0)
    note += fmt::format("  state  {} writes of the journal carried out again: the last server did not end well\n",
                        replayed.changes);
  if (replayed.torn_bytes != 0)
    note += fmt::format("  state  {} bytes at the end of the journal dropped: a write that was never acknowledged\n",
                        replayed.torn_bytes);
  return note;
}

void NbdState::save(Simulation& simulation, const DeviceConfig& config, PreconditionResult& result) {
  StateWriter writer(file_, header_of(config));
  simulation.instant_host().come_to_rest();
  simulation.state(writer, result);
  writer.commit();
  sync_path(file_);
  sync_path(folder_);
  journal_.begin(content_hash_of_file(file_));
  sync_path(folder_);
}

}  // namespace flashloom

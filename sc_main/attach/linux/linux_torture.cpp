#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "models/common/split_mix.hpp"
#include "sc_main/assembly/config/fronts.hpp"
#include "sc_main/assembly/config/quantity.hpp"
#include "sc_main/assembly/state/device_state.hpp"
#include "sc_main/assembly/system/begin_state.hpp"
#include "sc_main/attach/linux/guest.hpp"
#include "sc_main/attach/linux/guest_drive.hpp"
#include "sc_main/program/run/child_process.hpp"
#include "sc_main/program/run/result_folder.hpp"
#include "sc_main/verify/guest_torture.hpp"

namespace flashloom {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kLost = 3;  // exit code of "check": data was lost
constexpr std::uint64_t kGuestMemory = std::uint64_t{192} << 20;
constexpr double kTortureWatchdog = 60;  // s

/// A machine that is switched off, with the scenario's file system on its drive. Each cut is made in a forked copy of
/// this process, so that all begin with the same drive.
class TortureMachine {
 public:
  TortureMachine(const TortureOptions& options, const DeviceConfig& config)
      : options_(options),
        seed_(config.seed),
        guest_({.kernel = find_kernel(options.kernel),
                .memory = kGuestMemory,
                .seed = seed_,
                .watchdog_s = kTortureWatchdog},
               1),
        drive_(config, guest_.slot(0)) {
    simulation().cut_power_at(kNever);
    guest_.machine().on_end([] { TimeLoop::pause(); });
    guest_.machine().on_output([this](std::string_view text) { said_ += text; });
    guest_.on_report([this](std::string_view line) { hear(line); });
    simulation().on_power_lost([this] { guest_.machine().stop(); });
    simulation().on_mounted([this] {
      mounted_ = true;
      TimeLoop::pause();
    });
    begin_state(simulation(), nullptr, {});
    std::vector<HostJob> jobs;
    jobs.push_back(drive_.nvme().job());
    simulation().start(std::move(jobs), [] {});
  }

  Simulation& simulation() { return drive_.simulation(); }

  void prepare() { require_good(run("prepare", ""), "prepare"); }

  /// Duration of the undisturbed work, from its first operation at begin() on.
  Picoseconds measure() {
    require_good(run("work", ""), "work");
    if (acknowledged_.empty())
      throw GuestFailure(
          fmt::format("work of {} acknowledged nothing: it writes \"begin\" and \"ack NAME\"", options_.scenario));
    return kernel_now() - begin_;
  }
  Picoseconds begin() const { return begin_; }

  /// Works until the power is cut at `at`, then mounts and checks the file system.
  Json cut(Picoseconds at) {
    simulation().cut_power_at(std::max(at, kernel_now() + 1));
    boot("work", "");
    mounted_ = false;
    while (!mounted_) proceed();
    const fs::path acknowledged = fs::temp_directory_path() / fmt::format("flashloom-acknowledged-{}", ::getpid());
    write_whole(acknowledged, acknowledged_);
    const int code = run("check", acknowledged.string());
    fs::remove(acknowledged);
    if (code != 0 && code != kLost) require_good(code, "check");
    const std::string first = said_.substr(0, said_.find('\n'));
    Json verdict = {{"operations", std::count(acknowledged_.begin(), acknowledged_.end(), '\n')},
                    {"lost", code != kLost   ? ""
                             : first.empty() ? "LOST"
                                             : first},
                    {"oracle", oracle_verdict()}};
    guest_.switch_off();
    return verdict;
  }

 private:
  void boot(const std::string& phase, const std::string& acknowledged) {
    said_.clear();
    if (phase == "work") acknowledged_.clear();
    const std::string script = options_.own_script
                                   ? fmt::format("/bin/sh {}", shell_word(fs::absolute(options_.scenario).string()))
                                   : fmt::format("python3 -B {}", beside_program("flashloom-guest-torture.py"));
    guest_.boot(fmt::format("exec {} {} {} {} {}", script, phase, options_.own_script ? "" : options_.scenario, seed_,
                            acknowledged));
  }

  int run(const std::string& phase, const std::string& acknowledged) {
    boot(phase, acknowledged);
    proceed();
    if (!guest_.exit_code())
      throw GuestFailure(phase + ": the guest ended before its script did: " + guest_.last_words());
    return *guest_.exit_code();
  }

  void proceed() {
    simulation().proceed();
    if (guest_.machine().failure()) std::rethrow_exception(guest_.machine().failure());
  }

  void require_good(int code, const std::string& phase) const {
    if (code != 0)
      throw GuestFailure(
          fmt::format("{} of {} failed in the guest, exit code {}: {}", phase, options_.scenario, code, said_));
  }

  void hear(std::string_view line) {
    constexpr std::string_view kAcknowledged = "ack ";
    if (line == "begin") begin_ = kernel_now();
    if (line.starts_with(kAcknowledged)) acknowledged_ += std::string(line.substr(kAcknowledged.size())) + "\n";
  }

  std::string oracle_verdict() { return drive_.simulation().oracle()->first_mismatch(); }

  const TortureOptions& options_;
  std::uint64_t seed_;
  Guest guest_;
  GuestDrive drive_;
  std::string said_;          // output of the script
  std::string acknowledged_;  // numbers of acknowledged operations, one per line
  Picoseconds begin_ = 0;
  bool mounted_ = false;
};

DeviceConfig torture_config(const TortureOptions& options) {
  const LoadedConfig loaded = load_device(options.device, options.overrides, options.seed);
  require_front(loaded, Front::LinuxTorture);
  DeviceConfig config = loaded.device;
  config.verify = true;
  config.power.cuts = 1;
  config.power.cut_at = 0;
  config.power.cut_spacing = kSecond;  // placeholder: cut_power_at() sets the time
  return config;
}

int linux_torture_command(const TortureOptions& options, std::ostream& out) {
  const DeviceConfig config = torture_config(options);
  TortureMachine machine(options, config);
  machine.prepare();
  std::vector<Picoseconds> instants;
  if (options.at != 0) {
    instants.push_back(options.at);
  } else {
    const Json span = in_children(1, 1, [&](std::size_t) {
      const Picoseconds lasted = machine.measure();
      return Json{{"begin", machine.begin()}, {"lasted", lasted}};
    })[0];
    for (std::uint64_t cut = 0; cut < options.cuts; ++cut) {
      const double share = static_cast<double>(split_mix(config.seed, cut) >> 11) * 0x1p-53;
      instants.push_back(span["begin"].get<Picoseconds>() +
                         static_cast<Picoseconds>(share * static_cast<double>(span["lasted"].get<Picoseconds>())));
    }
  }
  const auto verdicts = in_children(instants.size(), processors(), [&](std::size_t cut) {
    use_processor(cut);
    return machine.cut(instants[cut]);
  });
  std::uint64_t lost = 0;
  std::uint64_t operations = 0;
  for (std::size_t cut = 0; cut < verdicts.size(); ++cut) {
    operations += verdicts[cut]["operations"].get<std::uint64_t>();
    const std::string what = verdicts[cut]["lost"];
    if (what.empty()) continue;
    if (lost++ != 0 || options.quiet) continue;
    const std::string oracle = verdicts[cut]["oracle"];
    out << fmt::format("cut {} at {}, after {} operations: {}\n", cut, format_exact(Quantity::Time, instants[cut]),
                       verdicts[cut]["operations"].get<std::uint64_t>(), what)
        << (oracle.empty() ? std::string() : "  the model's own oracle: " + oracle + "\n")
        << fmt::format("to see it again:\n  {} --linux {} --seed {} --at \"{}\"\n", command_line(options),
                       options.scenario, config.seed, format_exact(Quantity::Time, instants[cut]));
  }
  if (!options.quiet)
    out << fmt::format("{}: {} power cuts, {} operations acknowledged, {} cuts lost data\n", options.scenario,
                       verdicts.size(), operations, lost);
  if (options.expect_faults) return lost == 0 ? 1 : 0;
  return lost == 0 ? 0 : 1;
}

[[maybe_unused]] const auto guest_torture_is_set = guest_torture = linux_torture_command;

}  // namespace
}  // namespace flashloom

#include <sys/timerfd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <system_error>

#include "sc_main/assembly/config/fronts.hpp"
#include "sc_main/assembly/system/begin_state.hpp"
#include "sc_main/attach/nbd/nbd_front.hpp"
#include "sc_main/attach/nbd/nbd_options.hpp"
#include "sc_main/attach/nbd/nbd_server.hpp"
#include "sc_main/attach/nbd/nbd_state.hpp"
#include "sc_main/attach/serve/end_signals.hpp"
#include "sc_main/attach/serve/served_answers.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/run/program_files.hpp"
#include "sc_main/program/run/progress.hpp"
#include "sc_main/program/run/run_answers.hpp"

namespace flashloom {
namespace {

constexpr const char* kJobName = "nbd";
constexpr int kEndPatience = 10;  // s for nbdkit to end

LoadedConfig load(const NbdOptions& options, const NbdState* state, std::string& note) {
  std::vector<std::string> overrides = options.overrides;
  overrides.push_back("verify=true");  // in the drive, the oracle's tokens represent the bytes
  const std::string saved = state == nullptr ? std::string() : state->saved();
  LoadedConfig config = load_device(options.device, overrides, options.seed, saved, note);
  require_front(config, state == nullptr ? Front::Nbd : Front::KeptNbd);
  return config;
}

/// The server's end: asked for by a signal or by the end of its command, enforced when nbdkit takes too long.
class Ending {
 public:
  Ending(NbdServer& server, NbdFront& front, NbdClient* client, EndSignals& signals)
      : server_(server),
        front_(front),
        client_(client),
        signals_(signals),
        timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
    if (!timer_) throw std::system_error(errno, std::generic_category(), "timerfd");
  }

  std::vector<int> descriptors() const {
    std::vector<int> all = {signals_.descriptor(), timer_.number()};
    if (client_ != nullptr) all.push_back(client_->ended().number());
    return all;
  }
  /// Handles a readable descriptor. Returns whether to keep watching it.
  bool heard(int descriptor) {
    if (descriptor == timer_.number()) {
      server_.kill();
      return false;
    }
    if (descriptor == signals_.descriptor()) {
      signals_.take();
      if (client_ != nullptr) client_->stop();
      if (asked_) server_.kill();  // a second signal ends nbdkit at once
      begin();
      return true;
    }
    begin();
    return false;
  }
  bool asked() const { return asked_; }

 private:
  void begin() {
    if (asked_) return;
    asked_ = true;
    itimerspec after{};
    after.it_value.tv_sec = kEndPatience;
    ::timerfd_settime(timer_.number(), 0, &after, nullptr);
    front_.close();
  }

  NbdServer& server_;
  NbdFront& front_;
  NbdClient* client_;
  EndSignals& signals_;
  FileDescriptor timer_;
  bool asked_ = false;
};

std::vector<HostJob> job_of_clients() {
  std::vector<HostJob> jobs(1);
  jobs[0].name = kJobName;
  return jobs;
}

int nbd_command(const NbdOptions& options, std::ostream& out) {
  std::string notes;
  std::optional<NbdState> state;
  if (!options.state.empty()) state.emplace(options.state);
  const LoadedConfig config = load(options, state ? &*state : nullptr, notes);
  const DeviceConfig& device = config.device;
  RunCost cost;
  double before = CostMeter::cpu_seconds();
  const auto saved = state && !state->saved().empty() ? std::make_unique<StateReader>(state->saved()) : nullptr;
  RunAnswers answers(answer_options(options));
  Progress progress(options.quiet);
  Simulation simulation(device, Simulation::Parts{.bytes = true, .bytes_memory = options.memory});
  answers.record(simulation, {kJobName});
  PreconditionResult precondition =
      begin_state(simulation, saved.get(), [&](const char* step, double share) { progress.precondition(step, share); });
  if (state) notes += state->restore(simulation, device, precondition);
  cost.precondition_cpu_s = CostMeter::cpu_seconds() - before;
  progress.end();

  EndSignals signals;
  std::optional<TemporaryFolder> folder;
  if (options.socket.empty()) folder.emplace("flashloom-nbd-");
  NbdServer server(folder ? folder->path() + "/socket" : options.socket);
  server.start({.size = simulation.capacity_bytes(),
                .sector = device.host_interface.sector_size,
                .preferred = std::max<std::uint32_t>(device.ftl.mapping_unit, 512)});
  std::optional<NbdClient> client;
  if (!options.run.empty()) client.emplace(options.run, server);
  announce(options, device.name, simulation.capacity_bytes(), server.uri(), out);

  NbdFront front({.capacity_bytes = simulation.capacity_bytes(),
                  .sector_bytes = device.host_interface.sector_size,
                  .queues = simulation.host().queues(),
                  .gather_ns = static_cast<std::int64_t>(options.gather_us) * 1000,
                  .sync = options.sync},
                 simulation.host(), 0, state ? &state->journal() : nullptr,
                 options.pace == 0 ? std::nullopt : std::optional<WallPace>(options.pace));
  Ending ending(server, front, client ? &*client : nullptr, signals);
  front.on_failure([&](std::exception_ptr failure) { simulation.note_failure(std::move(failure)); });
  CostMeter meter;
  meter.begin();
  simulation.start(job_of_clients(), [] { TimeLoop::pause(); });
  front.start(server.channel().number(), ending.descriptors(),
              [&](int descriptor) { return ending.heard(descriptor); });
  simulation.proceed();
  simulation.finish();
  meter.end(cost);
  const std::string nbdkit_ended = server.wait();

  answers.take(config, workload_of_clients(kJobName), precondition);
  answers.result()["nbd"] = {{"requests", front.figures().requests},
                             {"refused", front.figures().refused},
                             {"most_in_flight", front.figures().most_in_flight}};
  answers.audit();
  finish_answers(answers, cost, front, options.state, std::move(notes), out);
  if (state) state->save(simulation, device, precondition);
  if (!ending.asked())
    throw SimulationFailure("nbdkit has ended before it was asked to" +
                            (nbdkit_ended.empty() ? std::string() : ": " + nbdkit_ended));
  return client ? client->wait() : 0;
}

const RegisterCommand registered_nbd(kNbdCommand, nbd_command, Signals::OfCommand);

}  // namespace
}  // namespace flashloom

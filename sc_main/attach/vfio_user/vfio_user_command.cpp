#include <unistd.h>

#include <memory>
#include <optional>

#include "sc_main/assembly/config/fronts.hpp"
#include "sc_main/assembly/state/device_state.hpp"
#include "sc_main/assembly/system/begin_state.hpp"
#include "sc_main/attach/linux/guest_drive.hpp"
#include "sc_main/attach/serve/end_signals.hpp"
#include "sc_main/attach/serve/served_answers.hpp"
#include "sc_main/attach/serve/served_socket.hpp"
#include "sc_main/attach/vfio_user/vfio_front.hpp"
#include "sc_main/attach/vfio_user/vfio_user_options.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/run/end_state.hpp"
#include "sc_main/program/run/progress.hpp"
#include "sc_main/program/run/run_answers.hpp"

namespace flashloom {
namespace {

/// Listens during its lifetime.
class Listener {
 public:
  explicit Listener(const std::string& path) : path_(path), socket_(serve_at("--socket", path)) {}
  ~Listener() { ::unlink(path_.c_str()); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  const FileDescriptor& socket() const { return socket_; }

 private:
  std::string path_;
  FileDescriptor socket_;
};

// What `flashloom run` would be told of states.
RunOptions about_states(const VfioUserOptions& options) {
  RunOptions run;
  run.state = options.state;
  run.save_state = options.save_state;
  run.json = options.json;
  return run;
}

std::vector<HostJob> job_of(const NvmeSystem& nvme) {
  std::vector<HostJob> jobs;
  jobs.push_back(nvme.job());
  return jobs;
}

int vfio_user_command(const VfioUserOptions& options, std::ostream& out) {
  std::string notes;
  std::vector<std::string> overrides = options.overrides;
  overrides.push_back("verify=true");  // in the drive, the oracle's tokens represent the bytes
  const LoadedConfig config = load_device(options.device, overrides, options.seed, options.state, notes);
  require_front(config, Front::VfioUser);
  const RunOptions states = about_states(options);
  check_end_state(states, config.device);
  RunCost cost;
  double before = CostMeter::cpu_seconds();
  RunAnswers answers(answer_options(options));
  EndState end_state(states, config.device);
  Progress progress(options.quiet);
  VfioDevice device("pci");
  GuestDrive drive(config.device, device, {.bytes = true, .bytes_memory = options.memory});
  Simulation& simulation = drive.simulation();
  answers.record(simulation, {drive.nvme().job().name});
  const auto state = options.state.empty() ? nullptr : std::make_unique<StateReader>(options.state);
  const PreconditionResult precondition =
      begin_state(simulation, state.get(), [&](const char* step, double share) { progress.precondition(step, share); });
  cost.precondition_cpu_s = CostMeter::cpu_seconds() - before;
  progress.end();

  EndSignals signals;
  const Listener listener(options.socket);
  announce(options, config.device.name, simulation.capacity_bytes(), options.socket, out);
  NvmeController& controller = drive.nvme().controller();
  device.attach(controller, signals.descriptor());
  VfioFront front(static_cast<std::int64_t>(options.gather_us) * 1000,
                  options.pace == 0 ? std::nullopt : std::optional<WallPace>(options.pace), device, controller,
                  simulation.host());
  front.on_failure([&](std::exception_ptr failure) { simulation.note_failure(std::move(failure)); });
  CostMeter meter;
  meter.begin();
  simulation.start(job_of(drive.nvme()), [] { TimeLoop::pause(); });
  front.start(listener.socket(), {signals.descriptor()}, [&](int) {
    signals.take();
    front.close();
    return true;
  });
  simulation.proceed();
  simulation.finish();
  meter.end(cost);

  answers.take(config, workload_of_clients("vfio-user"), precondition);
  answers.result()["vfio_user"] = {{"clients", front.clients()},
                                   {"requests", device.figures().requests},
                                   {"refused", device.figures().refused},
                                   {"interrupts", device.figures().interrupts}};
  answers.audit();
  end_state.take(simulation, precondition);
  notes += end_state.note();
  finish_answers(answers, cost, front, options.state, std::move(notes), out);
  end_state.commit();
  return 0;
}

const RegisterCommand registered_vfio_user(kVfioUserCommand, vfio_user_command, Signals::OfCommand);

}  // namespace
}  // namespace flashloom

#include "sc_main/assembly/library/embedded_device.hpp"

#include <cstdlib>
#include <systemc>

#include "sc_main/assembly/state/device_state.hpp"

namespace flashloom {

LoadedConfig load_ssd(const std::string& device, const SsdOptions& options, Front front) {
  if (!options.presets.empty()) add_preset_folder(options.presets);
  std::string note;
  LoadedConfig config = load_device(device, options.overrides, {}, options.state, note);
  require_front(config, front);
  return config;
}

void report_failure(const std::string& module, const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    SC_REPORT_ERROR("/flashloom/ssd", (module + ": " + error.what()).c_str());
  }
  std::abort();  // the platform has configured the kernel not to throw, but the module cannot continue
}

Workload platform_workload() {
  Workload workload;
  workload.kind = "platform";
  return workload;
}

}  // namespace flashloom

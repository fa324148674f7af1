// Options that are accepted and change nothing: they concern the operating system, the contents of the data, or fio's
// output. The result of a run lists those in its job file.
#include <set>

#include "workloads/fio/fio_options.hpp"

namespace flashloom {
namespace {

struct Group {
  const char* help;
  std::vector<const char*> names;  // name, or name/alias
};

const std::vector<Group>& groups() {
  static const std::vector<Group> all = {
      {"about the files that the model does not have",
       {"allow_file_create",
        "allow_mounted_write",
        "atomic",
        "create_fsync",
        "create_on_open",
        "create_only",
        "create_serialize",
        "direct",
        "fadvise_hint",
        "fallocate",
        "file_append",
        "filename_format",
        "file_mode",
        "fsync_on_close",
        "invalidate",
        "lockfile",
        "opendir",
        "openfiles",
        "overwrite",
        "pre_read",
        "unique_filename",
        "unlink",
        "unlink_each_loop",
        "buffered",
        "sync_file_range",
        "write_barrier"}},
      {"about the contents of the data; `--set verify=true` checks every read, `--data` carries out verify=",
       {"buffer_compress_chunk",
        "buffer_pattern",
        "dedupe_global",
        "dedupe_mode",
        "dedupe_percentage",
        "dedupe_working_set_percentage",
        "do_verify",
        "experimental_verify",
        "refill_buffers",
        "scramble_buffers",
        "trim_backlog",
        "trim_backlog_batch",
        "trim_percentage",
        "trim_verify_zero",
        "verify",
        "verify_async",
        "verify_async_cpus",
        "verify_backlog",
        "verify_backlog_batch",
        "verify_dump",
        "verify_fatal",
        "verify_interval",
        "verify_offset",
        "verify_only",
        "verify_pattern",
        "verify_state_load",
        "verify_state_save",
        "zero_buffers",
        "checksum_batch"}},
      {"about the processes of the host",
       {"cgroup",
        "cgroup_nodelete",
        "cgroup_weight",
        "clocksource",
        "cpumask",
        "cpus_allowed",
        "cpus_allowed_policy",
        "exec_postrun",
        "exec_prerun",
        "gid",
        "gtod_cpu",
        "hugepage-size",
        "ioscheduler",
        "lockmem",
        "mem/iomem",
        "mem_align/iomem_align",
        "nice",
        "numa_cpu_nodes",
        "numa_mem_policy",
        "prio",
        "prioclass",
        "thinktime_spin",
        "thread/threads",
        "uid",
        "use_os_rand"}},
      {"about what fio measures and prints",
       {"block_error_percentiles",
        "bwavgtime",
        "clat_percentiles",
        "disable_bw_measurement/disable_bw",
        "disable_clat",
        "disable_lat",
        "disable_slat",
        "disk_util",
        "error_dump",
        "gtod_reduce",
        "iopsavgtime",
        "lat_percentiles",
        "log_alternate_epoch",
        "log_alternate_epoch_clock_id",
        "log_avg_msec",
        "log_compression",
        "log_compression_cpus",
        "log_entries",
        "log_hist_coarseness",
        "log_hist_msec",
        "log_max_value",
        "log_offset",
        "log_prio",
        "log_store_compressed",
        "log_unix_epoch",
        "per_job_logs",
        "percentile_list",
        "significant_figures",
        "slat_percentiles",
        "stats",
        "unified_rw_reporting",
        "unit_base",
        "write_bw_log",
        "write_hist_log",
        "write_iolog",
        "write_iops_log",
        "write_lat_log"}},
      {"about errors: a job goes on after them", {"exitall_on_error", "ignore_error", "max_latency"}},
      {"ends a run early by its own figures: give runtime or io_size",
       {"steadystate/ss", "steadystate_duration/ss_dur", "steadystate_ramp_time/ss_ramp", "rate_min/ratemin",
        "rate_iops_min", "rate_cycle/ratecycle"}},
      {"searches a queue depth: iodepth is taken as it is",
       {"latency_target", "latency_window", "latency_percentile", "latency_run"}},
      {"the host driver sends each request as soon as the depth has room",
       {"iodepth_batch/iodepth_batch_submit", "iodepth_batch_complete_min/iodepth_batch_complete",
        "iodepth_batch_complete_max", "iodepth_low", "serialize_overlap", "rate_ignore_thinktime"}},
      {"random choices come from the model's own generator", {"softrandommap"}},
      {"about the engine's way to the device, which the model's host driver stands for",
       {"busy_poll",
        "clientname",
        "clustername",
        "cmd_type",
        "cmdprio",
        "cmdprio_bssplit",
        "cmdprio_class",
        "cmdprio_hint",
        "cmdprio_percentage",
        "fixedbufs",
        "force_async",
        "hipri",
        "hipri_percentage",
        "nonvectored",
        "nowait",
        "pool",
        "rbdname",
        "readfua",
        "registerfiles",
        "rwf",
        "sqthread_poll",
        "sqthread_poll_cpu",
        "thp",
        "uncached",
        "uri",
        "userspace_reap",
        "xnvme_async",
        "xnvme_sync",
        "xnvme_admin",
        "xnvme_dev_nsid",
        "xnvme_iovec"}},
      {"about writes that a zoned device refuses: those of a job go to the write pointer", {"recover_zbd_write_error"}},
      {"free text", {"description"}},
  };
  return all;
}

/// Inert options with which fio would send other requests, at other times or until another end. The value 0 turns them
/// off.
const std::set<std::string_view>& measured_options() {
  static const std::set<std::string_view> names = {
      // other requests
      "atomic", "buffered", "fsync_on_close", "overwrite", "pre_read", "readfua", "sync_file_range", "trim_backlog",
      "trim_percentage", "verify", "verify_backlog",
      // other contents, for a drive that compresses or deduplicates
      "buffer_compress_percentage", "dedupe_percentage",
      // other times
      "busy_poll", "cmdprio", "cmdprio_bssplit", "cmdprio_class", "cmdprio_percentage", "hipri", "hipri_percentage",
      "ioscheduler", "iodepth", "iodepth_batch", "iodepth_batch_complete_max", "iodepth_batch_complete_min",
      "iodepth_low", "prio", "prioclass", "rate_ignore_thinktime", "serialize_overlap", "sqthread_poll",
      // another end
      "latency_run", "latency_target", "max_latency", "rate_iops_min", "rate_min", "steadystate"};
  return names;
}

}  // namespace

bool changes_measurement(std::string_view option, std::string_view value) {
  if (option == "direct") return value == "0";  // direct=1 bypasses the page cache of fio's host, as this model does
  return measured_options().contains(option) && value != "0" && value != "none";
}

std::vector<FioOption> fio_inert_options() {
  std::vector<FioOption> options;
  for (const Group& group : groups()) {
    for (const std::string_view names : group.names) {
      const std::size_t slash = names.find('/');
      FioOption option{std::string(names.substr(0, slash)), {}, group.help, true};
      if (slash != std::string_view::npos) option.aliases.emplace_back(names.substr(slash + 1));
      options.push_back(std::move(option));
    }
  }
  return options;
}

}  // namespace flashloom

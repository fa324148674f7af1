// Options of fio that a job cannot have here, each with the reason.
#include <utility>

#include "workloads/fio/fio_options.hpp"

namespace flashloom {
namespace {

const std::vector<FioOptionGroup>& refused_groups() {
  static const std::vector<FioOptionGroup> all = {
      {"it replays logs: give the log to `flashloom run` as --trace",
       {"merge_blktrace_file", "merge_blktrace_iters", "merge_blktrace_scalars", "read_iolog", "read_iolog_chunked",
        "replay_align", "replay_no_stall", "replay_redirect", "replay_scale", "replay_skip", "replay_time_scale"}},
      {"it is of random_distribution=sequence, which is not modelled", {"random_sequence_stride"}},
      {"it is of an engine that measures a network",
       {"bindname", "busy_wait_polling", "direct_write_to_pmem", "hostname", "interface", "listen", "mss", "nodelay",
        "pingpong", "port", "protocol/proto", "serverip", "ttl", "verb", "window_size"}},
      {"it is of an engine that talks to a file or object service",
       {"brick",
        "chunk_size",
        "conf",
        "cont",
        "hdfsdirectory",
        "http_host",
        "http_mode",
        "http_object_mode",
        "http_pass",
        "http_s3_key",
        "http_s3_keyid",
        "http_s3_region",
        "http_s3_security_token",
        "http_s3_sse_customer_algorithm",
        "http_s3_sse_customer_key",
        "http_s3_storage_class",
        "http_swift_auth_token",
        "http_user",
        "http_verbose",
        "https",
        "namenode",
        "nfs_url",
        "object_class",
        "single-instance",
        "touch_objects",
        "volume"}},
      {"it is of an engine that does other work than block I/O",
       {"arguments", "cpuchunks", "cpuload", "cpumode", "cuda_io", "donorname", "exit_on_io_done", "gpu_dev_ids",
        "grace_time", "inplace", "program", "skip_bad", "stat_type", "std_redirect"}},
      {"fio's built-in profiles are not modelled",
       {"block", "device-names", "dir", "large-block-op-kbytes", "load", "numruns", "prep", "profile",
        "read-req-num-512-blocks", "test-duration", "threads-per-queue"}},
  };
  return all;
}

}  // namespace

std::vector<FioOption> fio_refused_options() {
  return unmodelled_fio_options(refused_groups(), FioOption::Effect::Refused);
}

}  // namespace flashloom

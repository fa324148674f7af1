#include "workloads/fio/fio_options.hpp"

#include <algorithm>
#include <limits>

#include "workloads/fio/fio_engine.hpp"
#include "workloads/fio/fio_lists.hpp"

namespace flashloom {
namespace {

using S = FioSection;
using V = std::string_view;

constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMaxJobs = 4096;
constexpr std::uint64_t kMaxFiles = 65536;
constexpr std::uint64_t kMicrosecond = 1'000'000;
constexpr std::uint64_t kMaxTime = kMax64 / 4;  // so that a sum of a few times does not overflow

std::uint32_t integer(S& s, V v, std::uint64_t lowest, std::uint64_t highest) {
  return static_cast<std::uint32_t>(parse_fio_integer(v, lowest, highest, s.kb_base));
}

std::uint64_t time(V v, std::uint64_t unit_ps = kMicrosecond * kMicrosecond) {
  const std::uint64_t ps = parse_fio_time(v, unit_ps);
  if (ps > kMaxTime) throw FioValueError("too large: \"" + std::string(v) + "\"");
  return ps;
}

std::uint64_t nonzero_bytes(S& s, V v) {
  const std::uint64_t bytes = parse_fio_bytes(v, s.kb_base);
  if (bytes == 0) throw FioValueError("0 bytes");
  return bytes;
}

std::optional<FioSize> region_size(S& s, V v) {
  const FioSize size = parse_fio_size(v, s.kb_base);
  if (size.value == 0) throw FioValueError("0: a region must hold a block");
  return size;
}

/// Names separated by colons; a backslash escapes a colon within a name.
std::vector<std::string> file_names(V v) {
  std::vector<std::string> names(1);
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (v[i] == '\\' && i + 1 < v.size() && v[i + 1] == ':') {
      names.back() += v[++i];
    } else if (v[i] == ':') {
      names.emplace_back();
    } else {
      names.back() += v[i];
    }
  }
  std::erase(names, std::string());
  if (names.empty()) throw FioValueError("value is missing: expected a file name");
  return names;
}

void engine(S& s, V v) {
  const FioEngine* const found = find_fio_engine(v.substr(0, v.find(':')));
  if (found == nullptr) {
    std::string names;
    for (const FioEngine& each : fio_engines())
      if (each.refusal.empty()) names += (names.empty() ? "" : ", ") + std::string(each.name);
    throw FioValueError("unknown engine \"" + std::string(v) + "\"; block I/O: " + names);
  }
  s.job.ioengine = std::string(found->name);
  s.job.synchronous = found->synchronous;
}

void sync(S& s, V v) {
  if (v != "0" && v != "1" && v != "none" && v != "sync" && v != "dsync" && !v.empty())
    throw FioValueError("expected none, sync or dsync, found \"" + std::string(v) + "\"");
  s.job.fua = v != "0" && v != "none";
}

void continue_on_error(S& s, V v) {
  const bool ends = v == "none" || v == "0" || v == "read" || v == "verify";
  if (!ends && v != "write" && v != "io" && v != "all" && v != "1")
    throw FioValueError("expected none, read, write, io, verify or all, found \"" + std::string(v) + "\"");
  s.job.ends_at_zone_error = ends;
}

void write_mode(S& s, V v) {
  s.job.write_as = v == "write"         ? RequestKind::Write
                   : v == "zeroes"      ? RequestKind::WriteZeroes
                   : v == "zone_append" ? RequestKind::ZoneAppend
                                        : throw FioValueError("expected write, zeroes or zone_append, found \"" +
                                                              std::string(v) + "\"; no other command is modelled");
}

void exit_what(S& s, V v) {
  s.job.exit_what = v == "group"       ? FioExitWhat::Group
                    : v == "stonewall" ? FioExitWhat::Stonewall
                    : v == "all"
                        ? FioExitWhat::All
                        : throw FioValueError("expected group, stonewall or all, found \"" + std::string(v) + "\"");
}

std::vector<FioOption> modelled() {
  return {
      {"blockalign",
       {"ba"},
       "random offsets are multiples of this: read[,write[,trim]]; default: the smallest block",
       [](S& s, V v) { parse_fio_by_direction(v, s.job.blockalign, [&](V part) { return nonzero_bytes(s, part); }); }},
      {"bs",
       {"blocksize"},
       "block size: read[,write[,trim]]",
       [](S& s, V v) { s.job.bs = parse_fio_block_sizes(v, s.kb_base); }},
      {"bs_is_seq_rand",
       {},
       "bs=A,B: A for sequential, B for random requests",
       [](S& s, V v) { s.job.bs_is_seq_rand = parse_fio_bool(v); }},
      {"bs_unaligned",
       {"blocksize_unaligned"},
       "block sizes of a range are any number of sectors",
       [](S& s, V v) { s.job.bs_unaligned = parse_fio_bool(v); }},
      {"bsrange",
       {"blocksize_range"},
       "block sizes from LOW-HIGH: read[,write[,trim]]",
       [](S& s, V v) { s.job.bs = parse_fio_block_ranges(v, s.kb_base); }},
      {"bssplit",
       {},
       "shares of block sizes, SIZE/PERCENT:...: read[,write[,trim]]",
       [](S& s, V v) { s.job.bs = parse_fio_block_splits(v, s.kb_base); }},
      {"buffer_compress_percentage",
       {},
       "percent of the data that a drive which compresses them saves; others: no effect",
       [](S& s, V v) { s.job.saved = integer(s, v, 0, 100) / 100.0; }},
      {"directory", {}, "part of the names of files", [](S& s, V v) { s.job.directory = std::string(v); }},
      {"end_fsync",
       {"end_syncfs"},
       "a flush at the end of a job that writes",
       [](S& s, V v) { s.job.end_fsync = parse_fio_bool(v); }},
      {"exit_what", {}, "what exitall ends: group, stonewall, all", &exit_what},
      {"continue_on_error", {}, "a job goes on after a write that breaks the rules of zones", continue_on_error},
      {"exitall", {}, "the end of this job ends the others", [](S& s, V v) { s.job.exitall = parse_fio_bool(v); }},
      {"fdatasync", {}, "a flush after so many writes", [](S& s, V v) { s.job.fdatasync = integer(s, v, 0, kMax32); }},
      {"file_service_type",
       {},
       "which of several files is next: roundrobin, sequential, random, with :N",
       [](S& s, V v) { parse_fio_file_service(v, s.job.file_service, s.job.file_service_run); }},
      {"filename",
       {},
       "files or devices, separated by colons: the same name is the same region",
       [](S& s, V v) { s.job.filenames = file_names(v); }},
      {"filesize",
       {},
       "size of each file, or a range of sizes",
       [](S& s, V v) {
         s.job.filesize = parse_fio_byte_range(v, s.kb_base);
         if (s.job.filesize->low == 0) throw FioValueError("0: a file must hold a block");
       }},
      {"fill_device",
       {"fill_fs"},
       "the region ends where the device ends",
       [](S& s, V v) {
         if (parse_fio_bool(v)) s.job.size = FioSize{100, true};
       }},
      {"flow",
       {},
       "jobs of one flow_id send in proportion to these weights; 0: none",
       [](S& s, V v) { s.job.flow = integer(s, v, 0, 1000); }},
      {"flow_id", {}, "which flow", [](S& s, V v) { s.job.flow_id = integer(s, v, 0, kMax32); }},
      {"flow_sleep",
       {},
       "how long a job waits that is ahead of its flow; in us",
       [](S& s, V v) { s.job.flow_sleep_ps = time(v, kMicrosecond); }},
      {"fsync", {}, "a flush after so many writes", [](S& s, V v) { s.job.fsync = integer(s, v, 0, kMax32); }},
      {"group_reporting",
       {},
       "results of the jobs of a group are added",
       [](S& s, V v) { s.job.group_reporting = parse_fio_bool(v); }},
      {"io_size",
       {"io_limit"},
       "bytes to transfer in all, or % of size",
       [](S& s, V v) {
         s.job.io_size = parse_fio_size(v, s.kb_base);
         if (s.job.io_size->value == 0) throw FioValueError("0 bytes: no requests");
       }},
      {"io_submit_mode",
       {},
       "offload: a wait for the rate does not wait for the requests in flight",
       [](S& s, V v) {
         if (v != "inline" && v != "offload")
           throw FioValueError("expected inline or offload, found \"" + std::string(v) + "\"");
         s.job.submit_offload = v == "offload";
       }},
      {"iodepth",
       {},
       "requests in flight of each job; a synchronous engine has one",
       [](S& s, V v) { s.job.iodepth = integer(s, v, 1, 1U << 20U); }},
      {"ioengine", {}, "synchronous engines have one request in flight; what is no block I/O is refused", &engine},
      {"kb_base",
       {},
       "1024: k is 1024 and kib is 1000 (fio's default); 1000: the reverse",
       [](S& s, V v) {
         if (v != "1024" && v != "1000") throw FioValueError("expected 1024 or 1000, found \"" + std::string(v) + "\"");
         s.kb_base = v == "1024" ? 1024 : 1000;
       }},
      {"loops", {}, "so many times over", [](S& s, V v) { s.job.loops = integer(s, v, 1, kMax32); }},
      {"name", {}, "name of the job", [](S& s, V v) { s.job.name = std::string(v); }},
      {"new_group", {}, "begins a group", [](S& s, V v) { s.job.new_group = parse_fio_bool(v); }},
      {"norandommap",
       {},
       "random offsets may repeat within a pass",
       [](S& s, V v) { s.job.norandommap = parse_fio_bool(v); }},
      {"nrfiles", {"nr_files"}, "files of each job", [](S& s, V v) { s.job.nrfiles = integer(s, v, 1, kMaxFiles); }},
      {"number_ios",
       {},
       "requests to send; 0: no limit",
       [](S& s, V v) { s.job.number_ios = parse_fio_integer(v, 0, kMax64, s.kb_base); }},
      {"numjobs", {}, "so many copies of the job", [](S& s, V v) { s.job.numjobs = integer(s, v, 1, kMaxJobs); }},
      {"offset",
       {"fileoffset"},
       "begin in each file: bytes or %",
       [](S& s, V v) { s.job.offset = parse_fio_size(v, s.kb_base); }},
      {"offset_align",
       {},
       "what an offset in % is rounded up to",
       [](S& s, V v) { s.job.offset_align = parse_fio_bytes(v, s.kb_base); }},
      {"offset_increment",
       {},
       "added to the offset for each further copy of numjobs: bytes or %",
       [](S& s, V v) { s.job.offset_increment = parse_fio_size(v, s.kb_base); }},
      {"percentage_random",
       {},
       "percent of random requests in a random job: read[,write[,trim]]",
       [](S& s, V v) {
         parse_fio_by_direction(v, s.job.percentage_random, [&](V part) { return integer(s, part, 0, 100); });
       }},
      {"ramp_size",
       {},
       "requests completed before so many bytes of the job are not measured",
       [](S& s, V v) { s.job.ramp_bytes = parse_fio_bytes(v, s.kb_base); }},
      {"ramp_time", {}, "requests completed in it are not measured", [](S& s, V v) { s.job.ramp_ps = time(v); }},
      {"random_generator",
       {},
       "lfsr visits each block once with norandommap, too; else the model's own generator",
       [](S& s, V v) {
         if (v != "lfsr" && v != "tausworthe" && v != "tausworthe64")
           throw FioValueError("expected lfsr, tausworthe or tausworthe64, found \"" + std::string(v) + "\"");
         s.job.visits_once = v == "lfsr";
       }},
      {"randrepeat",
       {"allrandrepeat"},
       "each loop repeats the random choices",
       [](S& s, V v) { s.job.randrepeat = parse_fio_bool(v); }},
      {"randseed",
       {},
       "seed of the job instead of the run's",
       [](S& s, V v) { s.job.randseed = parse_fio_integer(v, 0, kMax64, s.kb_base); }},
      {"random_distribution",
       {},
       "random, zipf, pareto, normal, zoned, zoned_abs, with their parameters",
       [](S& s, V v) { s.job.distribution = parse_fio_distribution(v, s.kb_base); }},
      {"rate",
       {},
       "bytes a second at most: read[,write[,trim]]",
       [](S& s, V v) {
         parse_fio_by_direction(v, s.job.rate, [&](V part) { return parse_fio_bytes(part, s.kb_base); });
       }},
      {"rate_iops",
       {},
       "requests of the smallest block a second at most: read[,write[,trim]]",
       [](S& s, V v) {
         parse_fio_by_direction(v, s.job.rate_iops, [&](V part) { return integer(s, part, 0, kMax32); });
       }},
      {"num_range",
       {},
       "trims: ranges of one request, each a block",
       [](S& s, V v) { s.job.num_range = integer(s, v, 1, 256); }},
      {"rate_ignore_thinktime",
       {},
       "a pause is not made up for by a higher rate after it",
       [](S& s, V v) { s.job.rate_ignores_thinktime = parse_fio_bool(v); }},
      {"rate_process",
       {},
       "linear, or poisson: exponential times between requests",
       [](S& s, V v) {
         if (v != "linear" && v != "poisson")
           throw FioValueError("expected linear or poisson, found \"" + std::string(v) + "\"");
         s.job.rate_poisson = v == "poisson";
       }},
      {"runtime",
       {"timeout"},
       "simulated time at which the job ends, if not before",
       [](S& s, V v) { s.job.runtime_ps = time(v); }},
      {"rw",
       {"readwrite"},
       "pattern: read, write, trim, rw, trimwrite, and randread, ...; read:STEP, randread:N",
       [](S& s, V v) { s.job.rw = parse_fio_pattern(v, s.kb_base); }},
      {"rw_sequencer",
       {},
       "randread:N: the N go on from the first (sequential), or all to one place (identical)",
       [](S& s, V v) {
         if (v != "sequential" && v != "identical")
           throw FioValueError("expected sequential or identical, found \"" + std::string(v) + "\"");
         s.job.repeat_place = v == "identical";
       }},
      {"rwmixread",
       {},
       "percent of reads in rw and randrw",
       [](S& s, V v) { s.job.rwmixread = integer(s, v, 0, 100); }},
      {"rwmixwrite",
       {},
       "percent of writes in rw and randrw",
       [](S& s, V v) { s.job.rwmixread = 100 - integer(s, v, 0, 100); }},
      {"sg_write_mode",
       {},
       "write; other SCSI commands are refused",
       [](S&, V v) {
         if (v != "write") throw FioValueError("\"" + std::string(v) + "\": SCSI commands but WRITE are not modelled");
       }},
      {"size",
       {},
       "size of the job's files together: bytes or % of the device",
       [](S& s, V v) { s.job.size = region_size(s, v); }},
      {"startdelay",
       {"start_delay"},
       "time after the begin of the run, or a range of times",
       [](S& s, V v) {
         s.job.start_delay_ps = parse_fio_time_range(v);
         if (s.job.start_delay_ps.high > kMaxTime) throw FioValueError("too large: \"" + std::string(v) + "\"");
       }},
      {"stonewall",
       {"wait_for_previous"},
       "begins when the jobs before it have ended",
       [](S& s, V v) { s.job.stonewall = parse_fio_bool(v); }},
      {"sync", {}, "sync, dsync: every write is durable when it completes (FUA)", &sync},
      {"thinktime",
       {},
       "pause after thinktime_blocks requests; in us",
       [](S& s, V v) { s.job.thinktime_ps = time(v, kMicrosecond); }},
      {"thinktime_blocks",
       {},
       "requests before a pause",
       [](S& s, V v) { s.job.thinktime_blocks = integer(s, v, 1, kMax32); }},
      {"thinktime_blocks_type",
       {},
       "complete or issue: the same here, as a pause begins when nothing is in flight",
       [](S&, V v) {
         if (v != "complete" && v != "issue")
           throw FioValueError("expected complete or issue, found \"" + std::string(v) + "\"");
       }},
      {"thinktime_iotime",
       {},
       "time of I/O before a pause; in us",
       [](S& s, V v) { s.job.thinktime_iotime_ps = time(v, kMicrosecond); }},
      {"time_based",
       {},
       "go on until runtime, looping over the region",
       [](S& s, V v) { s.job.time_based = parse_fio_bool(v); }},
      {"wait_for",
       {},
       "begins when all copies of the job of that name have ended",
       [](S& s, V v) { s.job.wait_for = std::string(v); }},
      {"write_mode", {}, "what writes are: write, zeroes, zone_append", &write_mode},
      {"writefua", {}, "writes are FUA", [](S& s, V v) { s.job.fua = parse_fio_bool(v); }},
  };
}

std::vector<FioOption> sorted_options() {
  std::vector<FioOption> all = modelled();
  for (FioOption& option : fio_placement_options()) all.push_back(std::move(option));
  for (FioOption& option : fio_inert_options()) all.push_back(std::move(option));
  for (FioOption& option : fio_refused_options()) all.push_back(std::move(option));
  for (FioOption& option : fio_sprandom_options()) all.push_back(std::move(option));
  for (FioOption& option : fio_zone_options()) all.push_back(std::move(option));
  std::sort(all.begin(), all.end(), [](const FioOption& a, const FioOption& b) { return a.name < b.name; });
  return all;
}

}  // namespace

const std::vector<FioOption>& fio_options() {
  static const std::vector<FioOption> all = sorted_options();
  return all;
}

std::vector<FioOption> unmodelled_fio_options(const std::vector<FioOptionGroup>& groups, FioOption::Effect effect) {
  std::vector<FioOption> options;
  for (const FioOptionGroup& group : groups)
    for (const std::string_view names : group.names) {
      const std::size_t slash = names.find('/');
      options.push_back(
          {.name = std::string(names.substr(0, slash)), .aliases = {}, .help = group.reason, .effect = effect});
      if (slash != std::string_view::npos) options.back().aliases.emplace_back(names.substr(slash + 1));
    }
  return options;
}

const FioOption* find_fio_option(std::string_view name) {
  for (const FioOption& option : fio_options())
    if (option.name == name || std::find(option.aliases.begin(), option.aliases.end(), name) != option.aliases.end())
      return &option;
  return nullptr;
}

}  // namespace flashloom

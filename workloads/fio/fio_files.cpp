#include "workloads/fio/fio_files.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <regex>
#include <string>
#include <string_view>

#include "workloads/random.hpp"
#include "workloads/size_text.hpp"
#include "workloads/workload_error.hpp"

namespace flashloom {
namespace {

constexpr std::uint64_t kAlignment = 4096;
constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

/// `percent` of `whole`, without overflow.
std::uint64_t share(std::uint64_t whole, std::uint64_t percent) {
  return whole / 100 * percent + whole % 100 * percent / 100;
}

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return value % unit == 0 ? value : value + (unit - value % unit);
}

bool uses(const FioJob& job, std::size_t direction) {
  return direction == 0 ? job.rw.reads : direction == 1 ? job.rw.writes : job.rw.trims;
}

/// 2 for "/dev/nvme0n2" and "/dev/nvme0n2p1"; 1 for names that are no NVMe namespaces.
std::uint32_t number_of_namespace(std::string_view name) {
  constexpr std::string_view kDevice = "/dev/nvme";
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::size_t kMostDigits = 9;
  if (!name.starts_with(kDevice)) return 1;
  name.remove_prefix(kDevice.size());
  name.remove_prefix(std::min(name.find_first_not_of(kDigits), name.size()));
  if (!name.starts_with('n')) return 1;
  name.remove_prefix(1);
  const std::string digits(name.substr(0, name.find_first_not_of(kDigits)));
  if (digits.empty() || digits.size() > kMostDigits) return 1;
  return static_cast<std::uint32_t>(std::stoul(digits));
}

/// One file of one copy of a job, before it has a place on the device; bytes.
struct Wanted {
  std::string name;               // empty: the device
  std::uint64_t offset = 0;       // where the job's part begins in the file
  std::uint64_t size = kUnknown;  // of the job's part
  std::uint64_t extent = 0;       // file size that the job needs
};

class Layout {
 public:
  Layout(const std::vector<FioJob>& jobs, const DeviceSpace& device, std::uint64_t seed)
      : device_(device), seed_(seed) {
    for (const FioJob& job : jobs) check_blocks(job);
    std::vector<std::pair<const FioJob*, std::vector<Wanted>>> copies;
    for (const FioJob& job : jobs)
      for (std::uint32_t copy = 0; copy < job.numjobs; ++copy) {
        copies.emplace_back(&job, wanted(job, copy));
        for (const Wanted& file : copies.back().second) enter(job, file);
      }
    place();
    for (const auto& [job, files] : copies) {
      result_.emplace_back();
      for (const Wanted& file : files) result_.back().push_back(placed(*job, file));
    }
  }

  std::vector<std::vector<FioFile>> result() && { return std::move(result_); }

 private:
  struct Region {
    std::uint64_t extent = 0;
    std::uint64_t begin = 0;
    const FioJob* job = nullptr;  // the job that needs this extent
  };

  void check_sectors(const FioJob& job, const char* key, std::uint64_t value) const {
    if (value % device_.sector_size != 0)
      fail_fio_job(job, key,
                   size_text(value) + " are no multiple of the sector size, " + size_text(device_.sector_size) +
                       " (fio: k is 1024, kib is 1000; see kb_base)");
  }

  std::uint64_t bytes_of(const FioJob& job, const char* key, const FioSize& size, std::uint64_t whole) const {
    return size.percent ? share(whole, size.value) : fio_zones_or_bytes(job, device_, key, size);
  }

  std::uint64_t capacity(const FioJob& job) const {
    return device_.namespaces.empty() ? device_.capacity : device_.namespaces[namespace_of(job, device_) - 1];
  }
  std::uint64_t begin(const FioJob& job) const {
    if (device_.namespaces.empty()) return 0;
    const auto first = device_.namespaces.begin();
    return std::accumulate(first, first + (namespace_of(job, device_) - 1), std::uint64_t{0});
  }

  static const char* key_of_blocks(const FioJob& job) {
    return job.given("bssplit") ? "bssplit" : job.given("bsrange") ? "bsrange" : "bs";
  }

  void check_blocks(const FioJob& job) const {
    for (std::size_t d = 0; d < kFioDirections; ++d) {
      if (!uses(job, d) && !job.bs_is_seq_rand) continue;
      check_sectors(job, key_of_blocks(job), job.bs[d].least);
      check_sectors(job, key_of_blocks(job), job.bs[d].most);
      for (const FioBlockSizes::Share& part : job.bs[d].split) check_sectors(job, key_of_blocks(job), part.bytes);
      check_sectors(job, "blockalign", job.blockalign[d]);
    }
    check_sectors(job, "rw", static_cast<std::uint64_t>(std::max(job.rw.step, -job.rw.step)));
    check_sectors(job, "offset_align", job.offset_align);
    check_sectors(job, "zonesize", job.stride.size);
    check_sectors(job, "zonerange", job.stride.range);
    check_sectors(job, "zoneskip", job.stride.skip);
  }

  static bool is_device(const FioJob& job, const std::string& name) {
    if (!name.starts_with("/dev/") || name.starts_with("/dev/shm/")) return false;
    for (const char* const other : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"})
      if (name == other) fail_fio_job(job, "filename", name + " is no block device");
    for (const char* const other : {"/dev/mtd", "/dev/dax"})
      if (name.starts_with(other)) fail_fio_job(job, "filename", name + " is no block device");
    return true;
  }

  // The drive that a block device is, or is a part of: /dev/nvme0 of /dev/nvme0n1p2, /dev/sda of /dev/sda1.
  static std::string drive_of(const std::string& device) {
    static const std::regex kParts("(/dev/nvme[0-9]+)n[0-9]+.*|(/dev/[shv]d[a-z]+)[0-9]*");
    std::smatch found;
    if (!std::regex_match(device, found, kParts)) return device;
    return found[1].matched ? found[1].str() : found[2].str();
  }

  void check_drive(const FioJob& job, const std::string& device) {
    const std::string drive = drive_of(device);
    if (drive_.empty()) drive_ = drive;
    if (drive != drive_)
      fail_fio_job(job, "filename", device + " is another drive than " + drive_ + ", and a run has one");
  }

  std::vector<std::string> names_of(const FioJob& job, std::uint32_t copy) {
    std::vector<std::string> names;
    for (const std::string& given : job.filenames) {
      const bool absolute = given.starts_with('/') || job.directory.empty();
      const std::string path = absolute ? given : job.directory + "/" + given;
      const bool device = is_device(job, path);
      if (device) check_drive(job, path);
      names.push_back(device ? std::string() : path);
    }
    if (!names.empty()) return names;
    const bool whole = !job.filesize && (job.offset || !job.size || job.size->percent);
    for (std::uint32_t i = 0; i < job.nrfiles; ++i)
      names.push_back(whole ? std::string()
                            : job.directory + "/" + job.name + "." + std::to_string(copy) + "." + std::to_string(i));
    return names;
  }

  std::uint64_t offset_of(const FioJob& job, std::uint32_t copy, std::uint64_t extent) const {
    const FioSize offset = job.offset.value_or(FioSize{});
    std::uint64_t bytes = bytes_of(job, "offset", offset, extent) +
                          copy * bytes_of(job, "offset_increment", job.offset_increment, extent);
    if (offset.percent || job.offset_increment.percent) {  // as fio: rounds up to the next block
      std::uint64_t align = job.offset_align != 0 ? job.offset_align : kUnknown;
      for (std::size_t d = 0; d < kFioDirections && job.offset_align == 0; ++d)
        if (uses(job, d)) align = std::min(align, job.bs[d].least);
      bytes = rounded_up(bytes, align);
    }
    if (bytes % device_.sector_size != 0)
      fail_fio_job(
          job, "offset",
          std::to_string(bytes) + " is no multiple of the sector size, " + std::to_string(device_.sector_size));
    return bytes;
  }

  std::vector<Wanted> wanted(const FioJob& job, std::uint32_t copy) {
    std::vector<Wanted> files;
    const std::vector<std::string> names = names_of(job, copy);
    Random random(derived_seed(job.randseed.value_or(seed_), 0x66696c65 + copy));  // sizes of files
    for (const std::string& name : names) {
      Wanted file{.name = name};
      const bool whole = name.empty();
      if (job.filesize) {
        const std::uint64_t spread = job.filesize->high - job.filesize->low;
        std::uint64_t extent = job.filesize->low + (spread == 0 ? 0 : random.below(spread + 1));
        extent -= extent % device_.sector_size;
        file.offset = offset_of(job, copy, whole ? capacity(job) : extent);
        if (file.offset >= extent)
          fail_fio_job(job, "offset",
                       std::to_string(file.offset) + " lies beyond the file (" + std::to_string(extent) + " bytes)");
        file.size = extent - file.offset;
        file.extent = extent;
      } else if (job.size) {
        file.size = bytes_of(job, "size", *job.size, capacity(job)) / names.size();
        file.offset = offset_of(job, copy, whole ? capacity(job) : file.size);
        if (whole && job.size->percent && file.offset < capacity(job))
          file.size = std::min(file.size, capacity(job) - file.offset);
        file.extent = file.offset + file.size;
      } else {
        file.offset = offset_of(job, copy, capacity(job));
      }
      files.push_back(std::move(file));
    }
    return files;
  }

  void enter(const FioJob& job, const Wanted& file) {
    if (file.name.empty()) return;
    const auto [found, is_new] = regions_.try_emplace(file.name);
    if (is_new) order_.push_back(&found->second);
    if (found->second.job == nullptr || file.extent > found->second.extent) {
      found->second.extent = file.extent;
      found->second.job = &job;
    }
  }

  void place() {
    std::uint64_t next = 0;
    for (Region* const region : order_) {
      if (region->extent == 0) {  // no job gives the file a size: it covers the device
        region->extent = device_.capacity;
        continue;
      }
      next = rounded_up(next, std::max<std::uint64_t>({kAlignment, device_.sector_size, device_.zones.bytes}));
      if (region->extent > device_.capacity || next > device_.capacity - region->extent)
        fail_fio_job(*region->job, region->job->given("size") ? "size" : "filesize",
                     size_text(region->extent) + " do not fit: the device holds " + size_text(device_.capacity) +
                         ", of which the files before take " + size_text(next));
      region->begin = next;
      next += region->extent;
    }
  }

  FioFile placed(const FioJob& job, const Wanted& wanted) const {
    FioFile file{begin(job), capacity(job), wanted.offset, wanted.size};
    if (!wanted.name.empty()) {
      const Region& region = regions_.at(wanted.name);
      file.begin = region.begin;
      file.extent = region.extent;
    }
    if (file.offset >= file.extent)
      fail_fio_job(job, "offset", size_text(file.offset) + " lies beyond the device (" + size_text(file.extent) + ")");
    const std::uint64_t room = file.extent - file.offset;
    if (file.size == kUnknown) file.size = room;
    if (file.size > room)
      fail_fio_job(job, "size",
                   size_text(file.size) + " do not fit: the device holds " + size_text(room) + " from offset " +
                       size_text(file.offset) + " on");
    file.size -= file.size % device_.sector_size;
    std::uint64_t largest = 0;
    for (std::size_t d = 0; d < kFioDirections; ++d)
      if (uses(job, d)) largest = std::max(largest, job.bs[d].most);
    if (largest > file.size)
      fail_fio_job(job, job.given(key_of_blocks(job)) ? key_of_blocks(job) : "size",
                   "a block of " + size_text(largest) + " exceeds the region, " + size_text(file.size));
    return file;
  }

  const DeviceSpace& device_;
  std::uint64_t seed_;
  std::string drive_;  // that block devices name
  std::map<std::string, Region> regions_;
  std::vector<Region*> order_;
  std::vector<std::vector<FioFile>> result_;
};

}  // namespace

std::uint64_t fio_zones_or_bytes(const FioJob& job, const DeviceSpace& device, const std::string& key,
                                 const FioSize& size) {
  if (!size.zones) return size.value;
  const std::uint64_t zone = device.zones.bytes != 0 ? device.zones.bytes : job.stride.size;
  if (zone == 0) fail_fio_job(job, key, "counts zones, and there is no zonesize");
  return size.value * zone;
}

std::uint32_t namespace_of(const FioJob& job, const DeviceSpace& device) {
  if (device.namespaces.empty()) return 0;
  std::uint32_t found = 0;
  for (const std::string& name : job.filenames) {
    const std::uint32_t number = number_of_namespace(name);
    if (number == 0) fail_fio_job(job, "filename", name + ": namespaces are counted from 1");
    if (found != 0 && number != found) fail_fio_job(job, "filename", "a job's files are of one namespace");
    found = number;
  }
  if (found > device.namespaces.size())
    fail_fio_job(job, "filename",
                 "there is no namespace " + std::to_string(found) + "; host_interface.namespaces has " +
                     std::to_string(device.namespaces.size()));
  return std::max(found, 1U);
}

void fail_fio_job(const FioJob& job, const std::string& key, const std::string& message) {
  throw WorkloadError(job.file, job.line_of(key), key + ": " + message + " (job " + job.name + ")");
}

std::vector<std::vector<FioFile>> lay_out_fio_files(const std::vector<FioJob>& jobs, const DeviceSpace& device,
                                                    std::uint64_t seed) {
  return Layout(jobs, device, seed).result();
}

}  // namespace flashloom

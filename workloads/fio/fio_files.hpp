// Where the files of fio jobs lie on the one device.
//
// * A name below /dev/ is the whole device, except what is no block device there.
// * With namespaces /dev/nvme0n2 is the second one; files of other names lie in the first.
// * A job without filename addresses the whole device too if it gives an offset, a size in percent (it is of the
//   device), or neither size nor filesize.
// * Any other file gets a region of its own, in order of appearance, each begun at a multiple of 4 KiB; the same name
//   is the same region. Without filename each copy of a job has files of its own, as in fio (job.copy.file).
#pragma once

#include <vector>

#include "workloads/address_fit.hpp"
#include "workloads/fio/fio_job.hpp"

namespace flashloom {

/// A file, and what one job uses of it; bytes.
struct FioFile {
  std::uint64_t begin = 0;   ///< on the device
  std::uint64_t extent = 0;  ///< of the file
  std::uint64_t offset = 0;  ///< in the file: where the job's part begins
  std::uint64_t size = 0;    ///< of the job's part
};

/// The files of each copy of each job, copies of a job in a row. Throws WorkloadError (file, line, key) if a job does
/// not fit: block sizes and offsets that are no whole sectors, files that are larger than the device together.
std::vector<std::vector<FioFile>> lay_out_fio_files(const std::vector<FioJob>& jobs, const DeviceSpace& device,
                                                    std::uint64_t seed);

/// The namespace that a job's files are, numbered from 1; 0: the device has none. Throws WorkloadError if there is no
/// such one, or if they are several.
std::uint32_t namespace_of(const FioJob& job, const DeviceSpace& device);

/// Bytes of a size that is no percentage: zones are the device's, or of `zonesize`. Throws WorkloadError if there are
/// none.
std::uint64_t fio_zones_or_bytes(const FioJob& job, const DeviceSpace& device, const std::string& key,
                                 const FioSize& size);

[[noreturn]] void fail_fio_job(const FioJob& job, const std::string& key, const std::string& message);

}  // namespace flashloom

// Places the files of fio jobs on the device.
//
// * A name below /dev/ means the whole device. Character devices such as /dev/null are an error; names below /dev/shm/
//   are ordinary files.
// * With namespaces, /dev/nvme0n2 is the second one; files of other names lie in the first.
// * A job with neither filename nor filesize addresses the whole device too if it gives an offset, a size in percent
//   (of the device), or no size.
// * Any other file gets a region of its own, in order of appearance, aligned to 4 KiB or to the sector or zone size if
//   larger; the same name means the same region. Without filename each copy of a job has its own files, as in fio
//   (job.copy.file).
#pragma once

#include <vector>

#include "workloads/address_fit.hpp"
#include "workloads/fio/fio_job.hpp"

namespace flashloom {

/// A file, and the part of it that one job uses; bytes.
struct FioFile {
  std::uint64_t begin = 0;   ///< on the device
  std::uint64_t extent = 0;  ///< of the file
  std::uint64_t offset = 0;  ///< in the file: where the job's part begins
  std::uint64_t size = 0;    ///< of the job's part
};

/// The files of each copy of each job, the copies of a job one after another. Throws WorkloadError (file, line, key) if
/// a job does not fit: block sizes or offsets that are not whole sectors, files together larger than the device.
std::vector<std::vector<FioFile>> lay_out_fio_files(const std::vector<FioJob>& jobs, const DeviceSpace& device,
                                                    std::uint64_t seed);

/// The namespace of a job's files, numbered from 1; 0: the device has none. Throws WorkloadError if the namespace does
/// not exist, or if the files lie in several namespaces.
std::uint32_t namespace_of(const FioJob& job, const DeviceSpace& device);

/// Converts a size in bytes or zones to bytes; the zone size is the device's, else the job's `zonesize`. Throws
/// WorkloadError for a size in zones if neither is given.
std::uint64_t fio_zones_or_bytes(const FioJob& job, const DeviceSpace& device, const std::string& key,
                                 const FioSize& size);

[[noreturn]] void fail_fio_job(const FioJob& job, const std::string& key, const std::string& message);

}  // namespace flashloom

// Opens the sources of fio jobs, and predicts properties of a source before it runs.
#include <string>
#include <utility>

#include "workloads/fio/fio_source.hpp"

namespace flashloom {

bool FioSource::paced() const {
  const bool calls = job_.rw.trims || job_.end_fsync || job_.fsync != 0 || job_.fdatasync != 0;
  return job_.zbd.on || rate_.limits() || job_.thinktime_ps != 0 || (flush_alone_ && calls);
}

std::uint64_t FioSource::expected_requests() const {
  const std::size_t d = job_.rw.reads ? 0U : job_.rw.writes ? 1U : 2U;  // reads, writes, trims
  const std::uint64_t bs = job_.bs[d].least;
  const bool same = !job_.mixed() || (job_.bs[1].least == bs && job_.bs[1].fixed() && job_.fsync == 0);
  if (job_.time_based || files_.size() != 1 || !job_.bs[d].fixed() || !same || job_.bs_is_seq_rand || job_.loops != 1 ||
      job_.number_ios != 0 || job_.rw.step != 0 || job_.rw.trim_then_write || job_.fdatasync != 0 || job_.end_fsync ||
      job_.num_range != 1 || job_.sprandom.on || strided() || job_.zbd.on ||
      job_.distribution.kind == FioDistribution::Kind::ZonedAbsolute)
    return 0;
  const std::uint64_t pass = size_ / bs * bs;
  const bool goes_on = job_.rw.random ? job_.rw.writes && job_.norandommap : job_.mixed();  // io_size fits in one pass
  const std::uint64_t whole = io_size_ == 0 ? pass : goes_on ? 0 : io_size_ / pass * pass;
  const std::uint64_t rest = io_size_ == 0 ? 0 : io_size_ - whole;
  const std::uint64_t requests = whole / bs + (rest >= bs || whole == 0 ? (rest + bs - 1) / bs : 0);
  if (!job_.rw.writes || job_.fsync == 0) return requests;
  return requests + (requests * bs >= limit() ? requests - 1 : requests) / job_.fsync;
}

std::vector<std::unique_ptr<FioSource>> open_fio_jobs(const std::vector<FioJob>& jobs, const DeviceSpace& device,
                                                      std::uint64_t seed) {
  const std::vector<std::vector<FioFile>> files = lay_out_fio_files(jobs, device, seed);
  std::vector<std::unique_ptr<FioSource>> sources;
  FioZoneTables zones;
  FioInstance instance;
  std::uint32_t in_group = 0;
  for (const FioJob& job : jobs) {
    if ((job.stonewall || job.new_group) && in_group != 0) {
      ++instance.group;
      in_group = 0;
    }
    for (instance.copy = 0; instance.copy < job.numjobs; ++instance.copy) {
      instance.number = static_cast<std::uint32_t>(sources.size());
      instance.first_of_job = instance.copy == 0;
      sources.push_back(std::make_unique<FioSource>(job, files[sources.size()], device, seed, instance, zones));
      ++in_group;
    }
  }
  return sources;
}

}  // namespace flashloom

#include "workloads/fio/fio_verified_source.hpp"

namespace flashloom {

bool FioVerifiedSource::next(Request& request) {
  if (!reading_ && source_->next(request)) {
    stream_ = request.stream;
    if (request.kind == RequestKind::Write) {
      contents_.note(request.offset, request.length);
      wrote_ = true;
    }
    if (request.kind == RequestKind::Read) ++reads_;
    return true;
  }
  const FioVerify& verify = contents_.verify();
  if (!wrote_ || !verify.read_back || verify.kind == FioVerify::Kind::Null) return false;
  if (verify.fatal && contents_.wrong() != 0) return false;
  pace_ = Pace{};
  pace_.drain = !std::exchange(reading_, true);  // the first read waits until all writes have completed
  const auto written = contents_.written_from(from_);
  if (!written) return false;
  request = Request{};
  request.offset = written->first;
  request.length = written->second;
  request.stream = stream_;
  from_ = written->first + written->second;
  return true;
}

}  // namespace flashloom

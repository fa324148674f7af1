#include "sc_main/attach/nbd/nbd_front.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace flashloom {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;    // longest command: a usual transfer limit of drives
constexpr std::uint64_t kZeroesBytes = std::uint64_t{32} << 20;  // longest Write Zeroes: it has a 16-bit block count
constexpr std::size_t kInputBytes = std::size_t{4} << 20;
constexpr std::int64_t kPatience = 5'000'000'000;  // ns; time for the plug-in to read the last answers

std::uint32_t error_of(IoStatus status) {
  switch (status) {
    case IoStatus::Ok:
      return 0;
    case IoStatus::WriteProtected:
      return EROFS;
    default:
      return EIO;
  }
}

}  // namespace

/// One command of a request; long requests are split into several commands.
struct NbdFront::Piece final : FrontCommand {
  NbdFront* front = nullptr;
  Request* work = nullptr;
  void completed() override { front->completed(*work, status); }
};

struct NbdFront::Request {
  NbdRequest request;
  std::vector<std::byte> bytes;
  std::vector<std::unique_ptr<Piece>> pieces;
  std::size_t left = 0;   // pieces in flight
  bool to_flush = false;  // flush after the pieces
  IoStatus status = IoStatus::Ok;
};

NbdFront::NbdFront(const Shape& shape, HostDriver& host, std::uint32_t job, NbdJournal* journal,
                   std::optional<WallPace> pace)
    : ServedFront(shape.gather_ns, pace),
      shape_(shape),
      host_(host),
      job_(job),
      journal_(journal),
      input_(kInputBytes) {}

NbdFront::~NbdFront() = default;

void NbdFront::start(int channel, std::vector<int> interrupts, std::function<bool(int)> interrupted) {
  channel_ = channel;
  open_ = true;
  listen(std::move(interrupts), std::move(interrupted));
}

void NbdFront::finish() {
  const std::int64_t patience = wall_now() + kPatience;
  while (open_ && sent_ < output_.size() && wall_now() < patience) wait(patience);
  ::shutdown(channel_, SHUT_RDWR);
  host_.end_front(job_);
}

pollfd NbdFront::channel() const {
  return {channel_, static_cast<short>(sent_ < output_.size() ? POLLIN | POLLOUT : POLLIN), 0};
}

NbdFront::Heard NbdFront::heard(short events) {
  if ((events & POLLOUT) != 0) write_out();
  return (events & ~POLLOUT) != 0 ? Heard::Input : Heard::Nothing;
}

// Receives available bytes; false: there are none.
bool NbdFront::receive() {
  if (!open_ || closing()) return false;
  if (taken_ == filled_) taken_ = filled_ = 0;
  const ssize_t n = ::recv(channel_, input_.data() + filled_, input_.size() - filled_, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) {  // nbdkit has ended
    open_ = false;
    return false;
  }
  filled_ += static_cast<std::size_t>(n);
  while (take_message()) {
  }
  return true;
}

// Takes the next message from the input; false: it is still incomplete.
bool NbdFront::take_message() {
  NbdRequest request;
  if (filled_ - taken_ < sizeof request) {
    std::memmove(input_.data(), input_.data() + taken_, filled_ - taken_);
    filled_ -= std::exchange(taken_, 0);
    return false;
  }
  std::memcpy(&request, input_.data() + taken_, sizeof request);
  const std::size_t bytes = request.operation == NbdOperation::Write ? request.length : 0;
  if (bytes > kNbdLongest) throw std::runtime_error("nbdkit's plug-in is of another version of flashloom");
  const std::size_t whole = sizeof request + bytes;
  if (filled_ - taken_ < whole) {
    std::memmove(input_.data(), input_.data() + taken_, filled_ - taken_);
    filled_ -= std::exchange(taken_, 0);
    if (input_.size() < whole) input_.resize(whole);
    return false;
  }
  begin(request);
  taken_ += whole;
  return true;
}

NbdFront::Request& NbdFront::take_request() {
  if (free_requests_.empty()) {
    requests_.push_back(std::make_unique<Request>());
    free_requests_.push_back(requests_.back().get());
  }
  Request& work = *free_requests_.back();
  free_requests_.pop_back();
  return work;
}

// Begins a request; its data, if any, is at `taken_` in the input.
void NbdFront::begin(const NbdRequest& request) {
  ++figures_.requests;
  const bool moves = request.operation == NbdOperation::Read || request.operation == NbdOperation::Write;
  if (request.operation != NbdOperation::Flush &&
      (request.offset % shape_.sector_bytes != 0 || request.length % shape_.sector_bytes != 0 || request.length == 0 ||
       request.offset > shape_.capacity_bytes || request.length > shape_.capacity_bytes - request.offset)) {
    ++figures_.refused;
    return reply(request, EINVAL, nullptr);
  }
  Request& work = take_request();
  work.request = request;
  work.status = IoStatus::Ok;
  if (moves && work.bytes.size() < request.length) work.bytes.resize(request.length);
  if (request.operation == NbdOperation::Write)
    std::copy_n(input_.data() + taken_ + sizeof request, request.length, work.bytes.data());
  ++in_flight_;
  figures_.most_in_flight = std::max(figures_.most_in_flight, in_flight_);
  work.to_flush =
      request.fua != 0 && (request.operation == NbdOperation::Trim || request.operation == NbdOperation::Zeroes);
  constexpr IoOperation kOperations[] = {IoOperation::Read, IoOperation::Write, IoOperation::Flush, IoOperation::Trim,
                                         IoOperation::WriteZeroes};
  const IoOperation operation = kOperations[static_cast<std::size_t>(request.operation)];
  const std::uint64_t each = moves                                       ? kPieceBytes
                             : request.operation == NbdOperation::Zeroes ? kZeroesBytes
                                                                         : std::max(kPieceBytes, request.length);
  work.left = request.length == 0 ? 1 : (request.length + each - 1) / each;
  while (work.pieces.size() < work.left) {
    work.pieces.push_back(std::make_unique<Piece>());
    work.pieces.back()->front = this;
    work.pieces.back()->work = &work;
  }
  const std::size_t pieces = work.left;
  for (std::size_t i = 0; i < pieces; ++i) {
    Piece& piece = *work.pieces[i];
    const std::uint64_t at = i * each;
    piece.data = moves ? work.bytes.data() + at : nullptr;
    piece.fua = request.fua != 0 && request.operation == NbdOperation::Write;
    submit(piece, operation, request.offset + at, std::min(each, request.length - at));
  }
}

void NbdFront::submit(Piece& piece, IoOperation operation, std::uint64_t offset, std::uint64_t length) {
  piece.operation = operation;
  piece.offset = operation == IoOperation::Flush ? 0 : offset;
  piece.length = operation == IoOperation::Flush ? 0 : length;
  piece.queue = static_cast<std::uint16_t>(queue_);
  queue_ = queue_ + 1 == shape_.queues ? 0 : queue_ + 1;
  host_.submit(job_, piece);
}

void NbdFront::completed(Request& work, IoStatus status) {
  if (status != IoStatus::Ok && work.status == IoStatus::Ok) work.status = status;
  if (--work.left != 0) return;
  if (std::exchange(work.to_flush, false) && work.status == IoStatus::Ok) {
    work.left = 1;
    Piece& piece = *work.pieces.front();
    piece.data = nullptr;
    piece.fua = false;
    return submit(piece, IoOperation::Flush, 0, 0);
  }
  done_.push_back(&work);
  complete();
}

// Answers completed requests; changes are written to the journal before they are acknowledged.
void NbdFront::answer() {
  bool on_disk = false;
  for (const Request* const work : done_) {
    const NbdRequest& request = work->request;
    const bool changes = request.operation != NbdOperation::Read && request.operation != NbdOperation::Flush;
    if (journal_ == nullptr || work->status != IoStatus::Ok) continue;
    if (changes)
      journal_->append({.operation = request.operation,
                        .offset = request.offset,
                        .length = request.length,
                        .bytes = work->bytes.data()});
    on_disk = on_disk || request.operation == NbdOperation::Flush || request.fua != 0 || (changes && shape_.sync);
  }
  if (on_disk) journal_->sync();
  for (Request* const work : done_) {
    const bool data = work->request.operation == NbdOperation::Read && work->status == IoStatus::Ok;
    answered();
    reply(work->request, error_of(work->status), data ? work->bytes.data() : nullptr);
    --in_flight_;
    free_requests_.push_back(work);
  }
  done_.clear();
  write_out();
}

void NbdFront::reply(const NbdRequest& request, std::uint32_t error, const std::byte* bytes) {
  const NbdReply head{.number = request.number, .error = error, .reserved = 0};
  const auto* const from = reinterpret_cast<const std::byte*>(&head);
  output_.insert(output_.end(), from, from + sizeof head);
  if (bytes != nullptr) output_.insert(output_.end(), bytes, bytes + request.length);
}

// Sends as much as the plug-in takes without blocking: if both sides blocked in sending, they would deadlock.
void NbdFront::write_out() {
  while (sent_ < output_.size() && open_) {
    const ssize_t n = ::send(channel_, output_.data() + sent_, output_.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n <= 0) break;  // the plug-in is gone: receive() handles that
    sent_ += static_cast<std::size_t>(n);
  }
  output_.clear();
  sent_ = 0;
}

}  // namespace flashloom

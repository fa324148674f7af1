// The nbdkit plug-in of `flashloom nbd`: sends each request to the simulation, which is another process, and blocks
// nbdkit's thread until the answer comes.
#define NBDKIT_API_VERSION 2
#include <nbdkit-plugin.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

#include "sc_main/attach/nbd/nbd_messages.hpp"

#define THREAD_MODEL NBDKIT_THREAD_MODEL_PARALLEL

namespace flashloom {
namespace {

bool read_all(void* into, std::size_t bytes) {
  for (auto* to = static_cast<char*>(into); bytes != 0;) {
    const ssize_t n = ::read(kNbdChannelDescriptor, to, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

bool send_all(iovec* parts, std::size_t count) {
  while (count != 0) {
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = count;
    const ssize_t sent = ::sendmsg(kNbdChannelDescriptor, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    auto left = static_cast<std::size_t>(sent);
    while (count != 0 && left >= parts->iov_len) {
      left -= parts->iov_len;
      ++parts;
      --count;
    }
    if (count == 0) break;
    parts->iov_base = static_cast<char*>(parts->iov_base) + left;
    parts->iov_len -= left;
  }
  return true;
}

/// The connection to the simulation, used by all threads of nbdkit.
class Drive {
 public:
  std::uint64_t size = 0;          // bytes
  std::uint32_t sector = 512;      // bytes
  std::uint32_t preferred = 4096;  // bytes

  void begin() {
    std::thread([this] { listen(); }).detach();
  }

  /// Sends a request and waits for its answer. Returns 0, or -1 with nbdkit's error set, as callbacks must.
  int ask(NbdRequest request, void* into, const void* data) {
    Wait wait;
    wait.into = into;
    wait.bytes = request.length;
    {
      const std::lock_guard lock(mutex_);
      if (gone_) return fail(ESHUTDOWN);
      request.number = ++numbers_;
      waits_.emplace(request.number, &wait);
    }
    {
      const std::lock_guard lock(sending_);
      iovec parts[] = {{&request, sizeof request},
                       {const_cast<void*>(data), data == nullptr ? 0 : static_cast<std::size_t>(request.length)}};
      send_all(parts, 2);  // if this fails, the connection is closed, and listen() sets `gone_`
    }
    std::unique_lock lock(mutex_);
    wait.answered.wait(lock, [&] { return wait.done || gone_; });
    waits_.erase(request.number);
    const int error = wait.done ? static_cast<int>(wait.error) : ESHUTDOWN;
    return error == 0 ? 0 : fail(error);
  }

 private:
  struct Wait {
    std::condition_variable answered;
    void* into = nullptr;
    std::uint64_t bytes = 0;
    std::uint32_t error = 0;
    bool done = false;
  };

  static int fail(int error) {
    nbdkit_set_error(error);
    return -1;
  }

  void listen() {
    NbdReply reply;
    while (read_all(&reply, sizeof reply)) {
      std::unique_lock lock(mutex_);
      const auto found = waits_.find(reply.number);
      if (found == waits_.end()) break;  // an answer without a request: a broken connection
      Wait& wait = *found->second;
      lock.unlock();  // `wait` stays valid: its thread waits until `done`
      if (reply.error == 0 && wait.into != nullptr && !read_all(wait.into, wait.bytes)) break;
      lock.lock();
      wait.error = reply.error;
      wait.done = true;
      wait.answered.notify_one();
    }
    {
      const std::lock_guard lock(mutex_);
      gone_ = true;
      for (const auto& [number, wait] : waits_) wait->answered.notify_one();
    }
    // nbdkit would wait for its clients to disconnect. This gives it 200 ms to send the last answers, then ends the
    // process.
    nbdkit_shutdown();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::_Exit(0);
  }

  std::mutex sending_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Wait*> waits_;
  std::uint64_t numbers_ = 0;
  bool gone_ = false;
};

Drive& drive() {
  static Drive& only = *new Drive;  // never deleted, since its thread may outlive main()
  return only;
}

int config(const char* key, const char* value) {
  const std::string name = key;
  const std::uint64_t number = std::strtoull(value, nullptr, 10);
  if (name == "size")
    drive().size = number;
  else if (name == "sector")
    drive().sector = static_cast<std::uint32_t>(number);
  else if (name == "preferred")
    drive().preferred = static_cast<std::uint32_t>(number);
  else {
    nbdkit_error("unknown parameter '%s'; `flashloom nbd` starts this plug-in", key);
    return -1;
  }
  return 0;
}

int config_complete() {
  if (drive().size != 0) return 0;
  nbdkit_error("`flashloom nbd` starts this plug-in");
  return -1;
}

int after_fork() {
  drive().begin();
  return 0;
}

void* open(int) { return NBDKIT_HANDLE_NOT_NEEDED; }
std::int64_t get_size(void*) { return static_cast<std::int64_t>(drive().size); }
int yes(void*) { return 1; }
int native_fua(void*) { return NBDKIT_FUA_NATIVE; }
int cache_by_reading(void*) { return NBDKIT_CACHE_EMULATE; }

int block_size(void*, std::uint32_t* minimum, std::uint32_t* preferred, std::uint32_t* maximum) {
  *minimum = drive().sector;
  *preferred = drive().preferred;
  *maximum = kNbdLongest;
  return 0;
}

int send(NbdOperation operation, std::uint64_t count, std::uint64_t offset, std::uint32_t flags, void* into,
         const void* data) {
  return drive().ask(
      {.offset = offset, .length = count, .operation = operation, .fua = (flags & NBDKIT_FLAG_FUA) != 0 ? 1U : 0U},
      into, data);
}

int pread(void*, void* into, std::uint32_t count, std::uint64_t offset, std::uint32_t flags) {
  return send(NbdOperation::Read, count, offset, flags, into, nullptr);
}
int pwrite(void*, const void* data, std::uint32_t count, std::uint64_t offset, std::uint32_t flags) {
  return send(NbdOperation::Write, count, offset, flags, nullptr, data);
}
int flush(void*, std::uint32_t flags) { return send(NbdOperation::Flush, 0, 0, flags, nullptr, nullptr); }
int trim(void*, std::uint32_t count, std::uint64_t offset, std::uint32_t flags) {
  return send(NbdOperation::Trim, count, offset, flags, nullptr, nullptr);
}
int zero(void*, std::uint32_t count, std::uint64_t offset, std::uint32_t flags) {
  return send(NbdOperation::Zeroes, count, offset, flags, nullptr, nullptr);
}

nbdkit_plugin plugin = [] {
  nbdkit_plugin made{};
  made.name = "flashloom";
  made.longname = "a modelled drive";
  made.config = &config;
  made.config_complete = &config_complete;
  made.after_fork = &after_fork;
  made.open = &open;
  made.get_size = &get_size;
  made.block_size = &block_size;
  made.can_write = &yes;
  made.can_flush = &yes;
  made.can_trim = &yes;
  made.can_zero = &yes;
  made.can_fast_zero = &yes;
  made.can_multi_conn = &yes;
  made.can_fua = &native_fua;
  made.can_cache = &cache_by_reading;
  made.pread = &pread;
  made.pwrite = &pwrite;
  made.flush = &flush;
  made.trim = &trim;
  made.zero = &zero;
  return made;
}();

}  // namespace
}  // namespace flashloom

NBDKIT_REGISTER_PLUGIN(flashloom::plugin)

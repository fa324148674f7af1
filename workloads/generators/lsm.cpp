// lsm: the requests of a log-structured merge tree: RocksDB with leveled compaction and its defaults
// (include/rocksdb/options.h and advanced_options.h of RocksDB 9; lsm_tree.hpp chooses the compactions).
//
// * Updates go to the write-ahead log (in writes of `wal_write`) and to the memtable. A full memtable is flushed to a
//   file of L0 while the next one fills; when that is full too, updates wait (max_write_buffer_number = 2).
// * One compaction at a time reads its inputs and writes its outputs. Requests of updates and of background work
//   alternate; while L0 has level0_slowdown_writes_trigger files or more, updates wait.
// * Each written file is synced (a flush). Obsolete files are trimmed; on a zoned device, where a file has its own
//   zones, these are reset.
// * Writes carry RocksDB's write lifetimes (ColumnFamilyData::CalculateSSTWriteHint, CalculateWALWriteHint): short for
//   the log, medium for L0 and the base level, long for the next level, extreme for the levels below.
//
// Not as in RocksDB: all entries have one size; files have no index, filter and footer; nothing is compressed; a
// bulk load fills the tree. A get reads one entry's blocks, as if filters never erred and the index were in memory.
#include <deque>
#include <optional>
#include <unordered_set>

#include "workloads/distributions.hpp"
#include "workloads/generators/file_requests.hpp"
#include "workloads/generators/generator.hpp"
#include "workloads/generators/lsm_tree.hpp"
#include "workloads/generators/operation_source.hpp"
#include "workloads/generators/placement_mark.hpp"
#include "workloads/generators/slots.hpp"
#include "workloads/permutation.hpp"
#include "workloads/size_text.hpp"

namespace flashloom::generator::lsm {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kBlock = 4096;  // file system block: writes are whole blocks
constexpr std::uint64_t kMostKeys = 1U << 27U;
constexpr std::uint64_t kAutoShare = 1024;  // scale = 0: least number of write buffers that the region holds

/// Env::WriteLifeTimeHint from WLTH_SHORT on. As streams they are 1 to 4, as Linux passed hints to devices.
enum WriteLifetime : std::uint16_t { Short, Medium, Long, Extreme };

std::vector<GeneratorParameter> parameters() {
  using enum GeneratorUnit;
  const auto count = [](const char* name, std::int64_t value, double minimum, double maximum, const char* help) {
    return GeneratorParameter{
        .name = name, .default_value = value, .minimum = minimum, .maximum = maximum, .help = help};
  };
  return with(
      {bytes_parameter("entry", 1024, 1, "a key with its value"),
       {.name = "fill",
        .default_value = 0.5,
        .unit = Ratio,
        .minimum = 0.001,
        .maximum = 0.95,
        .help = "share of the region that the data take, each key once"},
       count("keys", 0, 0, kMostKeys, "different keys; 0: as fill says"),
       {.name = "load",
        .default_value = std::string("bulk"),
        .choices = {"bulk", "random", "none"},
        .help = "all keys once beforehand: written to the level that has room, or as updates in random order"},
       {.name = "distribution",
        .default_value = std::string("uniform"),
        .choices = {"uniform", "zipf"},
        .help = "which key is updated or read"},
       {.name = "theta", .default_value = 0.99, .minimum = 0, .maximum = 20, .help = "zipf: skew"},
       {.name = "read",
        .default_value = 0.0,
        .unit = Ratio,
        .minimum = 0,
        .maximum = 0.99,
        .help = "share of the operations that read a key; the others update one"},
       {.name = "wal", .default_value = true, .help = "updates are logged first"},
       {.name = "wal_sync", .default_value = false, .help = "writes of the log are durable when complete (FUA)"},
       bytes_parameter("wal_write", 64 << 10, 512,
                       "one write of the log, of so many updates as it holds; a file at most"),
       count(
           "scale", 0, 0, 1 << 20,
           "the sizes of write buffer, level base and file are divided by it; 0: so that the region has room for 1024 "
           "write buffers"),
       bytes_parameter("write_buffer_size", 64 * kMiB, 4096, "a memtable"),
       count("level0_file_num_compaction_trigger", 4, 1, 1000, "files in L0 that begin a compaction"),
       count("level0_slowdown_writes_trigger", 20, 1, 1000, "files in L0 with which updates wait for compactions"),
       bytes_parameter("max_bytes_for_level_base", 256 * kMiB, 4096, "target of the first level below L0"),
       {.name = "max_bytes_for_level_multiplier",
        .default_value = 10.0,
        .minimum = 2,
        .maximum = 1000,
        .help = "a level's target over that of the one above"},
       bytes_parameter("target_file_size_base", 64 * kMiB, 4096,
                       "a file of a level below L0; on zones a zone at least"),
       count("num_levels", 7, 2, 20, "levels, with L0"),
       {.name = "level_compaction_dynamic_level_bytes",
        .default_value = true,
        .help = "targets follow from the size of the last level (the default since RocksDB 8.4)"},
       {.name = "background",
        .default_value = 32.0,
        .minimum = 1,
        .maximum = 10000,
        .help =
            "bytes that flushes and compactions move for each byte of updates, while there is something to do: with "
            "few of them L0 grows"},
       bytes_parameter("write_size", kMiB, 4096, "one write of a flush or compaction (writable_file_max_buffer_size)"),
       bytes_parameter("read_size", 2 * kMiB, 4096, "one read of a compaction (compaction_readahead_size)"),
       {.name = "sync", .default_value = true, .help = "a flush when a file is written (fsync)"},
       PlacementMark::parameter()},
      RequestBudget::parameters());
}

std::uint64_t scale_of(const GeneratorValues& values, const GeneratorContext& context) {
  if (values.count("scale") != 0) return values.count("scale");
  std::uint64_t scale = 1;
  while (values.count("write_buffer_size") / scale > context.space.capacity / kAutoShare) scale *= 2;
  return scale;
}

std::uint64_t scaled(const GeneratorValues& values, const GeneratorContext& context, const char* name) {
  return std::max(round_up(values.count(name) / scale_of(values, context), kBlock), kBlock);
}

LsmShape shape_of(const GeneratorValues& values, const GeneratorContext& context) {
  LsmShape shape;
  shape.entry = values.count("entry");
  shape.levels = static_cast<std::uint32_t>(values.count("num_levels"));
  shape.l0_trigger = static_cast<std::uint32_t>(values.count("level0_file_num_compaction_trigger"));
  shape.level_base = scaled(values, context, "max_bytes_for_level_base");
  shape.multiplier = values.real("max_bytes_for_level_multiplier");
  // A file has zones of its own: smaller ones would outgrow the region.
  shape.target_file =
      std::max(scaled(values, context, "target_file_size_base"), context.space.zones.capacity / kBlock * kBlock);
  shape.dynamic = values.flag("level_compaction_dynamic_level_bytes");
  return shape;
}

std::uint64_t keys_of(const GeneratorValues& values, const GeneratorContext& context) {
  const auto room = static_cast<double>(context.space.capacity) * values.real("fill");
  const std::uint64_t keys =
      values.count("keys") != 0 ? values.count("keys") : static_cast<std::uint64_t>(room) / values.count("entry");
  if (keys > kMostKeys)
    throw GeneratorError("entry", std::to_string(keys) + " keys are more than the " + std::to_string(kMostKeys) +
                                      " that are kept in memory; take larger entries, or fewer keys");
  if (keys == 0) throw GeneratorError("fill", "leaves no key");
  return keys;
}

/// Requests of a flush, a load or a compaction. After the first `install_at` requests its files become part of the
/// tree; the other requests free space.
struct Job {
  std::vector<Request> requests;
  std::size_t at = 0;
  std::size_t install_at = 0;
  LsmFiles flushed;  // of a flush; empty for a load, whose files are in the tree already
  std::optional<LsmCompaction> compaction;
};

class LsmSource final : public RequestSource {
 public:
  LsmSource(const GeneratorValues& values, const GeneratorContext& context)
      : budget_(values, context),
        mark_(values, context),
        shape_(shape_of(values, context)),
        tree_(shape_),
        keys_(keys_of(values, context)),
        buffer_(std::max<std::uint64_t>(scaled(values, context, "write_buffer_size") / shape_.entry, 1)),
        random_(derived_seed(context.seed, 0)),
        scatter_(keys_, derived_seed(context.seed, 1)),
        rank_(keys_, values.real("theta")),
        zipf_(values.text("distribution") == "zipf"),
        read_(values.real("read")),
        background_(values.real("background")),
        wal_(values.flag("wal")),
        wal_sync_(values.flag("wal_sync")),
        sync_(values.flag("sync")),
        slowdown_(values.count("level0_slowdown_writes_trigger")),
        write_size_(values.count("write_size")),
        read_size_(values.count("read_size")),
        slots_(slots_over(context.space, round_up(shape_.target_file, kBlock))),
        room_(context.space.capacity / slots_.stride) {
    check_whole_pages(values, {"write_size", "read_size"});
    if (shape_.entry > slots_.capacity)
      throw GeneratorError("entry",
                           "exceeds a file, " + size_text(slots_.capacity) + ": say target_file_size_base or scale");
    batch_ = std::max<std::uint64_t>(std::min(values.count("wal_write"), slots_.capacity) / shape_.entry, 1);
    if (keys_ * shape_.entry + 2 * shape_.target_file > context.space.capacity)
      throw GeneratorError("fill", "the data, " + std::to_string(keys_ * shape_.entry) + " bytes, leave no room");
    // Zones written at a time: a file each of a flush and of a compaction, the log, and the log that the flush frees.
    const std::uint32_t written = wal_ ? 4 : 2;
    if (const std::uint32_t active = context.space.zones.max_active; slots_.zones && active != 0 && active < written)
      throw GeneratorError("wal", "writes " + std::to_string(written) +
                                      " zones at a time, and the device has no more than " + std::to_string(active) +
                                      " active");
    if (slowdown_ < shape_.l0_trigger)
      throw GeneratorError("level0_slowdown_writes_trigger", "is below level0_file_num_compaction_trigger");
    if (values.text("load") == "bulk") flush_ = load();
    to_load_ = values.text("load") == "random" ? keys_ : 0;
  }

  bool next(Request& request) override {
    if (budget_.spent()) return false;
    while (!step(request)) {
    }
    budget_.count(request);
    return true;
  }
  std::uint64_t expected_requests() const override { return budget_.expected(0); }
  bool knows_zones() const override { return slots_.zones; }

 private:
  // Gives out the next request of updates or of background work, which moves `background_` bytes per byte of updates
  // while it has work. False: no request yet, call again.
  bool step(Request& request) {
    if (full() && !flush_) rotate();
    const bool waits = loading_ || tree_.level(0).size() >= slowdown_ || (full() && flush_);
    if (!waits && due_ <= 0) return operate(request);
    if (background(request)) {
      if (moves_data(request)) due_ -= static_cast<double>(request.length);
      return true;
    }
    due_ = 0;
    return false;
  }

  static bool moves_data(const Request& request) {
    return request.kind == RequestKind::Read || request.kind == RequestKind::Write;
  }

  bool full() const { return memtable_.size() >= buffer_; }

  // Gets a key, or makes updates until a write of the log is due. False: no request, and the memtable is full.
  bool operate(Request& request) {
    while (!full()) {
      if (to_load_ == 0 && read_ > 0 && random_.chance(read_)) {
        if (get(draw(), request)) return true;
        continue;
      }
      put(to_load_ != 0 ? static_cast<LsmKey>(scatter_(keys_ - to_load_--)) : draw());
      if (!wal_ || (memtable_.size() - logged_ < batch_ && !full())) continue;
      log(request);
      return true;
    }
    return false;
  }

  LsmKey draw() { return static_cast<LsmKey>(zipf_ ? scatter_(rank_(random_) - 1) : random_.below(keys_)); }

  void put(LsmKey key) {
    memtable_.push_back(key);
    due_ += background_ * static_cast<double>(shape_.entry);
    if (read_ > 0) recent_.insert(key);
  }

  // Writes the updates since the last write of the log.
  void log(Request& request) {
    const std::uint64_t bytes = (memtable_.size() - logged_) * shape_.entry;
    logged_ = memtable_.size();
    const std::uint64_t length = round_up(bytes, kBlock);
    const std::uint64_t left = log_slots_.size() * slots_.capacity - log_at_;
    if (left < length) {
      log_at_ = log_slots_.size() * slots_.capacity;
      log_slots_.push_back(room_.take(1, "lsm").front());
    }
    request = Request{};
    request.kind = RequestKind::Write;
    request.offset = log_slots_.back() * slots_.stride + log_at_ % slots_.capacity;
    request.length = length;
    request.fua = wal_sync_;
    request.application_bytes = static_cast<std::uint32_t>(bytes);
    mark_(request, Short);
    log_at_ += length;
  }

  bool get(LsmKey key, Request& request) {
    if (recent_.contains(key) || immutable_.contains(key)) return false;
    std::uint64_t index = 0;
    const LsmFile* const file = tree_.find(key, index);
    if (file == nullptr) return false;
    const std::uint64_t from = index * shape_.entry / kBlock * kBlock;
    const std::uint64_t to = std::min(round_up((index + 1) * shape_.entry, kBlock), padded(*file));
    bool first = true;  // of an entry that spans two slots, only the part in the first slot is read
    for_each_piece(slots_, file->slots, RequestKind::Read, from, to, to - from, [&](const Request& piece) {
      if (std::exchange(first, false)) request = piece;
    });
    return true;
  }

  std::uint64_t padded(const LsmFile& file) const { return round_up(tree_.bytes(file), kBlock); }

  // Begins to flush the full memtable; the next one fills meanwhile.
  void rotate() {
    const std::uint64_t updates = memtable_.size();
    std::sort(memtable_.begin(), memtable_.end());
    memtable_.erase(std::unique(memtable_.begin(), memtable_.end()), memtable_.end());
    auto file = std::make_shared<LsmFile>();
    file->keys = std::exchange(memtable_, {});
    logged_ = 0;
    immutable_ = std::exchange(recent_, {});
    Job& job = flush_.emplace();
    write(job, *file, Medium);
    if (!wal_) share_application_bytes(job.requests, updates * shape_.entry);
    job.install_at = job.requests.size();
    job.flushed = {std::move(file)};
    free(job, log_slots_);
    log_slots_.clear();
    log_at_ = 0;
  }

  Job load() {
    Job job;
    loading_ = true;
    for (const auto& file : tree_.bulk_load(keys_)) {
      Job one;
      write(one, *file, lifetime(file->level));
      share_application_bytes(one.requests, tree_.bytes(*file));
      job.requests.insert(job.requests.end(), one.requests.begin(), one.requests.end());
    }
    job.install_at = job.requests.size();
    return job;
  }

  // As ColumnFamilyData::CalculateSSTWriteHint.
  WriteLifetime lifetime(std::uint32_t level) const {
    const std::uint32_t base = tree_.base_level();
    if (level <= base) return Medium;
    return level - base >= 2 ? Extreme : Long;
  }

  void write(Job& job, LsmFile& file, WriteLifetime lifetime) {
    const std::uint64_t bytes = padded(file);
    file.slots = room_.take(slots_.count(bytes), "lsm");
    for_each_piece(slots_, file.slots, RequestKind::Write, 0, bytes, write_size_, [&](Request& request) {
      mark_(request, lifetime);
      job.requests.push_back(request);
    });
    if (Request end; finishes(slots_, file.slots, bytes, end)) job.requests.push_back(end);
    if (!sync_) return;
    job.requests.emplace_back().kind = RequestKind::Flush;
  }

  void free(Job& job, const std::vector<std::uint64_t>& slots) {
    for (const std::uint64_t slot : slots) {
      job.requests.push_back(freed(slots_, slot));
    }
  }

  // Gives out the next request of the flush, else of the compaction; false: there is no background work.
  bool background(Request& request) {
    if (!flush_ && !compaction_) begin_compaction();
    if (!flush_ && !compaction_) return false;
    std::optional<Job>& job = flush_ ? flush_ : compaction_;
    request = job->requests[job->at++];
    if (request.kind == RequestKind::Trim || request.kind == RequestKind::ZoneReset)
      room_.give_back(request.offset / slots_.stride);
    if (job->at == job->install_at) install(*job);
    if (job->at == job->requests.size()) job.reset();
    return true;
  }

  void install(Job& job) {
    if (job.compaction) {
      tree_.install(*job.compaction);
    } else {
      loading_ = false;
      for (auto& file : job.flushed) tree_.add_flushed(std::move(file));
      immutable_.clear();
    }
  }

  // Carries out trivial moves, which need no I/O, at once.
  void begin_compaction() {
    for (;;) {
      std::optional<LsmCompaction> picked = tree_.pick();
      if (!picked) return;
      if (!picked->moves) {
        plan(std::move(*picked));
        return;
      }
      tree_.install(*picked);
    }
  }

  // Interleaves reads and writes in proportion to their numbers.
  void plan(LsmCompaction picked) {
    Job reads;
    for (const LsmFiles* const files : {&picked.upper, &picked.lower})
      for (const auto& file : *files)
        for_each_piece(slots_, file->slots, RequestKind::Read, 0, padded(*file), read_size_,
                       [&](const Request& request) { reads.requests.push_back(request); });
    Job writes;
    for (const auto& file : picked.outputs) write(writes, *file, lifetime(picked.to));
    Job& job = compaction_.emplace();
    const std::size_t in = reads.requests.size();
    const std::size_t out = writes.requests.size();
    while (reads.at < in || writes.at < out) {
      Job& next = reads.at < in && reads.at * out <= writes.at * in ? reads : writes.at < out ? writes : reads;
      job.requests.push_back(next.requests[next.at++]);
    }
    job.install_at = job.requests.size();
    for (const LsmFiles* const files : {&picked.upper, &picked.lower})
      for (const auto& file : *files) free(job, file->slots);
    job.compaction = std::move(picked);
  }

  RequestBudget budget_;
  PlacementMark mark_;
  LsmShape shape_;
  LsmTree tree_;
  std::uint64_t keys_;
  std::uint64_t buffer_;  // entries of a memtable
  Random random_;
  RandomPermutation scatter_;
  ZipfRank rank_;
  bool zipf_;
  double read_;
  double background_;
  bool wal_;
  bool wal_sync_;
  bool sync_;
  std::uint64_t slowdown_;
  std::uint64_t write_size_;
  std::uint64_t read_size_;
  SlotShape slots_;
  Slots room_;
  std::uint64_t batch_ = 1;  // updates per write of the log
  std::uint64_t to_load_ = 0;
  bool loading_ = false;
  std::vector<LsmKey> memtable_;
  std::uint64_t logged_ = 0;              // updates of the memtable that are in the log
  std::unordered_set<LsmKey> recent_;     // keys of the memtable, if keys are read
  std::unordered_set<LsmKey> immutable_;  // keys of the memtable that is being flushed
  std::vector<std::uint64_t> log_slots_;
  std::uint64_t log_at_ = 0;
  std::optional<Job> flush_;
  std::optional<Job> compaction_;
  double due_ = 0;  // bytes that background work must move before the next update
};

GeneratedWorkload make(const GeneratorValues& values, const GeneratorContext& context) {
  return {.source = std::make_unique<LsmSource>(values, context), .accounts = true};
}

const GeneratorRegistration registration{
    {.name = "lsm",
     .summary = "a log-structured merge tree: log, flushes, compactions, lifetimes",
     .source = "RocksDB 9, leveled compaction with its defaults",
     .parameters = parameters(),
     .make = &make}};

}  // namespace
}  // namespace flashloom::generator::lsm

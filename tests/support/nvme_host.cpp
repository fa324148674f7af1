#include "tests/support/nvme_host.hpp"

#include <algorithm>
#include <utility>

namespace flashloom {

StoringMemory::StoringMemory(const sc_core::sc_module_name& name, std::size_t bytes, Picoseconds latency)
    : sc_module(name), socket("socket"), bytes_(bytes), latency_(latency), timers_("timers") {
  socket.bind(*this);
}

void StoringMemory::access(tlm::tlm_generic_payload& payload) {
  ++accesses;
  const std::uint64_t address = payload.get_address();
  const std::uint32_t bytes = payload.get_data_length();
  auto* const data = reinterpret_cast<std::byte*>(payload.get_data_ptr());
  if (payload.is_write() && address >= kMessages && address < kMessages + 4096 && bytes == 4) {
    std::uint32_t message = 0;
    std::memcpy(&message, data, sizeof message);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (on_message) on_message(message);
    return;
  }
  const bool refused = address < refused_.second && address + bytes > refused_.first;
  if (refused || address >= bytes_.size() || bytes > bytes_.size() - address) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (payload.is_write())
    std::memcpy(bytes_.data() + address, data, bytes);
  else
    std::memcpy(data, bytes_.data() + address, bytes);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

tlm::tlm_sync_enum StoringMemory::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                  sc_core::sc_time& delay) {
  if (latency_ == 0) {
    access(payload);
    return tlm::TLM_COMPLETED;
  }
  if (phase == tlm::BEGIN_REQ) {
    if (requesting_ != nullptr) ++violations;
    requesting_ = &payload;
    payload.acquire();
    timers_.schedule(request_, kernel_now() + delay.value() + latency_ / 4);
  } else {  // END_RESP
    if (!responding_) ++violations;
    responding_ = false;
    pending_.front()->release();
    pending_.pop_front();
    if (!pending_.empty()) timers_.schedule(response_, kernel_now() + latency_ / 4);
  }
  return tlm::TLM_ACCEPTED;
}

void StoringMemory::end_request() {
  tlm::tlm_generic_payload& payload = *std::exchange(requesting_, nullptr);
  pending_.push_back(&payload);
  if (pending_.size() == 1) timers_.schedule(response_, kernel_now() + latency_);
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->nb_transport_bw(payload, phase, delay);
}

void StoringMemory::respond() {
  tlm::tlm_generic_payload& payload = *pending_.front();
  access(payload);
  responding_ = true;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->nb_transport_bw(payload, phase, delay);
}

class NvmeHost::Backward final : public tlm::tlm_bw_transport_if<> {
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

NvmeHost::NvmeHost(const sc_core::sc_module_name& name, NvmeController& controller, const Options& options)
    : sc_module(name),
      memory("memory", options.memory_bytes, options.memory_latency),
      bar0("bar0"),
      configuration("configuration"),
      options_(options),
      backward_(std::make_unique<Backward>()),
      queues_(1) {
  note_systemc_threads();
  SC_THREAD(thread);
  set_stack_size(1 << 20);
  bar0.bind(*backward_);
  configuration.bind(*backward_);
  bar0.bind(controller.bar0);
  configuration.bind(controller.configuration);
  controller.dma().bind(memory.socket);
  memory.on_message = [this](std::uint32_t) {
    ++interrupts;
    interrupted.notify(sc_core::SC_ZERO_TIME);
  };
}

NvmeHost::~NvmeHost() = default;

void NvmeHost::start(std::function<void()> body, std::function<void()> end) {
  body_ = std::move(body);
  end_ = std::move(end);
}

void NvmeHost::thread() {
  if (!body_) return;
  sc_core::wait(sc_core::sc_time(1, sc_core::SC_NS));  // by then the run has begun
  body_();
  end_();
}

tlm::tlm_response_status NvmeHost::access(bool to_configuration, bool write, std::uint64_t offset, void* data,
                                          std::uint32_t bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(offset);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  (to_configuration ? configuration : bar0)->b_transport(payload, delay);
  return payload.get_response_status();
}

std::uint32_t NvmeHost::read32(std::uint64_t offset) {
  std::uint32_t value = 0;
  access(false, false, offset, &value, sizeof value);
  return value;
}

tlm::tlm_response_status NvmeHost::write32(std::uint64_t offset, std::uint32_t value) {
  return access(false, true, offset, &value, sizeof value);
}

std::uint32_t NvmeHost::read_configuration(std::uint32_t offset, std::uint32_t bytes) {
  std::uint32_t value = 0;
  access(true, false, offset, &value, bytes);
  return value;
}

void NvmeHost::write_configuration(std::uint32_t offset, std::uint32_t value, std::uint32_t bytes) {
  access(true, true, offset, &value, bytes);
}

std::uint64_t NvmeHost::allocate(std::size_t bytes) {
  const std::uint64_t address = next_free_;
  next_free_ += (bytes + 4095) / 4096 * 4096;
  if (next_free_ > memory.size()) throw std::runtime_error("the host is out of memory");
  std::fill_n(memory.at(address), bytes, std::byte{0});
  return address;
}

void NvmeHost::set_up_pci() {
  write_configuration(0x04, 0x0006, 2);
  const auto find = [this](std::uint32_t wanted) {
    std::uint32_t capability = read_configuration(0x34, 1);
    while (capability != 0 && read_configuration(capability, 1) != wanted)
      capability = read_configuration(capability + 1, 1);
    return capability;
  };
  write_configuration(find(0x01) + 4, 0, 2);  // power state D0
  const std::uint32_t capability = find(0x11);
  const std::uint32_t vectors = (read_configuration(capability + 2, 2) & 0x7ffU) + 1;
  const std::uint32_t table = read_configuration(capability + 4) & ~7U;
  for (std::uint32_t vector = 0; vector < vectors; ++vector) {
    write32(table + 16 * vector, static_cast<std::uint32_t>(StoringMemory::kMessages));
    write32(table + 16 * vector + 4, 0);
    write32(table + 16 * vector + 8, vector);
    write32(table + 16 * vector + 12, 0);
  }
  write_configuration(capability + 2, 0x8000, 2);
}

bool NvmeHost::enable() {
  if ((read32(0x14) & 1U) != 0) disable();
  Queue& admin = queues_[0];
  const std::uint32_t entries = options_.admin_entries;
  if (admin.entries == 0) {
    admin.sq = allocate(entries * nvme::kEntryBytes);
    admin.cq = allocate(entries * nvme::kCompletionBytes);
  }
  std::fill_n(memory.at(admin.cq), entries * nvme::kCompletionBytes, std::byte{0});
  admin = {.sq = admin.sq, .cq = admin.cq, .entries = entries, .done = {}};
  queues_.resize(1);
  write32(0x24, (entries - 1) | (entries - 1) << 16U);
  write32(0x28, static_cast<std::uint32_t>(admin.sq));
  write32(0x2c, 0);
  write32(0x30, static_cast<std::uint32_t>(admin.cq));
  write32(0x34, 0);
  write32(0x14, 1U | options_.command_sets << 4U | options_.arbitration << 11U | 6U << 16U | 4U << 20U);
  for (int tries = 0; tries < 100'000; ++tries) {
    const std::uint32_t status = read32(0x1c);
    if ((status & 2U) != 0) return false;
    if ((status & 1U) != 0) return true;
    sc_core::wait(sc_core::sc_time(10, sc_core::SC_US));
  }
  throw std::runtime_error("the controller does not get ready");
}

void NvmeHost::disable() {
  write32(0x14, read32(0x14) & ~1U);
  for (int tries = 0; (read32(0x1c) & 1U) != 0; ++tries) {
    if (tries == 1000) throw std::runtime_error("the controller does not reset");
    sc_core::wait(sc_core::sc_time(1, sc_core::SC_US));
  }
}

void NvmeHost::create_queues(std::uint32_t count, std::uint32_t entries, const std::vector<std::uint32_t>& priorities) {
  queues_.resize(count + 1);
  for (std::uint32_t id = 1; id <= count; ++id) {
    Queue& queue = queues_[id];
    queue = {.sq = allocate(entries * nvme::kEntryBytes),
             .cq = allocate(entries * nvme::kCompletionBytes),
             .entries = entries,
             .done = {}};
    nvme::Entry entry{};
    entry.opcode = nvme::kCreateCompletionQueue;
    entry.pointer1 = queue.cq;
    entry.dword10 = id | (entries - 1) << 16U;
    entry.dword11 = 3U | id << 16U;
    if (status_of(0, entry) != nvme::Status::Success) throw std::runtime_error("no completion queue");
    entry.opcode = nvme::kCreateSubmissionQueue;
    entry.pointer1 = queue.sq;
    entry.dword11 = 1U | (priorities.empty() ? 0 : priorities[id - 1]) << 1U | id << 16U;
    if (status_of(0, entry) != nvme::Status::Success) throw std::runtime_error("no submission queue");
  }
}

std::uint16_t NvmeHost::put(std::uint32_t number, nvme::Entry entry) {
  Queue& queue = queues_[number];
  entry.id = queue.next_id++;
  std::memcpy(memory.at(queue.sq + queue.tail * nvme::kEntryBytes), &entry, sizeof entry);
  queue.tail = queue.tail + 1 == queue.entries ? 0 : queue.tail + 1;
  return entry.id;
}

void NvmeHost::ring(std::uint32_t number) { write32(0x1000 + 8 * number, queues_[number].tail); }

std::uint16_t NvmeHost::send(std::uint32_t number, nvme::Entry entry) {
  const std::uint16_t id = put(number, entry);
  ring(number);
  return id;
}

void NvmeHost::take_completions() {
  for (std::uint32_t number = 0; number < queues_.size(); ++number) {
    Queue& queue = queues_[number];
    const std::uint32_t before = queue.head;
    for (;;) {
      nvme::Completion completion;
      std::memcpy(&completion, memory.at(queue.cq + queue.head * nvme::kCompletionBytes), sizeof completion);
      if (((completion.status & 1U) != 0) != queue.phase) break;
      queue.done[completion.id] = completion;
      ++completions;
      queue.head = queue.head + 1 == queue.entries ? 0 : queue.head + 1;
      if (queue.head == 0) queue.phase = !queue.phase;
    }
    if (queue.head != before && drains_queues) write32(0x1000 + 8 * number + 4, queue.head);
  }
}

nvme::Completion NvmeHost::wait_for(std::uint32_t number, std::uint16_t id) {
  const Picoseconds begin = kernel_now();
  for (;;) {
    take_completions();
    Queue& queue = queues_[number];
    if (const auto found = queue.done.find(id); found != queue.done.end()) {
      const nvme::Completion completion = found->second;
      queue.done.erase(found);
      return completion;
    }
    if (kernel_now() - begin > 20 * kSecond) throw std::runtime_error("a command did not complete");
    sc_core::wait(sc_core::sc_time(1, sc_core::SC_SEC), interrupted);
  }
}

nvme::Entry NvmeHost::io(std::uint8_t opcode, std::uint64_t lba, std::uint32_t blocks, std::uint64_t data,
                         std::uint32_t name_space) {
  nvme::Entry entry{};
  entry.opcode = opcode;
  entry.name_space = name_space;
  entry.pointer1 = data;
  entry.dword10 = static_cast<std::uint32_t>(lba);
  entry.dword11 = static_cast<std::uint32_t>(lba >> 32U);
  entry.dword12 = blocks - 1;
  return entry;
}

nvme::Entry NvmeHost::identify(std::uint32_t cns, std::uint32_t name_space, std::uint64_t data) {
  nvme::Entry entry{};
  entry.opcode = nvme::kIdentify;
  entry.name_space = name_space;
  entry.pointer1 = data;
  entry.dword10 = cns;
  return entry;
}

nvme::Entry NvmeHost::log_page(std::uint32_t number, std::uint32_t bytes, std::uint64_t data, std::uint64_t offset) {
  nvme::Entry entry{};
  entry.opcode = nvme::kGetLogPage;
  entry.name_space = nvme::kAllNamespaces;
  entry.pointer1 = data;
  entry.dword10 = number | (bytes / 4 - 1) << 16U;
  entry.dword12 = static_cast<std::uint32_t>(offset);
  return entry;
}

}  // namespace flashloom

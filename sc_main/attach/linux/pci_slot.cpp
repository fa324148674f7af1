#include "sc_main/attach/linux/pci_slot.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

namespace flashloom {
namespace {

constexpr std::uint8_t kConfigurationRead = 1;
constexpr std::uint8_t kConfigurationWrite = 2;
constexpr std::uint8_t kMemoryRead = 3;
constexpr std::uint8_t kMemoryWrite = 4;
constexpr std::uint8_t kMessageInterrupt = 7;  // MSI and MSI-X

// The address of all message interrupts of User-Mode Linux (arch/um/drivers/virt-pci.c).
constexpr std::uint64_t kMessageAddress = 0xa0000;

// The guest has 256 queue entries for accesses, and frees those of writes only when it is interrupted.
constexpr std::uint32_t kPostedAtMost = 64;

}  // namespace

struct PciSlot::Message {
  std::uint8_t operation;
  std::uint8_t bar;
  std::uint16_t reserved;
  std::uint32_t bytes;
  std::uint64_t address;
};

PciSlot::PciSlot(const sc_core::sc_module_name& name) : PciPort(name) {}

void PciSlot::listen_at(const std::string& path) {
  connection_ = std::make_unique<VhostUser>(path);
  messages_.clear();
  posted_ = 0;
}

void PciSlot::serve() {
  Virtqueue& commands = connection_->queue(kCommands);
  while (const auto chain = commands.take(connection_->memory())) carry_out(*chain);
  // The guest need not notify us of buffers in this queue: they are looked for when there is an interrupt to send.
  if (connection_->queue(kInterrupts).ready()) connection_->queue(kInterrupts).want_no_kicks();
}

void PciSlot::carry_out(const Virtqueue::Chain& chain) {
  const Virtqueue::Piece& head = chain.piece[0];
  Message message{};
  if (head.bytes < sizeof message) throw std::runtime_error("virtio-pcidev: a message that is too short");
  std::memcpy(&message, head.begin, sizeof message);
  const bool write = message.operation == kConfigurationWrite || message.operation == kMemoryWrite;
  const Virtqueue::Piece& last = chain.piece[chain.pieces - 1];
  std::byte* const data = write ? head.begin + sizeof message : last.begin;
  const std::uint32_t room = write ? head.bytes - static_cast<std::uint32_t>(sizeof message) : last.bytes;
  if (message.bytes > room || (!write && !last.writable))
    throw std::runtime_error("virtio-pcidev: an access of " + std::to_string(message.bytes) + " bytes without room");
  ++accesses_;
  if (!carry_out(message, write, reinterpret_cast<unsigned char*>(data)) && !write)
    std::fill_n(data, message.bytes, std::byte{0xff});  // an unclaimed read of a PCI bus returns ones
  connection_->queue(kCommands).give_back(chain, write ? 0 : message.bytes);
  if (write) ++posted_;
}

bool PciSlot::carry_out(const Message& message, bool write, unsigned char* data) {
  const bool of_configuration = message.operation == kConfigurationRead || message.operation == kConfigurationWrite;
  const bool of_memory = message.operation == kMemoryRead || message.operation == kMemoryWrite;
  if (!of_configuration && !of_memory) return false;
  if (of_memory && message.bar != 0) return false;
  return access(of_memory ? bar0 : configuration, write, message.address, data, message.bytes);
}

void PciSlot::call() {
  Virtqueue& interrupts = connection_->queue(kInterrupts);
  while (!messages_.empty()) {
    const auto chain = interrupts.take(connection_->memory());
    if (!chain) break;  // the guest makes buffers available again when it has handled earlier interrupts
    const Message message{kMessageInterrupt, 0, 0, sizeof messages_.front(), kMessageAddress};
    if (chain->piece[0].bytes < sizeof message + message.bytes)
      throw std::runtime_error("virtio-pcidev: a buffer that is too short for an interrupt");
    std::memcpy(chain->piece[0].begin, &message, sizeof message);
    std::memcpy(chain->piece[0].begin + sizeof message, &messages_.front(), message.bytes);
    interrupts.give_back(*chain, sizeof message + message.bytes);
    messages_.pop_front();
  }
  const bool free_writes = posted_ >= kPostedAtMost;
  if (free_writes) posted_ = 0;
  connection_->call(1U << kInterrupts | (free_writes ? 1U << kCommands : 0U));
}

// The device's accesses to memory take no time here: the drive's link models their time.
tlm::tlm_response_status PciSlot::reach_memory(tlm::tlm_generic_payload& transaction) {
  const std::uint64_t address = transaction.get_address();
  const std::uint32_t bytes = transaction.get_data_length();
  auto* const data = reinterpret_cast<std::byte*>(transaction.get_data_ptr());
  if (transaction.is_write() && address == kMessageAddress && bytes == sizeof(std::uint32_t)) {
    std::uint32_t message = 0;
    std::memcpy(&message, data, sizeof message);
    messages_.push_back(message);
    on_interrupt_();
    return tlm::TLM_OK_RESPONSE;
  }
  if (connection_ == nullptr) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  std::byte* const place = connection_->memory().at(address, bytes);
  if (place == nullptr || transaction.get_byte_enable_ptr() != nullptr) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (data != nullptr) {
    if (transaction.is_write())
      std::memcpy(place, data, bytes);
    else
      std::memcpy(data, place, bytes);
  }
  return tlm::TLM_OK_RESPONSE;
}

}  // namespace flashloom

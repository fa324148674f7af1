// Builder for the schema of device files, used by schema.cpp and the other files *_schema.cpp.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sc_main/config/device_config.hpp"
#include "sc_main/config/schema.hpp"

namespace flashloom {

inline constexpr double kMaxCount = 9223372036854775807.0;  // TOML integers are signed 64-bit
inline constexpr double kMaxTime = 200.0 * 86400.0 * 1e12;  // below the kernel's 213 days
inline constexpr double kHour = 3600.0 * 1e12;
inline constexpr double kMaxBytes = 1099511627776.0 * 1024;  // 1 PiB
inline constexpr double kMaxRate = 1e15;

/// Collects the keys of one table.
class TableBuilder {
 public:
  TableBuilder(std::vector<ConfigKey>& keys, std::string table) : keys_(keys), table_(std::move(table)) {}

  /// A key of which its member's type says all: a boolean, a text, a list.
  template <class Member>
  TableBuilder& key(const char* name, Member member, const char* help) {
    add(name, member, help);
    return *this;
  }
  /// A number; `range` is {minimum, maximum}.
  template <class Member>
  TableBuilder& key(const char* name, Member member, Quantity quantity, std::pair<double, double> range,
                    const char* help) {
    add(name, member, help).quantity = quantity;
    keys_.back().minimum = range.first;
    keys_.back().maximum = range.second;
    keys_.back().draws_only = is_electrical(quantity);
    return *this;
  }
  /// Sets ConfigKey::draws_only of the last key if that does not follow from its quantity: energy for another value of
  /// it can then be computed without another run.
  TableBuilder& draws_only(bool only) {
    keys_.back().draws_only = only;
    return *this;
  }
  template <class Member>
  TableBuilder& count(const char* name, Member member, double minimum, double maximum, const char* help) {
    return key(name, member, Quantity::None, {minimum, maximum}, help);
  }
  template <class Member>
  TableBuilder& time(const char* name, Member member, double minimum, const char* help, double maximum = kHour) {
    return key(name, member, Quantity::Time, {minimum, maximum}, help);
  }
  template <class Member>
  TableBuilder& choice(const char* name, Member member, std::vector<std::string> choices, const char* help) {
    add(name, member, help).choices = std::move(choices);
    return *this;
  }
  template <class Member>
  TableBuilder& part(const char* name, Member member, const char* family, const char* help) {
    add(name, member, help).family = family;
    return *this;
  }

 private:
  template <class Member>
  ConfigKey& add(const char* name, Member member, const char* help) {
    ConfigKey key;
    key.table = table_;
    key.name = name;
    key.member = [member](DeviceConfig& config) -> ConfigMember { return &member(config); };
    key.help = help;
    keys_.push_back(std::move(key));
    return keys_.back();
  }

  std::vector<ConfigKey>& keys_;
  std::string table_;
};

/// Keys of [host] and [host.cache].
void describe_host(std::vector<ConfigKey>& keys);
void describe_host_cache(std::vector<ConfigKey>& keys);
/// Keys of [hdd] and [tier].
void describe_hdd(std::vector<ConfigKey>& keys);
void describe_tier(std::vector<ConfigKey>& keys);
/// Keys of [array]; and of [array.nvram].
void describe_array(std::vector<ConfigKey>& keys);
void describe_array_nvram(std::vector<ConfigKey>& keys);
/// Keys of [nand.errors] and [nand.ecc].
void describe_errors(std::vector<ConfigKey>& keys);
/// Keys of [nand.variation].
void describe_variation(std::vector<ConfigKey>& keys);
/// Keys of [nand]: reads of multi-bit cells, and partially programmed blocks.
void describe_cells(std::vector<ConfigKey>& keys);
/// Keys of [nand.network].
void describe_network(std::vector<ConfigKey>& keys);
/// Keys of [nand]: how the energy of arrays and bus is computed.
void describe_nand_energy(std::vector<ConfigKey>& keys);
/// Keys of [controller].
void describe_controller(std::vector<ConfigKey>& keys);
/// Keys of [compression].
void describe_compression(std::vector<ConfigKey>& keys);
/// Keys of [fdp].
void describe_fdp(std::vector<ConfigKey>& keys);
/// Keys of [heap].
void describe_heap(std::vector<ConfigKey>& keys);
/// Keys of [thermal].
void describe_thermal(std::vector<ConfigKey>& keys);
/// Keys of [cpu] and [cpu.cycles]; and of one element of [[cpu.points]].
void describe_cpu(std::vector<ConfigKey>& keys);
std::vector<ConfigKey> describe_operating_point();
/// Keys of [dram], [dram.timing], [sram], [hmb] and [nvram]; and of [heap.nvram].
void describe_memories(std::vector<ConfigKey>& keys);
void describe_heap_nvram(std::vector<ConfigKey>& keys);

}  // namespace flashloom

// A function from the configuration to a reference to one of its members.
#define FLASHLOOM_MEMBER(path) \
  [](DeviceConfig & config) -> auto& { return config.path; }

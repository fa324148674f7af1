// Builder for the schema of device files. Each configuration struct has `describe(keys)`, which tells its keys to one.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/config/schema.hpp"

namespace flashloom {

/// Collects the keys of one table, whose values are in a `Config`.
template <class Config>
class TableBuilder {
 public:
  /// `config_of`: the table's struct in a device's configuration.
  TableBuilder(std::vector<ConfigKey>& keys, std::string table, Config& (*config_of)(DeviceConfig&))
      : keys_(keys), table_(std::move(table)), config_of_(config_of) {}

  /// Keys from here on shape the state that preconditioning leaves, or affect the timed run only. Each key stands behind
  /// one of the two, but for times, rates, voltages and the like, which affect the timed run only.
  TableBuilder& shapes_state() { return set_role(StateRole::Shapes); }
  TableBuilder& timed_only() { return set_role(StateRole::TimedOnly); }

  /// Keys from here on are ones that no preset, study or bench sets: `flashloom list config` shows them with --all only;
  /// or others.
  TableBuilder& rare() { return set_rare(true); }
  TableBuilder& common() { return set_rare(false); }

  // In the following, `member` is a pointer to a member of Config, or a function that returns a reference into one.
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
    ConfigKey& key = add(name, member, help);
    key.quantity = quantity;
    key.minimum = range.first;
    key.maximum = range.second;
    key.draws_only = is_electrical(quantity);
    if (is_timing(quantity)) key.role = StateRole::TimedOnly;
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
  /// One of several words.
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

  // The following are of the last key.
  /// Sets ConfigKey::draws_only if that does not follow from its quantity: energy for another value of it can then be
  /// computed without another run.
  TableBuilder& draws_only(bool only) {
    keys_.back().draws_only = only;
    return *this;
  }
  /// Keys and tables in its table whose values come with a choice (give_way.hpp); with `partner`, together with that one.
  TableBuilder& brings(std::vector<std::string> names, std::string partner = {}) {
    keys_.back().brought = std::move(names);
    keys_.back().partner = std::move(partner);
    return *this;
  }
  /// The same: all but these.
  TableBuilder& brings_all_but(std::vector<std::string> names) {
    keys_.back().brings_the_rest = true;
    return brings(std::move(names));
  }
  /// TOML texts of values that the campaign of random devices tries, where the key's type does not say which.
  TableBuilder& samples(std::vector<std::string> values) {
    keys_.back().samples = std::move(values);
    return *this;
  }

 private:
  TableBuilder& set_role(StateRole role) {
    role_ = role;
    return *this;
  }

  TableBuilder& set_rare(bool rare) {
    rare_ = rare;
    return *this;
  }

  template <class Member>
  ConfigKey& add(const char* name, Member member, const char* help) {
    ConfigKey key;
    key.table = table_;
    key.name = name;
    key.member = [member, config_of = config_of_](DeviceConfig& config) -> ConfigMember {
      return &std::invoke(member, config_of(config));
    };
    key.help = help;
    key.role = role_;
    key.rare = rare_;
    keys_.push_back(std::move(key));
    return keys_.back();
  }

  std::vector<ConfigKey>& keys_;
  std::string table_;
  Config& (*config_of_)(DeviceConfig&);
  StateRole role_ = StateRole::Unsaid;
  bool rare_ = false;
};

}  // namespace flashloom

// Registry of swappable parts: one family of factories by name. A part registers itself in its own .cpp file:
//
//     const Registration<ReplacementPolicy> registration{{
//         .name = "lru", .summary = "least recently used", .source = "...", .parameters = {}},
//         [](const ReplacementContext& context, const ParameterValues& values) { return std::make_unique<Lru>(context);
//         }};
//
// An interface class names its family and what its factories receive:
//     static constexpr const char* kFamily = "replacement";  using Context = ReplacementContext;
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "policies/parameters.hpp"

namespace flashloom {

struct PartInfo {
  std::string name;
  std::string summary;  ///< one line
  std::string source;   ///< paper or product of origin
  std::vector<ParameterSpec> parameters;
  std::vector<std::string> aliases{};
  bool time_dependent = false;  ///< looks at commands in flight, so timed and instant runs decide differently
};

/// All families, type-erased: what `flashloom list` and the configuration reader see.
class PartCatalog {
 public:
  static PartCatalog& instance();
  /// Throws std::logic_error on a duplicate name or alias: fatal at start.
  std::size_t add(const std::string& family, PartInfo info);
  /// From now on add() writes refusals there instead of throwing, since no exception may leave a shared object that is
  /// being loaded. Null: throw again. `refusal` must outlive that.
  void note_refusal(std::string* refusal);
  /// Families in alphabetical order; parts of a family in alphabetical order.
  std::vector<std::string> families() const;
  std::vector<const PartInfo*> parts(const std::string& family) const;
  /// Null if there is none of this name or alias.
  const PartInfo* find(const std::string& family, const std::string& name) const;

 private:
  struct Impl;
  PartCatalog();
  ~PartCatalog();
  std::unique_ptr<Impl> impl_;
};

/// A part was requested by a name that is not registered; the message lists the valid ones.
class UnknownPart : public std::runtime_error {
 public:
  UnknownPart(const std::string& family, const std::string& name);
};

template <class Interface>
class Family {
 public:
  using Factory = std::function<std::unique_ptr<Interface>(const typename Interface::Context&, const ParameterValues&)>;

  static std::unique_ptr<Interface> make(const PolicyChoice& choice, const typename Interface::Context& context) {
    const PartInfo* info = PartCatalog::instance().find(Interface::kFamily, choice.name);
    if (info == nullptr) throw UnknownPart(Interface::kFamily, choice.name);
    for (const auto& [name, factory] : factories())
      if (name == info->name) return factory(context, with_defaults(*info, choice.parameters));
    throw UnknownPart(Interface::kFamily, choice.name);
  }

  static void add(PartInfo info, Factory factory) {
    factories().emplace_back(info.name, std::move(factory));
    PartCatalog::instance().add(Interface::kFamily, std::move(info));
  }

 private:
  static ParameterValues with_defaults(const PartInfo& info, const ParameterValues& given) {
    auto values = given.all();
    for (const ParameterSpec& spec : info.parameters) values.try_emplace(spec.name, spec.default_value);
    return ParameterValues(std::move(values));
  }
  static std::vector<std::pair<std::string, Factory>>& factories() {
    static std::vector<std::pair<std::string, Factory>> all;
    return all;
  }
};

/// A namespace-scope object of this type registers a part.
template <class Interface>
struct Registration {
  Registration(PartInfo info, typename Family<Interface>::Factory factory) {
    Family<Interface>::add(std::move(info), std::move(factory));
  }
};

}  // namespace flashloom

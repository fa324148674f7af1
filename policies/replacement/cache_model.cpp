#include "policies/replacement/cache_model.hpp"

#include <map>

#include "policies/registry.hpp"
#include "policies/replacement/registration.hpp"

namespace flashloom {
namespace {

std::map<std::string, CacheModelMaker>& makers() {
  static std::map<std::string, CacheModelMaker> all;
  return all;
}

const PartInfo& info_of(const std::string& name) {
  const PartInfo* info = PartCatalog::instance().find(ReplacementPolicy::kFamily, name);
  if (info == nullptr) info = PartCatalog::instance().find(kOfflineReplacementFamily, name);
  if (info == nullptr) throw UnknownPart(ReplacementPolicy::kFamily, name);
  return *info;
}

}  // namespace

void add_cache_model(CacheModelMaker maker) {
  std::string name = maker.name;
  makers().emplace(std::move(name), std::move(maker));
}

std::unique_ptr<CacheModel> make_cache_model(const PolicyChoice& choice, const CacheModelContext& context) {
  const PartInfo& info = info_of(choice.name);
  auto values = choice.parameters.all();
  for (const ParameterSpec& spec : info.parameters) values.try_emplace(spec.name, spec.default_value);
  return makers().at(info.name).make(context, ParameterValues(std::move(values)));
}

bool is_offline_policy(const std::string& name) { return makers().at(info_of(name).name).offline; }

double metadata_bytes_per_page(const PolicyChoice& choice) {
  // A policy's memory grows linearly with its capacity: takes the difference between two capacities.
  constexpr std::uint32_t kSmall = 1024;
  const auto bytes = [&choice](std::uint32_t capacity) {
    CacheModelContext context;
    context.policy.capacity = capacity;
    const auto model = make_cache_model(choice, context);
    constexpr std::size_t kTableRow = 8;
    return static_cast<double>(model->policy_bytes() + model->policy_entries() * kTableRow);
  };
  return (bytes(2 * kSmall) - bytes(kSmall)) / kSmall;
}

Future::Future(std::span<const PageReference> references, std::uint32_t pages)
    : next_reference(references.size()), next_write(references.size()) {
  if (references.size() >= kNever) throw std::length_error("a trace of 2^32 references and more has no known future");
  std::vector<std::uint32_t> reference_of(pages, kNever);
  std::vector<std::uint32_t> write_of(pages, kNever);
  for (std::size_t i = references.size(); i-- > 0;) {
    const PageReference reference = references[i];
    std::uint32_t& next = reference_of[reference.page()];
    std::uint32_t& write = write_of[reference.page()];
    next_reference[i] = next;
    next_write[i] = write;
    const auto position = static_cast<std::uint32_t>(i);
    write = reference.read() ? write : position;  // a page that is discarded next need not be written
    next = reference.discard() ? kNever : position;
  }
}

WriteCounter::WriteCounter(const PageDirectory& directory)
    : directory_(directory),
      touched_(directory.blocks.empty() ? directory.pages / kDefaultBlock + 1 : directory.block_count) {}

}  // namespace flashloom

#include "policies/registry.hpp"

#include <map>

#include "policies/nearest.hpp"

namespace flashloom {

struct PartCatalog::Impl {
  struct Parts {
    std::map<std::string, std::unique_ptr<PartInfo>> by_name;  // owning pointers keep addresses stable
    std::map<std::string, const PartInfo*> by_name_or_alias;
  };
  std::map<std::string, Parts> families;
  std::string* refusal = nullptr;

  void refuse(const std::string& why) const {
    if (refusal == nullptr) throw std::logic_error(why);
    *refusal = why;
  }
};

PartCatalog::PartCatalog() : impl_(std::make_unique<Impl>()) {}
PartCatalog::~PartCatalog() = default;

PartCatalog& PartCatalog::instance() {
  static PartCatalog catalog;  // created by the first registration, in whichever file
  return catalog;
}

std::size_t PartCatalog::add(const std::string& family, PartInfo info) {
  if (info.name.empty()) {
    impl_->refuse("a part of family " + family + " has no name");
    return 0;
  }
  Impl::Parts& parts = impl_->families[family];
  std::vector<std::string> names = info.aliases;
  names.insert(names.begin(), info.name);
  for (std::size_t i = 0; i < names.size(); ++i) {
    bool taken = parts.by_name_or_alias.count(names[i]) != 0;
    for (std::size_t j = 0; j < i; ++j) taken = taken || names[j] == names[i];
    if (taken) {
      impl_->refuse("part registered twice: " + family + " \"" + names[i] + "\"");
      return parts.by_name.size();
    }
  }
  auto owned = std::make_unique<PartInfo>(std::move(info));
  for (const std::string& name : names) parts.by_name_or_alias.emplace(name, owned.get());
  parts.by_name.emplace(names.front(), std::move(owned));
  return parts.by_name.size();
}

void PartCatalog::note_refusal(std::string* refusal) { impl_->refusal = refusal; }

std::vector<std::string> PartCatalog::families() const {
  std::vector<std::string> names;
  for (const auto& [family, parts] : impl_->families) names.push_back(family);
  return names;
}

std::vector<const PartInfo*> PartCatalog::parts(const std::string& family) const {
  std::vector<const PartInfo*> all;
  const auto found = impl_->families.find(family);
  if (found == impl_->families.end()) return all;
  for (const auto& [name, info] : found->second.by_name) all.push_back(info.get());
  return all;
}

const PartInfo* PartCatalog::find(const std::string& family, const std::string& name) const {
  const auto parts = impl_->families.find(family);
  if (parts == impl_->families.end()) return nullptr;
  const auto part = parts->second.by_name_or_alias.find(name);
  return part == parts->second.by_name_or_alias.end() ? nullptr : part->second;
}

namespace {

std::string unknown_part_message(const std::string& family, const std::string& name) {
  std::vector<std::string> valid;
  std::vector<std::string> with_aliases;
  for (const PartInfo* info : PartCatalog::instance().parts(family)) {
    valid.push_back(info->name);
    with_aliases.push_back(info->name);
    with_aliases.insert(with_aliases.end(), info->aliases.begin(), info->aliases.end());
  }
  std::string message = "unknown " + family + " \"" + name + "\"";
  message += did_you_mean(name, with_aliases);
  message += valid.empty() ? "; none is registered" : "; valid: " + join_names(valid);
  return message;
}

}  // namespace

UnknownPart::UnknownPart(const std::string& family, const std::string& name)
    : std::runtime_error(unknown_part_message(family, name)) {}

}  // namespace flashloom

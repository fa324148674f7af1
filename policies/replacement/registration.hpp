// Registers a policy core as a ReplacementPolicy and as a CacheModel, in one line:
//
//     const ReplacementRegistration<Lru> registration{{.name = "lru", .summary = ..., .source = ..., .parameters =
//     {}}};
#pragma once

#include "policies/registry.hpp"
#include "policies/replacement/cache_model_of.hpp"
#include "policies/replacement/slot_policy.hpp"

namespace flashloom {

/// Factory of a CacheModel; separate from the catalogue, which holds each name once.
struct CacheModelMaker {
  std::string name;
  bool offline;
  std::unique_ptr<CacheModel> (*make)(const CacheModelContext&, const ParameterValues&);
};
void add_cache_model(CacheModelMaker maker);

template <class Core>
struct ReplacementRegistration {
  explicit ReplacementRegistration(PartInfo info) {
    add_cache_model(
        {info.name, Core::kOffline,
         [](const CacheModelContext& context, const ParameterValues& values) -> std::unique_ptr<CacheModel> {
           return std::make_unique<CacheModelOf<Core>>(context, values);
         }});
    if constexpr (Core::kOffline) {
      PartCatalog::instance().add(kOfflineReplacementFamily, std::move(info));
    } else {
      Family<ReplacementPolicy>::add(
          std::move(info),
          [](const ReplacementContext& context, const ParameterValues& values) -> std::unique_ptr<ReplacementPolicy> {
            return std::make_unique<SlotPolicy<Core>>(context, values);
          });
    }
  }
};

}  // namespace flashloom

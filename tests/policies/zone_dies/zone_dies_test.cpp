// The dies on which zones lie: each die is in one set, and each policy keeps its promise.
#include "policies/zone_dies/zone_dies.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "policies/registry.hpp"

namespace flashloom::zone_dies_test {
namespace {

std::vector<std::uint32_t> dies_of(const std::string& name, const ZoneDiesContext& context, std::uint32_t set) {
  const auto policy = Family<ZoneDiesPolicy>::make({name, {}}, context);
  std::vector<std::uint32_t> dies;
  for (std::uint32_t member = 0; member < context.dies_of_set; ++member) dies.push_back(policy->die(set, member));
  return dies;
}

std::set<std::uint32_t> channels_of(const std::string& name, const ZoneDiesContext& context, std::uint32_t set) {
  std::set<std::uint32_t> channels;
  for (const std::uint32_t die : dies_of(name, context, set)) channels.insert(die % context.channels);
  return channels;
}

using Dies = std::vector<std::uint32_t>;
using Channels = std::set<std::uint32_t>;

TEST(ZoneDies, PutEachDieIntoOneSet) {
  for (const PartInfo* part : PartCatalog::instance().parts(ZoneDiesPolicy::kFamily))
    for (const std::uint32_t channels : {1U, 2U, 3U, 4U, 6U, 8U})
      for (const std::uint32_t ways : {1U, 2U, 3U, 4U, 8U})
        for (std::uint32_t of_set = 1; of_set <= channels * ways; ++of_set) {
          const ZoneDiesContext context{.channels = channels, .dies = channels * ways, .dies_of_set = of_set};
          if (context.dies % of_set != 0) continue;
          std::set<std::uint32_t> all;
          for (std::uint32_t set = 0; set < context.sets(); ++set)
            for (const std::uint32_t die : dies_of(part->name, context, set))
              EXPECT_TRUE(die < context.dies && all.insert(die).second)
                  << part->name << ": die " << die << " of " << channels << " x " << ways << ", set " << set;
        }
}

// 8 channels, 4 ways.
TEST(ZoneDies, LieWhereTheirNamesSay) {
  const ZoneDiesContext two{.channels = 8, .dies = 32, .dies_of_set = 2};
  EXPECT_EQ(dies_of("neighbours", two, 0), (Dies{0, 1}));
  EXPECT_EQ(dies_of("neighbours", two, 5), (Dies{10, 11}));  // channels 2 and 3, way 1
  EXPECT_EQ(dies_of("per_channel", two, 0), (Dies{0, 8}));   // ways 0 and 1 of channel 0
  EXPECT_EQ(dies_of("per_channel", two, 3), (Dies{17, 25}));
  EXPECT_EQ(dies_of("spread", two, 0), (Dies{0, 20}));  // channels 0 and 4, ways 0 and 2
  EXPECT_EQ(dies_of("spread", two, 9), (Dies{9, 29}));  // channels 1 and 5, ways 1 and 3
  const ZoneDiesContext eight{.channels = 8, .dies = 32, .dies_of_set = 8};
  for (std::uint32_t set = 0; set < 4; ++set) {
    EXPECT_EQ(channels_of("per_channel", eight, set), (Channels{2 * set, 2 * set + 1}));
    EXPECT_EQ(channels_of("neighbours", eight, set).size(), 8U);
  }
  const ZoneDiesContext four{.channels = 8, .dies = 32, .dies_of_set = 4};
  EXPECT_EQ(channels_of("per_channel", four, 6), (Channels{6}));
  EXPECT_EQ(channels_of("neighbours", four, 1), (Channels{4, 5, 6, 7}));
  EXPECT_EQ(channels_of("spread", four, 0), (Channels{0, 2, 4, 6}));
  EXPECT_EQ(channels_of("spread", four, 1), (Channels{1, 3, 5, 7}));
}

}  // namespace
}  // namespace flashloom::zone_dies_test

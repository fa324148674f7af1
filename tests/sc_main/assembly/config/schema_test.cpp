#include "sc_main/assembly/config/schema.hpp"

#include <gtest/gtest.h>

#include <set>

namespace flashloom::schema_test {
namespace {

TEST(ConfigSchema, EachKeyOfATableSaysWhetherItShapesAState) {
  for (const ConfigKey& key : config_schema()) EXPECT_NE(key.role, StateRole::Unsaid) << key.path();
}

TEST(ConfigSchema, EachKeyIsThereOnceAndHasHelp) {
  std::set<std::string> paths;
  for (const ConfigKey& key : config_schema()) {
    EXPECT_TRUE(paths.insert(key.path()).second) << key.path();
    EXPECT_FALSE(key.help.empty()) << key.path();
  }
}

TEST(ConfigSchema, WhatAChoiceBringsIsAKeyOrATableBesideIt) {
  for (const ConfigKey& key : config_schema()) {
    for (const std::string& name : key.brought) {
      const std::string path = key.table + "." + name;
      const std::vector<std::string>& tables = config_tables();
      EXPECT_TRUE(find_config_key(path) != nullptr || std::find(tables.begin(), tables.end(), path) != tables.end())
          << path;
    }
    EXPECT_TRUE(key.partner.empty() || find_config_key(key.table + "." + key.partner) != nullptr) << key.path();
  }
}

}  // namespace
}  // namespace flashloom::schema_test

// The streams directive: identifiers get the drive's streams.
#include <gtest/gtest.h>

#include <string>

#include "policies/registry.hpp"
#include "policies/streams/streams.hpp"

namespace flashloom::directive_test {
namespace {

std::unique_ptr<StreamPolicy> streams(std::int64_t count) {
  return Family<StreamPolicy>::make({"host", ParameterValues({{"count", count}})}, {});
}

StreamHint identifier(std::uint16_t number) { return {.directive = kStreamsDirective, .identifier = number}; }

TEST(StreamsDirective, GivesEachIdentifierAStream) {
  const auto policy = streams(3);
  EXPECT_EQ(policy->stream_of(0, identifier(77)), 0U);
  EXPECT_EQ(policy->stream_of(1, identifier(5)), 1U);
  EXPECT_EQ(policy->stream_of(2, identifier(77)), 0U);
  EXPECT_EQ(policy->stream_of(3, identifier(0xffff)), 2U);
}

// The stream of the identifier written longest ago is closed and reused.
TEST(StreamsDirective, ClosesAnIdentifierForOneMoreThanThereAreStreams) {
  const auto policy = streams(2);
  EXPECT_EQ(policy->stream_of(0, identifier(1)), 0U);
  EXPECT_EQ(policy->stream_of(0, identifier(2)), 1U);
  EXPECT_EQ(policy->stream_of(0, identifier(1)), 0U);
  EXPECT_EQ(policy->stream_of(0, identifier(3)), 1U);  // in place of 2
  EXPECT_EQ(policy->stream_of(0, identifier(1)), 0U);
  EXPECT_EQ(policy->stream_of(0, identifier(2)), 1U);  // in place of 3
}

TEST(StreamsDirective, LeavesWritesWithoutItToTheirNumber) {
  const auto policy = streams(2);
  EXPECT_EQ(policy->stream_of(0, identifier(9)), 0U);
  EXPECT_EQ(policy->stream_of(0, {.number = 3}), 1U);
  EXPECT_EQ(policy->stream_of(0, {.number = 3, .directive = kStreamsDirective}), 1U);  // identifier 0 is none
  EXPECT_EQ(policy->stream_of(0, {.number = 3, .directive = kDataPlacementDirective, .identifier = 9}), 1U);
}

}  // namespace
}  // namespace flashloom::directive_test

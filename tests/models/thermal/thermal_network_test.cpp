#include "models/thermal/thermal_network.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/common/arrhenius.hpp"
#include "models/common/config_problem.hpp"

namespace flashloom::thermal_network_test {
namespace {

constexpr double kAmbient = 25;

ThermalConfig network() {
  ThermalConfig config;
  config.model = "rc";
  config.ambient = kAmbient;
  return config;
}

// Three bodies of 2, 4 and 10 J/K, each with its own path to the ambient and a power in proportion, are always equally
// hot, so no heat flows between them: each is one RC of 20 s that a step of power heats by 30 K.
TEST(ThermalNetwork, OneNodeRisesAsOneExponential) {
  ThermalConfig config = network();
  config.controller_capacity = 2;
  config.nand_capacity = 4;
  config.board_capacity = 10;
  config.controller_to_ambient = 10;
  config.nand_to_ambient = 5;
  config.board_to_ambient = 2;
  ThermalNetwork heat(config);
  const PerNode watts = {3, 6, 15};
  double passed = 0;
  for (const double step : {0.001, 1.0, 19.0, 0.5, 100.0}) {
    const double before = 30 * (1 - std::exp(-passed / 20));
    const PerNode mean = heat.advance(step, watts);
    passed += step;
    const double rise = 30 * (1 - std::exp(-passed / 20));
    for (std::size_t node = 0; node < kThermalNodes; ++node) {
      EXPECT_NEAR(heat.temperatures()[node], kAmbient + rise, 1e-10) << passed;
      EXPECT_NEAR(mean[node], kAmbient + 30 - (rise - before) * 20 / step, 1e-9) << passed;
    }
  }
  EXPECT_NEAR(heat.time_constants()[2], 20, 1e-9);
}

// Controller and NAND are alike and form one package of 2 x 3 J/K behind 4 / 2 K/W, on a board of 8 J/K with 10 K/W: x'
// = -A x about the steady state. The exponential is e^-st (cosh qt - (A - s) sinh(qt) / q) with s half the trace of A.
TEST(ThermalNetwork, TwoNodesRiseAsTheMatrixExponential) {
  ThermalConfig config = network();
  config.controller_capacity = config.nand_capacity = 3;
  config.board_capacity = 8;
  config.controller_to_board = config.nand_to_board = 4;
  config.board_to_ambient = 10;
  const double a = 0.5 / 6, b = -0.5 / 6, c = -0.5 / 8, d = 0.6 / 8;
  const double s = (a + d) / 2, q = std::sqrt(s * s - (a * d - b * c));
  const double watts = 5;
  const double board = watts * 10, package = board + watts * 2;  // steady, above the ambient
  for (const double t : {0.01, 1.0, 7.0, 40.0, 300.0}) {
    ThermalNetwork heat(config);
    heat.advance(t, {watts / 2, watts / 2, 0});
    const double even = std::exp(-s * t) * std::cosh(q * t), odd = std::exp(-s * t) * std::sinh(q * t) / q;
    const double left = even * package - odd * ((a - s) * package + b * board);
    const double left_board = even * board - odd * (c * package + (d - s) * board);
    EXPECT_NEAR(heat.temperatures()[0], kAmbient + package - left, 1e-9) << t;
    EXPECT_NEAR(heat.temperatures()[1], kAmbient + package - left, 1e-9) << t;
    EXPECT_NEAR(heat.temperatures()[2], kAmbient + board - left_board, 1e-9) << t;
  }
}

TEST(ThermalNetwork, WhatComesInIsStoredOrLeaves) {
  ThermalConfig config = network();
  config.controller_to_ambient = 40;
  ThermalNetwork heat(config);
  heat.set({80, 20, 31});
  const double before = heat.stored();
  double in = 0, out = 0;
  for (int i = 0; i < 500; ++i) {
    const double length = std::pow(10.0, i % 9 - 6);
    const PerNode watts = {0.5 * (i % 7), 1.0 * (i % 3), 0.1 * (i % 2)};
    out += heat.outflow(heat.advance(length, watts)) * length;
    in += std::accumulate(watts.begin(), watts.end(), 0.0) * length;
  }
  EXPECT_NEAR(in, heat.stored() - before + out, 1e-9 * in);
  EXPECT_GT(in, 1000);
}

TEST(ThermalNetwork, TwoStepsAreOne) {
  ThermalNetwork once(network()), twice(network());
  const PerNode watts = {2, 3, 0.2};
  once.set({60, 40, 50});
  twice.set({60, 40, 50});
  once.advance(9, watts);
  twice.advance(2, watts);
  twice.advance(7, watts);
  for (std::size_t node = 0; node < kThermalNodes; ++node)
    EXPECT_NEAR(once.temperatures()[node], twice.temperatures()[node], 1e-10);
}

// 2.5 W flow over 5 K/W and 2 W over 3 K/W onto the board, and 5 W over 13 K/W from it.
TEST(ThermalNetwork, TheSteadyStateIsThatOfTheResistances) {
  ThermalNetwork heat(network());
  const PerNode watts = {2.5, 2, 0.5};
  const PerNode steady = heat.steady(watts);
  EXPECT_NEAR(steady[2], 25 + 65, 1e-10);
  EXPECT_NEAR(steady[0], 25 + 65 + 12.5, 1e-10);
  EXPECT_NEAR(steady[1], 25 + 65 + 6, 1e-10);
  heat.set(steady);
  heat.advance(1000, watts);
  for (std::size_t node = 0; node < kThermalNodes; ++node) EXPECT_NEAR(heat.temperatures()[node], steady[node], 1e-9);
}

// docs/reference/thermal.md: a bare drive that was idle at 0.6 W and draws 5.2 W is at 79 C after 149 s with 30 C around it
// (Samsung 970 PRO without a fan: 150 s to about 80 C), and after 185 s with 25 C.
TEST(ThermalNetwork, HeatsUpAsADriveDid) {
  for (const auto& [ambient, expected] : {std::pair{30.0, 149.0}, {25.0, 185.0}}) {
    ThermalConfig config;
    config.ambient = ambient;
    ThermalNetwork heat(config);
    heat.set(heat.steady({0.45, 0.15, 0}));
    double passed = 0;
    for (; heat.temperatures()[0] < 79; passed += 0.1) heat.advance(0.1, {2.7, 2.3, 0.2});
    EXPECT_NEAR(passed, expected, 1) << ambient;
  }
}

TEST(ThermalNetwork, NeedsAWayOut) {
  ThermalConfig config = network();
  config.board_to_ambient = 0;
  EXPECT_THROW(ThermalNetwork{config}, std::invalid_argument);
}

// JESD218's tables for client drives: a year at 30 C is 500 h at 52 C and 96 h at 66 C.
TEST(Arrhenius, IsThatOfTheStandard) {
  EXPECT_EQ(arrhenius(1.1, 40, 40), 1);
  EXPECT_EQ(arrhenius(0, 40, 90), 1);
  EXPECT_NEAR(arrhenius(1.1, 30, 52), 8760.0 / 500, 0.3);
  EXPECT_NEAR(arrhenius(1.1, 30, 66), 8760.0 / 96, 4);
  EXPECT_NEAR(arrhenius(1.1, 40, 55), std::exp(1.1 / 8.617333262e-5 * (1 / 313.15 - 1 / 328.15)), 1e-12);
}

TEST(ThermalConfig, RefusesLevelsThatContradictEachOther) {
  const auto refused = [](const std::function<void(ThermalConfig&)>& change) {
    ThermalConfig config = network();
    change(config);
    try {
      check_config(config);
    } catch (const ConfigProblem& problem) {
      return problem.key();
    }
    return std::string();
  };
  EXPECT_EQ(refused([](ThermalConfig&) {}), "");
  EXPECT_EQ(refused([](ThermalConfig& c) { c.start_temperatures = {1, 2}; }), "thermal.start_temperatures");
  EXPECT_EQ(refused([](ThermalConfig& c) { c.duty = {0.5}; }), "thermal.duty");
  EXPECT_EQ(refused([](ThermalConfig& c) { c.link = {}; }), "thermal.link");
  EXPECT_EQ(refused([](ThermalConfig& c) { c.throttle = {80, 80}; }), "thermal.throttle");
  EXPECT_EQ(refused([](ThermalConfig& c) { c.duty = {0.1, 0.5}; }), "thermal.duty");
  EXPECT_EQ(refused([](ThermalConfig& c) { c.link = {0.1, 0.5}; }), "thermal.link");
  EXPECT_EQ(refused([](ThermalConfig& c) {
              c.model = "none";
              c.duty = {0.5};
            }),
            "");
}

}  // namespace
}  // namespace flashloom::thermal_network_test

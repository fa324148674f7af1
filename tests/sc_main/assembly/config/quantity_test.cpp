#include "sc_main/assembly/config/quantity.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace flashloom::quantity_test {
namespace {

std::string exact_error(Quantity quantity, const std::string& text) {
  try {
    return "accepted as " + std::to_string(parse_exact(quantity, text));
  } catch (const QuantityError& error) {
    return error.what();
  }
}

TEST(Quantity, ReadsExactIntegers) {
  EXPECT_EQ(parse_exact(Quantity::Time, "25 us"), 25'000'000u);
  EXPECT_EQ(parse_exact(Quantity::Time, "3ms"), 3'000'000'000u);
  EXPECT_EQ(parse_exact(Quantity::Time, "0.29 us"), 290'000u);  // 0.29 * 1e6 is 289999.99 in doubles
  EXPECT_EQ(parse_exact(Quantity::Time, "72 ns"), 72'000u);
  EXPECT_EQ(parse_exact(Quantity::Time, "1.5 min"), 90'000'000'000'000u);
  EXPECT_EQ(parse_exact(Quantity::Time, "2 h"), 7'200'000'000'000'000u);
  EXPECT_EQ(parse_exact(Quantity::Time, "0 s"), 0u);
  EXPECT_EQ(parse_exact(Quantity::Time, " +007.50 ns "), 7'500u);
  EXPECT_EQ(parse_exact(Quantity::Bytes, "16 KiB"), 16'384u);
  EXPECT_EQ(parse_exact(Quantity::Bytes, "4 kB"), 4'000u);
  EXPECT_EQ(parse_exact(Quantity::Bytes, "0.5 KiB"), 512u);
  EXPECT_EQ(parse_exact(Quantity::Bytes, "1 TiB"), 1'099'511'627'776u);
  EXPECT_EQ(parse_exact(Quantity::Bytes, "18446744073709551615 B"), 18'446'744'073'709'551'615u);
  EXPECT_EQ(parse_exact(Quantity::ByteRate, "3.2 GB/s"), 3'200'000'000u);
  EXPECT_EQ(parse_exact(Quantity::ByteRate, "800 MiB/s"), 838'860'800u);
  EXPECT_EQ(parse_exact(Quantity::TransferRate, "400 MT/s"), 400'000'000u);
  EXPECT_EQ(parse_exact(Quantity::BitRate, "6 Gb/s"), 6'000'000'000u);
  EXPECT_EQ(parse_exact(Quantity::Frequency, "1 GHz"), 1'000'000'000u);
}

TEST(Quantity, ReadsReals) {
  EXPECT_EQ(parse_real(Quantity::Voltage, "3.3 V"), 3.3);
  EXPECT_EQ(parse_real(Quantity::Voltage, "850 mV"), 0.85);
  EXPECT_EQ(parse_real(Quantity::Current, "25 mA"), 0.025);
  EXPECT_EQ(parse_real(Quantity::Current, "10 uA"), 10e-6);
  EXPECT_EQ(parse_real(Quantity::Power, "80 mW"), 0.08);
  EXPECT_EQ(parse_real(Quantity::Energy, "3.3 nJ"), 3.3e-9);
  EXPECT_EQ(parse_real(Quantity::EnergyPerByte, "1.2 nJ/B"), 1.2e-9);
  EXPECT_EQ(parse_real(Quantity::EnergyPerByte, "0.15 nJ/bit"), 1.2e-9);
  EXPECT_EQ(parse_real(Quantity::EnergyPerByte, "3.31 nJ/bit"), 26.48e-9);
  EXPECT_EQ(parse_real(Quantity::EnergyPerByte, "125 pJ/bit"), 1e-9);
  EXPECT_EQ(parse_real(Quantity::EnergyPerByte, "0 nJ/bit"), 0);
  EXPECT_EQ(parse_real(Quantity::Capacitance, "2.5 pF"), 2.5e-12);
  EXPECT_EQ(parse_real(Quantity::Ratio, "7 %"), 0.07);
  EXPECT_EQ(parse_real(Quantity::Ratio, "7%"), 0.07);
  EXPECT_EQ(parse_real(Quantity::Ratio, "0.07"), 0.07);
  EXPECT_EQ(parse_real(Quantity::Temperature, "25 C"), 25);
  EXPECT_EQ(parse_real(Quantity::Temperature, "-12.5 C"), -12.5);
  EXPECT_NEAR(parse_real(Quantity::Temperature, "298.15 K"), 25, 1e-12);
  EXPECT_EQ(parse_real(Quantity::TemperatureDifference, "5 K"), 5);
  EXPECT_EQ(parse_real(Quantity::ThermalResistance, "12.5 K/W"), 12.5);
  EXPECT_EQ(parse_real(Quantity::HeatCapacity, "800 mJ/K"), 0.8);
  EXPECT_EQ(parse_real(Quantity::ActivationEnergy, "1.1 eV"), 1.1);
  EXPECT_EQ(format_real(Quantity::Temperature, -12.5), "-12.5 C");
  EXPECT_EQ(format_real(Quantity::Temperature, 0.5), "0.5 C");
  EXPECT_EQ(format_real(Quantity::Temperature, 0), "0 C");
}

TEST(Quantity, RefusesWhatIsNoQuantity) {
  const struct {
    Quantity quantity;
    const char* text;
    const char* message;
  } cases[] = {
      {Quantity::Time, "25", "has no unit"},
      {Quantity::Time, "25 KiB", "has the unit \"KiB\""},
      {Quantity::Time, "25 US", "has the unit \"US\""},
      {Quantity::Time, "us", "does not start with a number"},
      {Quantity::Time, "", "does not start with a number"},
      {Quantity::Time, ".", "does not start with a number"},
      {Quantity::Time, "5. us", "does not start with a number"},
      {Quantity::Time, "-1 us", "is negative"},
      {Quantity::Time, "0.5 ps", "is not a whole number of ps"},
      {Quantity::Time, "0.0001 ns", "is not a whole number of ps"},
      {Quantity::Time, "0.000000000000000000000000000001 s", "is not a whole number of ps"},
      {Quantity::Time, "1.2.3 us", "has the unit \".3 us\""},
      {Quantity::Time, "1e3 us", "has the unit \"e3 us\""},
      {Quantity::Time, "6000 h", "is too large"},  // 2^64 ps are 5124 h
      {Quantity::Time, "999999999999999999999999 s", "is too large"},
      {Quantity::Bytes, "0.3 B", "is not a whole number of B"},
      {Quantity::Bytes, "16 kib", "has the unit \"kib\""},
      {Quantity::Bytes, "18446744073709551616 B", "is too large"},
      {Quantity::TransferRate, "400 MHz", "MT/s"},
  };
  for (const auto& [quantity, text, message] : cases) {
    const std::string error = exact_error(quantity, text);
    EXPECT_NE(error.find(message), std::string::npos) << '"' << text << "\": " << error;
  }
  EXPECT_THROW(parse_real(Quantity::Current, "25"), QuantityError);
  EXPECT_THROW(parse_real(Quantity::Current, "25 mV"), QuantityError);
  EXPECT_THROW(parse_real(Quantity::Current, "-25 mA"), QuantityError);
  EXPECT_THROW(parse_real(Quantity::Ratio, "7 percent"), QuantityError);
  EXPECT_THROW(parse_real(Quantity::Power, std::string(400, '9') + " W"), QuantityError);
}

TEST(Quantity, ErrorsTeachTheUnits) {
  EXPECT_EQ(exact_error(Quantity::Time, "25"),
            "\"25\" has no unit; a time is written like \"25 us\", with one of the units ps, ns, us, ms, s, min, h");
}

TEST(Quantity, FormatsInTheLargestWholeUnit) {
  EXPECT_EQ(format_exact(Quantity::Time, 3'000'000'000), "3 ms");
  EXPECT_EQ(format_exact(Quantity::Time, 290'000), "290 ns");
  EXPECT_EQ(format_exact(Quantity::Time, 52'500'000), "52500 ns");
  EXPECT_EQ(format_exact(Quantity::Time, 0), "0 s");
  EXPECT_EQ(format_exact(Quantity::Bytes, 16'384), "16 KiB");
  EXPECT_EQ(format_exact(Quantity::Bytes, 4'000), "4 kB");
  EXPECT_EQ(format_exact(Quantity::Bytes, 0), "0 B");
  EXPECT_EQ(format_exact(Quantity::TransferRate, 333'000'000), "333 MT/s");
  EXPECT_EQ(format_real(Quantity::Current, 0.025), "25 mA");
  EXPECT_EQ(format_real(Quantity::Current, 10e-6), "10 uA");
  EXPECT_EQ(format_real(Quantity::Voltage, 3.3), "3.3 V");
  EXPECT_EQ(format_real(Quantity::EnergyPerByte, 1.2e-9), "1.2 nJ/B");
  EXPECT_EQ(format_real(Quantity::EnergyPerByte, 26.48e-9), "26.48 nJ/B");  // never per bit
  EXPECT_EQ(format_real(Quantity::EnergyPerByte, 0), "0 J/B");
  EXPECT_EQ(format_real(Quantity::Capacitance, 2.5e-12), "2.5 pF");
  EXPECT_EQ(format_real(Quantity::Energy, 0), "0 J");
  EXPECT_EQ(format_real(Quantity::Power, 1500.0), "1500 W");
  EXPECT_EQ(format_real(Quantity::Energy, 2.5e-17), "0.025 fJ");
}

const Quantity kExact[] = {Quantity::Time,    Quantity::Bytes,        Quantity::ByteRate,
                           Quantity::BitRate, Quantity::TransferRate, Quantity::Frequency};
const Quantity kReal[] = {
    Quantity::Voltage,           Quantity::Current,      Quantity::Power,           Quantity::Energy,
    Quantity::EnergyPerByte,     Quantity::Capacitance,  Quantity::Temperature,     Quantity::TemperatureDifference,
    Quantity::ThermalResistance, Quantity::HeatCapacity, Quantity::ActivationEnergy};

RC_GTEST_PROP(QuantityLaw, ExactTextReadsBack, (std::uint64_t value, bool round)) {
  const std::uint64_t amount = round ? value / 1'000'000 * 1'000'000 : value;
  for (const Quantity quantity : kExact) RC_ASSERT(parse_exact(quantity, format_exact(quantity, amount)) == amount);
}

RC_GTEST_PROP(QuantityLaw, RealTextReadsBack, ()) {
  const auto mantissa = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 53);
  const auto exponent = *rc::gen::inRange(-120, 20);
  const double value = std::ldexp(static_cast<double>(mantissa), exponent);
  for (const Quantity quantity : kReal) RC_ASSERT(parse_real(quantity, format_real(quantity, value)) == value);
}

/// Any whole number of ticks written with a decimal point is read exactly.
RC_GTEST_PROP(QuantityLaw, DecimalsAreExact, ()) {
  const auto ticks = *rc::gen::inRange<std::uint64_t>(0, 1'000'000'000'000'000);
  std::string fraction = std::to_string(ticks % 1'000'000);
  fraction.insert(0, 6 - fraction.size(), '0');
  RC_ASSERT(parse_exact(Quantity::Time, std::to_string(ticks / 1'000'000) + "." + fraction + " us") == ticks);
}

}  // namespace
}  // namespace flashloom::quantity_test

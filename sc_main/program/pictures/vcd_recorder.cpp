#include "sc_main/program/pictures/vcd_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "sc_main/assembly/version.hpp"

namespace flashloom {
namespace {

// Signals of a channel, and of a die.
enum : std::uint32_t { kBus, kOwner, kChannelSignals };
enum : std::uint32_t { kReady, kCommand, kBlock, kPage, kDieSignals };

// Values of the ASCII signals.
enum : std::uint32_t { kIdle, kCommandCycles, kDataIn, kDataOut, kRead, kProgram, kErase };
constexpr const char* kWords[] = {"idle", "cmd", "data_in", "data_out", "read", "program", "erase"};
constexpr std::uint32_t kCharacters = 8;

constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
constexpr std::uint32_t kNobody = kUnknown - 1;

// Fewest bytes of a change in the file, so that the file's limit bounds the changes kept in memory.
constexpr std::uint64_t kLeastBytes = 8;

constexpr std::size_t kClosing = 32;  // room for the last "#TIME"

std::uint32_t word_of(FlashOperation operation) { return kRead + static_cast<std::uint32_t>(operation); }

// Identifier of a signal: its number in base 94, with the printable characters as digits.
std::string identifier(std::uint32_t signal) {
  std::string text;
  do text.push_back(static_cast<char>('!' + signal % 94));
  while ((signal /= 94) != 0);
  return text;
}

std::uint32_t bits_for(std::uint32_t values) { return std::max(1, static_cast<int>(std::bit_width(values - 1))); }

}  // namespace

VcdRecorder::VcdRecorder(const NandGeometry& geometry, const NandTiming& timing, std::uint64_t limit, TimeWindow window,
                         Cut cut)
    : geometry_(geometry),
      timing_(timing),
      limit_(limit),
      window_(window),
      cut_(cut),
      shown_(geometry.dies),
      reading_(geometry.dies),
      changes_(limit / kLeastBytes) {
  for (std::uint32_t channel = 0; channel < geometry.channels; ++channel) {
    signals_.push_back({"bus", 8 * kCharacters, kCharacters, kIdle});
    signals_.push_back({"owner", bits_for(geometry.dies), 0, kNobody});
  }
  for (std::uint32_t die = 0; die < geometry.dies; ++die) {
    signals_.push_back({"rb_n", 1, 0, 1});
    signals_.push_back({"command", 8 * kCharacters, kCharacters, kIdle});
    signals_.push_back({"block", bits_for(geometry.blocks), 0, kUnknown});
    signals_.push_back({"page", bits_for(geometry.pages), 0, kUnknown});
  }
}

std::uint32_t VcdRecorder::channel_signal(const OnfiCommand& command, std::uint32_t which) const {
  return geometry_.channel_of(command.address.die).value() * kChannelSignals + which;
}

std::uint32_t VcdRecorder::die_signal(const OnfiCommand& command, std::uint32_t which) const {
  return geometry_.channels * kChannelSignals + command.address.die.value() * kDieSignals + which;
}

void VcdRecorder::change(std::uint32_t signal, std::uint32_t value, Picoseconds at) {
  // The changes of one signal come in time order.
  if (at <= window_.from)
    signals_[signal].value = value;
  else if (at < window_.to)
    changes_.add({at, signal, value});
}

void VcdRecorder::show(const OnfiCommand& command, Picoseconds at) {
  shown_[command.address.die.value()] = &command;
  change(die_signal(command, kCommand), word_of(command.operation), at);
  change(die_signal(command, kBlock), command.address.block.value(), at);
  change(die_signal(command, kPage), command.address.page.value(), at);
}

void VcdRecorder::on_phase(const OnfiCommand& command, OnfiPhase phase, Picoseconds at) {
  if (at >= cut_.to && !was_off_) power_off();  // before the first event after it, which may be at the same instant
  const std::uint32_t bus = channel_signal(command, kBus);
  const std::uint32_t owner = channel_signal(command, kOwner);
  const std::uint32_t die = command.address.die.value();
  switch (phase) {
    case OnfiPhase::BeginRequest:
      return;  // the command waits for the bus: no signal changes
    case OnfiPhase::BusGranted:
      change(bus, kCommandCycles, at);
      change(owner, die, at);
      show(command, at);
      if (command.operation == FlashOperation::Program) {
        const Picoseconds data = at + timing_.command_time(FlashOperation::Program);
        if (at > cut_.from || data <= cut_.from) change(bus, kDataIn, data);
      }
      return;
    case OnfiPhase::EndRequest:
      change(bus, kIdle, at);
      change(owner, kNobody, at);
      if (command.operation == FlashOperation::Read) ++reading_[die];
      change(die_signal(command, kReady), 0, at);
      return;
    case OnfiPhase::ArrayStands:
      // A cached command: the array may still work for the previous one.
      if (at != command.at.loaded) change(die_signal(command, kReady), 1, at);
      return;
    case OnfiPhase::ArrayRuns:
      change(die_signal(command, kReady), 0, at);
      show(command, at);
      return;
    case OnfiPhase::BeginResponse:
      if (command.operation == FlashOperation::Read && --reading_[die] != 0) return;  // other planes are still reading
      change(die_signal(command, kReady), 1, at);
      return;
    case OnfiPhase::BeginData:
      change(owner, die, at);
      // If pages were read together, command cycles select each of them before its data.
      if (const Picoseconds data = command.at.complete - timing_.data_time(command.bytes); data > at) {
        change(bus, kCommandCycles, at);
        if (at > cut_.from || data <= cut_.from) change(bus, kDataOut, data);
      } else {
        change(bus, kDataOut, at);
      }
      return;
    case OnfiPhase::EndResponse:
      if (command.at.data_begin < at) {
        change(bus, kIdle, at);
        change(owner, kNobody, at);
      }
      if (shown_[die] != &command) return;
      shown_[die] = command.together;
      if (command.together == nullptr) change(die_signal(command, kCommand), kIdle, at);
      return;
  }
}

void VcdRecorder::power_off() {
  was_off_ = true;
  std::fill(reading_.begin(), reading_.end(), 0);
  const auto [from, to] = cut_;
  const auto count = static_cast<std::uint32_t>(signals_.size());
  for (std::uint32_t signal = 0; signal < count; ++signal) change(signal, kUnknown, from);
  for (std::uint32_t channel = 0; channel < geometry_.channels; ++channel) {
    change(channel * kChannelSignals + kBus, kIdle, to);
    change(channel * kChannelSignals + kOwner, kNobody, to);
  }
  for (std::uint32_t first = geometry_.channels * kChannelSignals; first < count; first += kDieSignals) {
    change(first + kReady, 1, to);
    change(first + kCommand, kIdle, to);
  }
}

void VcdRecorder::append(std::string& text, std::uint32_t signal, std::uint32_t value) const {
  const Signal& info = signals_[signal];
  if (info.bits == 1) {
    text += value == kUnknown ? 'x' : value == kNobody ? 'z' : static_cast<char>('0' + value);
  } else {
    text += 'b';
    if (value == kUnknown || value == kNobody) {
      text += value == kUnknown ? 'x' : 'z';
    } else if (info.characters != 0) {
      for (const char* letter = kWords[value]; *letter != '\0'; ++letter)
        fmt::format_to(std::back_inserter(text), "{:08b}", static_cast<unsigned>(*letter));
    } else {
      fmt::format_to(std::back_inserter(text), "{:b}", value);
    }
    text += ' ';
  }
  text += identifier(signal);
  text += '\n';
}

std::string VcdRecorder::header() const {
  std::string text = std::string("$version flashloom ") + flashloom_version() +
                     " $end\n$timescale 1 ps $end\n$scope module flashloom $end\n";
  const auto declare = [&](std::uint32_t signal) {
    const Signal& info = signals_[signal];
    fmt::format_to(std::back_inserter(text), "$var {} {} {} {}{} $end\n", info.characters != 0 ? "reg" : "wire",
                   info.bits, identifier(signal), info.name,
                   info.bits == 1 ? "" : fmt::format(" [{}:0]", info.bits - 1));
  };
  for (std::uint32_t channel = 0; channel < geometry_.channels; ++channel) {
    fmt::format_to(std::back_inserter(text), "$scope module channel{} $end\n", channel);
    for (std::uint32_t which = 0; which < kChannelSignals; ++which) declare(channel * kChannelSignals + which);
    for (std::uint32_t position = 0; position < geometry_.dies_per_channel(); ++position) {
      const std::uint32_t die = geometry_.die_at(Channel{channel}, position).value();
      fmt::format_to(std::back_inserter(text), "$scope module die{} $end\n", die);
      for (std::uint32_t which = 0; which < kDieSignals; ++which)
        declare(geometry_.channels * kChannelSignals + die * kDieSignals + which);
      text += "$upscope $end\n";
    }
    text += "$upscope $end\n";
  }
  text += "$upscope $end\n$enddefinitions $end\n";
  return text;
}

std::string VcdRecorder::text(Picoseconds end) {
  if (end > cut_.from && !was_off_) power_off();
  std::string text = header();
  fmt::format_to(std::back_inserter(text), "#{}\n$dumpvars\n", window_.from);
  std::vector<std::uint32_t> values;
  for (std::uint32_t signal = 0; signal < signals_.size(); ++signal) {
    values.push_back(signals_[signal].value);
    append(text, signal, values.back());
  }
  text += "$end\n";

  const std::vector<Change>& changes = changes_.sorted();
  cut_off_ = changes_.horizon();
  Picoseconds last = std::max(window_.from, std::min(window_.to, end));
  std::vector<std::uint32_t> before = values;
  std::string instant;
  for (std::size_t i = 0; i < changes.size() && changes[i].at <= end;) {
    // If a signal has several values at one instant, the last one counts.
    const Picoseconds at = changes[i].at;
    const std::size_t first = i;
    for (; i < changes.size() && changes[i].at == at; ++i) values[changes[i].signal] = changes[i].value;
    instant = fmt::format("#{}\n", at);
    const std::size_t empty = instant.size();
    for (std::size_t k = first; k < i; ++k) {
      const std::uint32_t signal = changes[k].signal;
      if (values[signal] != before[signal]) append(instant, signal, values[signal]);
      before[signal] = values[signal];
    }
    if (instant.size() == empty) continue;
    if (text.size() + instant.size() + kClosing > limit_) {
      cut_off_ = std::min(cut_off_, at);
      break;
    }
    text += instant;
  }
  if (cut_off_ <= end)
    last = std::min(last, cut_off_);
  else
    cut_off_ = kNever;
  fmt::format_to(std::back_inserter(text), "#{}\n", last);
  return text;
}

std::string VcdRecorder::gtkwave_text() const {
  std::string text = "[timestart] 0\n[sst_expanded] 1\n";
  std::string flags;
  const auto show = [&](std::uint32_t signal, const std::string& scope) {
    const Signal& info = signals_[signal];
    // Flags of a trace, in hexadecimal: right-justified, and ASCII, decimal or binary.
    const std::string wanted = info.characters != 0 ? "@820" : info.bits == 1 ? "@28" : "@24";
    if (wanted != flags) text += wanted + "\n";
    flags = wanted;
    text += scope + info.name + (info.bits == 1 ? "" : fmt::format("[{}:0]", info.bits - 1)) + "\n";
  };
  for (std::uint32_t channel = 0; channel < geometry_.channels; ++channel) {
    const std::string scope = fmt::format("flashloom.channel{}.", channel);
    text += "@200\n-" + scope.substr(0, scope.size() - 1) + "\n";
    flags.clear();
    for (std::uint32_t which = 0; which < kChannelSignals; ++which) show(channel * kChannelSignals + which, scope);
    for (std::uint32_t position = 0; position < geometry_.dies_per_channel(); ++position) {
      const std::uint32_t die = geometry_.die_at(Channel{channel}, position).value();
      text += fmt::format("@200\n-die {}\n", die);
      flags.clear();
      for (std::uint32_t which = 0; which < kDieSignals; ++which)
        show(geometry_.channels * kChannelSignals + die * kDieSignals + which, fmt::format("{}die{}.", scope, die));
    }
  }
  return text;
}

}  // namespace flashloom

// Family "host_interface": the command protocol between host and device. A part chooses the queue from which a command
// is fetched next, says what crosses the link beside data and when completions are reported, and checks the
// configuration. HostInterface keeps the queues, accepts commands and has them carried out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controllers/host_interface/host_interface_config.hpp"
#include "models/block/io_command.hpp"

namespace flashloom {

struct LinkConfig;

struct HostProtocolContext {
  std::uint32_t queues;  ///< submission queues
  /// Class of each queue, in order, as in HostConfig.
  const std::vector<std::string>& queue_priorities;
  const HostInterfaceConfig& interface;
  const LinkConfig& link;
};

/// The submission queues as pick() sees them.
class SubmissionQueues {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// The oldest command of a queue that has not been fetched; null: the queue is empty.
  virtual const IoCommand* head(std::uint32_t queue) const = 0;
  /// Commands that are fetched and not complete.
  virtual std::uint32_t in_device() const = 0;

 protected:
  ~SubmissionQueues() = default;
};

/// Bytes that cross the link for one command beside its data.
struct CommandFrames {
  std::uint32_t accepted = 0;        ///< to the host when the command was received; nothing waits for it
  std::uint32_t completion = 0;      ///< to the host at its completion
  const DataFrames* data = nullptr;  ///< around its data
};

class HostProtocol {
 public:
  static constexpr const char* kFamily = "host_interface";
  using Context = HostProtocolContext;

  struct Traits {
    std::uint32_t command_bytes = 0;     ///< to the device, each command
    std::uint32_t completion_bytes = 0;  ///< to the host, each command; CommandFrames::completion if that is not 0
    /// pick() chooses the queue; else round robin, one command a turn.
    bool picks = false;
    /// frames() and list() are called for each command; else a command costs only the two figures above.
    bool frames = false;
    /// A command occupies its slot and entry until the host has its completion; else until firmware is done with it.
    bool held_until_reported = false;
    /// Completions of a queue for one interrupt; 1: each raises its own.
    std::uint32_t aggregate = 1;
    Picoseconds aggregate_time = 0;  ///< longest wait of the first of them
  };

  /// How the queues of a host with registers are arbitrated.
  struct Arbitration {
    bool weighted = false;     ///< by classes; else round robin
    std::uint32_t burst = 1;   ///< commands that one turn of a queue takes at most; 0: no limit
    std::uint32_t high = 1;    ///< commands of high queues a round
    std::uint32_t medium = 1;  ///< of medium ones
    std::uint32_t low = 1;     ///< of low ones
  };

  virtual ~HostProtocol() = default;
  /// May change with the functions below.
  virtual Traits traits() const = 0;

  // Called by a front end with registers, in front of the protocol, while nothing is queued.
  /// The present arbitration.
  virtual Arbitration arbitration() const { return {}; }
  virtual void arbitrate(const Arbitration& /*arbitration*/) {}
  /// The class of a queue, 0 (urgent) to 3 (low).
  virtual void classify(std::uint32_t /*queue*/, std::uint32_t /*priority*/) {}
  /// Ends aggregation of completions: the front end aggregates its interrupts itself.
  virtual void report_at_once() {}

  /// The queue whose head is fetched, or kNone: no command may be fetched now. Called when some queue is not empty; the
  /// command is then fetched at once.
  virtual std::uint32_t pick(const SubmissionQueues& /*queues*/) { return SubmissionQueues::kNone; }
  virtual CommandFrames frames(const IoCommand& /*command*/) const { return {}; }
  /// Bytes of piece `piece` of the lists (PRP lists, trim ranges) that the device reads from the host, one after the
  /// other, before it begins the command; 0: there are no more.
  virtual std::uint32_t list(const IoCommand& /*command*/, std::uint32_t /*piece*/) const { return 0; }
  /// Bytes to the host that request a piece of the lists; 0: the device reads it by DMA.
  virtual std::uint32_t list_request() const { return 0; }
  /// Power was cut: drops all state of commands.
  virtual void reset() {}

  /// Throws ConfigProblem for a configuration that does not go together with the protocol.
  virtual void check() const = 0;
};

}  // namespace flashloom

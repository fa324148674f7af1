// The SSD as a module of a third-party model: a platform sends commands one by one, and waits for each.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "sc_main/assembly/config/document.hpp"
#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/library/ssd.hpp"
#include "sc_main/assembly/system/ssd.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/in_child.hpp"
#include "tests/support/source_dir.hpp"

namespace flashloom::ssd_module_test {
namespace {

/// Runs a body in a SystemC thread.
class Platform : public sc_core::sc_module, private BlockBackward {
 public:
  BlockInitiatorSocket socket;

  explicit Platform(const sc_core::sc_module_name& name, std::function<void(Platform&)> body)
      : sc_module(name), socket("socket"), body_(std::move(body)) {
    socket.bind(static_cast<BlockBackward&>(*this));
    SC_HAS_PROCESS(Platform);
    SC_THREAD(run);
  }

  void begin(IoCommand& command) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    socket->nb_transport_fw(command, phase, delay);
  }
  void end() { wait(complete_); }
  IoStatus carry_out(IoOperation operation, std::uint64_t offset, std::uint64_t length, SectorToken* tokens = nullptr) {
    IoCommand command;
    command.operation = operation;
    command.offset = offset;
    command.length = length;
    command.tokens = tokens;
    begin(command);
    end();
    times.push_back(command.at.complete - command.at.submit);
    parts_add = parts_add && command.breakdown.sum() == times.back();
    return command.status;
  }

  std::vector<Picoseconds> times;
  bool parts_add = true;

 private:
  void run() { body_(*this); }
  tlm::tlm_sync_enum nb_transport_bw(IoCommand&, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    complete_.notify(delay);
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  std::function<void(Platform&)> body_;
  sc_core::sc_event complete_;
};

SsdOptions options(std::vector<std::string> overrides = {}) {
  overrides.emplace_back("host.queues=1");
  return {.overrides = std::move(overrides), .presets = source_dir() + "/configs"};
}

std::vector<Request> mixture() {
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < 600; ++i)
    requests.push_back({.offset = (i * 7919) % 1500 * 4096,
                        .length = 4096,
                        .kind = i % 3 == 0 ? RequestKind::Read : RequestKind::Write});
  return requests;
}

TEST(SsdModule, DoesWhatARunDoes) {
  const std::vector<std::string> device = {"nand.blocks=40", "nand.pages=16", "ftl.over_provisioning=0.5",
                                           "precondition.fill=1.0", "host.queues=1"};
  const std::vector<Request> requests = mixture();
  const Json run = simulate(preset("calibration", device), {{.requests = requests}});
  const Json module = in_child([&]() -> Json {
    SsdModule ssd("ssd", "calibration", options(device));
    Platform platform("platform", [&](Platform& self) {
      for (const Request& request : requests)
        self.carry_out(request.kind == RequestKind::Read ? IoOperation::Read : IoOperation::Write, request.offset,
                       request.length);
    });
    platform.socket.bind(ssd.socket());
    sc_core::sc_start();
    Json result = Json::parse(ssd.result());
    result["parts_add"] = platform.parts_add;
    return result;
  });
  EXPECT_EQ(module["host"]["read"]["ios"], 200);
  EXPECT_EQ(module["host"]["write"]["bytes"], 400 * 4096);
  for (const char* const key : {"reads", "programs", "erases"})
    EXPECT_EQ(module["flash"][key]["gc"], run["flash"][key]["gc"]) << key;
  EXPECT_EQ(module["flash"]["reads"]["host"], run["flash"]["reads"]["host"]);
  EXPECT_EQ(module["config"], run["config"]);
  EXPECT_EQ(module["wear"], run["wear"]);
  EXPECT_TRUE(module["parts_add"]);
}

TEST(SsdModule, UnloadedReadsTakeWhatARunSays) {
  const std::vector<std::string> device = {"precondition.fill=1.0", "host.queues=1"};
  std::vector<Request> reads(20);
  for (std::uint64_t i = 0; i < reads.size(); ++i)
    reads[i] = {.offset = i * 4096, .length = 4096, .kind = RequestKind::Read};
  const Json run = simulate(preset("calibration", device), {{.requests = reads}});
  const Json module = in_child([&]() -> Json {
    SsdModule ssd("ssd", "calibration", options(device));
    Platform platform("platform", [&](Platform& self) {
      for (const Request& read : reads) self.carry_out(IoOperation::Read, read.offset, read.length);
    });
    platform.socket.bind(ssd.socket());
    sc_core::sc_start();
    return platform.times;
  });
  for (const Json& time : module) EXPECT_EQ(time, run["latency_ps"]["read"][0]);
}

// Tokens stand for data: each of two drives returns the tokens that were written to it.
TEST(SsdModule, TwoKeepTheirOwnData) {
  const Json seen = in_child([]() -> Json {
    SsdModule one("one", "tiny", options({"verify=true"}));
    SsdModule other("other", "tiny", options({"verify=true", "nand.channels=1"}));
    Json read = Json::array();
    const auto body = [&read](SectorToken first) {
      return [&read, first](Platform& self) {
        SectorToken tokens[8];
        for (SectorToken& token : tokens) token = first;
        self.carry_out(IoOperation::Write, 4096, 4096, tokens);
        for (SectorToken& token : tokens) token = 0;
        self.carry_out(IoOperation::Read, 4096, 4096, tokens);
        for (const SectorToken token : tokens) read.push_back(token);
      };
    };
    Platform left("left", body(11));
    Platform right("right", body(22));
    left.socket.bind(one.socket());
    right.socket.bind(other.socket());
    sc_core::sc_start();
    std::sort(read.begin(), read.end());
    return read;
  });
  EXPECT_EQ(seen, Json::array({11, 11, 11, 11, 11, 11, 11, 11, 22, 22, 22, 22, 22, 22, 22, 22}));
}

Json cut(std::vector<std::string> overrides) {
  return in_child([&]() -> Json {
    overrides.insert(overrides.end(), {"verify=true", "precondition.fill=1.0"});
    SsdModule ssd("ssd", "tiny", options(overrides));
    Json seen;
    Platform platform("platform", [&](Platform& self) {
      seen["ready_at_first"] = ssd.ready();
      SectorToken tokens[8];
      for (SectorToken& token : tokens) token = 7;
      self.carry_out(IoOperation::Write, 0, 4096, tokens);
      IoCommand open;
      open.offset = 8192;
      open.length = 65536;
      SectorToken read[128];
      open.tokens = read;
      self.begin(open);
      ssd.power_cut(sc_core::sc_time(1, sc_core::SC_MS));
      ssd.power_cut(sc_core::sc_time(1, sc_core::SC_MS));  // no effect: the power is already off
      self.end();
      seen["lost"] = open.status == IoStatus::PowerLost;
      seen["ready"] = ssd.ready();
      for (SectorToken& token : tokens) token = 0;
      seen["later"] = self.carry_out(IoOperation::Read, 0, 4096, tokens) == IoStatus::Ok;  // waits for the mount
      seen["kept"] = tokens[0] == 7;
      seen["ready_again"] = ssd.ready();
    });
    platform.socket.bind(ssd.socket());
    sc_core::sc_start();
    return seen;
  });
}

TEST(SsdModule, LosesPowerAndMounts) {
  const Json seen = cut({"buffer.mode=write_through"});
  EXPECT_EQ(seen, Json::parse(R"({"ready_at_first": true, "lost": true, "ready": false, "later": true, "kept": true,
                                  "ready_again": true})"));
  EXPECT_EQ(cut({"buffer.mode=write_back", "power.plp=true"}), seen);
  EXPECT_EQ(cut({"buffer.mode=write_back"})["kept"], false);
}

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

TEST(SsdModule, CommandBeforeTheStartIsAnError) {
  const Json seen = in_child([]() -> Json {
    const DeviceConfig config = preset("tiny", {"host.queues=1"});
    Ssd ssd("ssd", config);  // start_timed() is not called
    Platform platform("platform", [](Platform& self) { self.carry_out(IoOperation::Read, 0, 4096); });
    platform.socket.bind(ssd.socket(0));
    return message_of([] { sc_core::sc_start(); });
  });
  EXPECT_NE(seen.get<std::string>().find("a command has reached an SSD that was not started"), std::string::npos)
      << seen;
}

TEST(SsdModule, WrongCommandsAndDevicesAreErrors) {
  const Json seen = in_child([]() -> Json {
    SsdModule ssd("ssd", "tiny", options());
    Platform platform("platform", [](Platform& self) { self.carry_out(IoOperation::Read, 100, 4096); });
    platform.socket.bind(ssd.socket());
    return message_of([] { sc_core::sc_start(); });
  });
  EXPECT_NE(seen.get<std::string>().find("whole sectors of 512 B"), std::string::npos) << seen;
  const auto refused = [](const std::string& device, std::vector<std::string> overrides) {
    return in_child(
               [&]() -> Json { return message_of([&] { SsdModule("ssd", device, options(std::move(overrides))); }); })
        .get<std::string>();
  };
  EXPECT_NE(refused("tiny", {"host.cache.size=1 MiB"}).find("host.cache.size"), std::string::npos);
  EXPECT_NE(refused("tyny", {}).find("did you mean \"tiny\""), std::string::npos);
  EXPECT_NE(refused("tiny", {"nand.ways=0"}).find("nand.ways"), std::string::npos);
}

}  // namespace
}  // namespace flashloom::ssd_module_test

// The links of a network between flash controllers and chips, and the paths through them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>


namespace flashloom {

struct NetworkConfig;

/// A path from a controller's port to a chip. No links: there is none.
struct NetworkPath {
  std::vector<std::uint32_t> links;  ///< in the order in which bytes to the chip cross them; links[0] is the port's
  std::uint32_t steps = 0;           ///< steps of the scout that found it, including those back from dead ends
  bool minimal = true;               ///< it is a shortest path from this port
  std::uint32_t hops() const { return static_cast<std::uint32_t>(links.size()); }
  std::uint32_t port() const { return links.front(); }
};

/// By link: 1 if it is in use, or else 0.
using TakenLinks = std::vector<std::uint8_t>;

/// Chips lie in `rows` (channels) and `columns` (ways). Links 0 .. ports() - 1 belong to the ports, the first `rows` of
/// them to the channels' controllers. Ports are tried in order of distance from the chip's row: its own, the one above,
/// the one below, and so on. Deterministic; nothing is allocated after construction.
///
///  * "crossbar": each port reaches each chip, over one link.
///  * "mesh": a router beside each chip, linked to its four neighbours, and each row's first one to the port. Links
///    carry one transfer at a time, in either direction (Nadig et al., "Venice", ISCA 2023). Routing "minimal": along
///    the port's row, then along the chip's column (dimension order). "adaptive": a scout goes from router to router,
///    towards the chip where it can (row first), else aside (up, down, right, left), and back from dead ends; to no
///    router twice, and on no path of more than `detour` hops beyond the shortest.
///  * "vertical": besides the bus of its channel each chip is on a bus of its way, with a port of its own, numbered
///    `rows` and up (Kim et al., "Networked SSD", MICRO 2022: their Omnibus, without chip-to-chip transfers).
class PathFinder {
 public:
  PathFinder(std::uint32_t rows, std::uint32_t columns, std::uint32_t links, std::uint32_t ports)
      : rows_(rows), columns_(columns), links_(links), ports_(ports) {}
  virtual ~PathFinder() = default;
  static std::unique_ptr<PathFinder> make(const NetworkConfig& config, std::uint32_t rows, std::uint32_t columns);

  std::uint32_t links() const { return links_; }
  std::uint32_t ports() const { return ports_; }
  /// Maximum number of links of a path from find().
  virtual std::uint32_t longest() const { return 1; }

  /// Finds the first free path to the chip; false: there is none, and `path` has no links.
  virtual bool find(std::uint32_t row, std::uint32_t column, const TakenLinks& taken, NetworkPath& path) = 0;

 protected:
  /// Calls f(row of the port) in order of distance from `row` until it returns true; false: it never does.
  template <class F>
  bool any_port(std::uint32_t row, F&& f) const {
    for (std::uint32_t away = 0; away < rows_; ++away) {
      if (away <= row && f(row - away)) return true;
      if (away != 0 && row + away < rows_ && f(row + away)) return true;
    }
    return false;
  }

  std::uint32_t rows_;
  std::uint32_t columns_;

 private:
  std::uint32_t links_;
  std::uint32_t ports_;
};

}  // namespace flashloom

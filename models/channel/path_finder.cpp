#include "models/channel/path_finder.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "models/nand/network_config.hpp"

namespace flashloom {
namespace {

bool take_one(std::uint32_t link, const TakenLinks& taken, NetworkPath& path) {
  path.links.clear();
  if (taken[link] != 0) return false;
  path.links.push_back(link);
  path.steps = 1;
  path.minimal = true;
  return true;
}

class Crossbar final : public PathFinder {
 public:
  Crossbar(std::uint32_t rows, std::uint32_t columns) : PathFinder(rows, columns, rows, rows) {}

  bool find(std::uint32_t row, std::uint32_t, const TakenLinks& taken, NetworkPath& path) override {
    return any_port(row, [&](std::uint32_t port) { return take_one(port, taken, path); });
  }
};

class Vertical final : public PathFinder {
 public:
  Vertical(std::uint32_t rows, std::uint32_t columns) : PathFinder(rows, columns, rows + columns, rows + columns) {}

  bool find(std::uint32_t row, std::uint32_t column, const TakenLinks& taken, NetworkPath& path) override {
    return take_one(row, taken, path) || take_one(rows_ + column, taken, path);
  }
};

class Mesh final : public PathFinder {
 public:
  Mesh(const NetworkConfig& config, std::uint32_t rows, std::uint32_t columns)
      : PathFinder(rows, columns, rows + rows * (columns - 1) + (rows - 1) * columns, rows),
        adaptive_(config.routing == "adaptive"),
        detour_(config.detour),
        visited_(std::size_t{rows} * columns) {
    trail_.reserve(longest());
  }

  std::uint32_t longest() const override {
    const std::uint32_t direct = rows_ + columns_ - 1;
    return adaptive_ ? std::min(direct + detour_, rows_ * columns_) : direct;
  }

  bool find(std::uint32_t row, std::uint32_t column, const TakenLinks& taken, NetworkPath& path) override {
    path.links.clear();
    return any_port(row, [&](std::uint32_t port) {
      if (taken[port] != 0) return false;
      return adaptive_ ? scout(port, {row, column}, taken, path) : straight(port, {row, column}, taken, path);
    });
  }

 private:
  struct Router {
    std::uint32_t row = 0;
    std::uint32_t column = 0;
    bool operator==(const Router&) const = default;
  };
  enum Direction : std::uint8_t { kUp, kDown, kRight, kLeft };
  /// A router on the scout's path, with the directions not tried there.
  struct Stop {
    Router at;
    std::array<Direction, 4> order{};
    std::uint32_t next = 0;
  };

  static std::uint32_t apart(std::uint32_t a, std::uint32_t b) { return a < b ? b - a : a - b; }
  static std::uint32_t distance(const Router& a, const Router& b) {
    return apart(a.row, b.row) + apart(a.column, b.column);
  }
  std::uint32_t along_row(std::uint32_t row, std::uint32_t left) const { return rows_ + row * (columns_ - 1) + left; }
  std::uint32_t along_column(std::uint32_t above, std::uint32_t column) const {
    return rows_ + rows_ * (columns_ - 1) + above * columns_ + column;
  }

  bool straight(std::uint32_t port, const Router& to, const TakenLinks& taken, NetworkPath& path) {
    path.links.assign(1, port);
    for (std::uint32_t c = 0; c < to.column; ++c) path.links.push_back(along_row(port, c));
    for (std::uint32_t r = port; r < to.row; ++r) path.links.push_back(along_column(r, to.column));
    for (std::uint32_t r = port; r > to.row; --r) path.links.push_back(along_column(r - 1, to.column));
    path.steps = path.hops();
    path.minimal = true;
    if (std::none_of(path.links.begin(), path.links.end(), [&](std::uint32_t link) { return taken[link] != 0; }))
      return true;
    path.links.clear();
    return false;
  }

  Stop stop_at(const Router& at, const Router& to) const {
    Stop stop{.at = at};
    std::uint32_t n = 0;
    if (to.column != at.column) stop.order[n++] = to.column > at.column ? kRight : kLeft;
    if (to.row != at.row) stop.order[n++] = to.row > at.row ? kDown : kUp;
    const std::uint32_t towards = n;
    for (const Direction direction : {kUp, kDown, kRight, kLeft})
      if (std::find(stop.order.begin(), stop.order.begin() + towards, direction) == stop.order.begin() + towards)
        stop.order[n++] = direction;
    return stop;
  }

  /// The neighbour of a router, and the link to it; false: there is none.
  bool step(const Router& from, Direction direction, Router& to, std::uint32_t& link) const {
    to = from;
    switch (direction) {
      case kUp:
        if (from.row == 0) return false;
        link = along_column(--to.row, from.column);
        return true;
      case kDown:
        if (++to.row == rows_) return false;
        link = along_column(from.row, from.column);
        return true;
      case kRight:
        if (++to.column == columns_) return false;
        link = along_row(from.row, from.column);
        return true;
      case kLeft:
        break;
    }
    if (from.column == 0) return false;
    link = along_row(from.row, --to.column);
    return true;
  }

  bool scout(std::uint32_t port, const Router& to, const TakenLinks& taken, NetworkPath& path) {
    const Router first{port, 0};
    const std::uint32_t shortest = 1 + distance(first, to);
    ++scouts_;
    path.links.assign(1, port);
    path.steps = 1;
    trail_.clear();
    trail_.push_back(stop_at(first, to));
    visited_[std::size_t{port} * columns_] = scouts_;
    while (!trail_.empty()) {
      Stop& here = trail_.back();
      if (here.at == to) {
        path.minimal = path.hops() == shortest;
        return true;
      }
      Router there;
      std::uint32_t link = 0;
      bool went = false;
      while (!went && here.next < here.order.size()) {
        if (!step(here.at, here.order[here.next++], there, link) || taken[link] != 0) continue;
        std::uint64_t& visited = visited_[std::size_t{there.row} * columns_ + there.column];
        if (visited == scouts_ || path.hops() + 1 + distance(there, to) > shortest + detour_) continue;
        visited = scouts_;
        went = true;
      }
      ++path.steps;
      if (went) {
        path.links.push_back(link);
        trail_.push_back(stop_at(there, to));
      } else {
        path.links.pop_back();
        trail_.pop_back();
      }
    }
    path.links.clear();
    return false;
  }

  bool adaptive_;
  std::uint32_t detour_;
  std::uint64_t scouts_ = 0;
  std::vector<std::uint64_t> visited_;  // by router: the last scout that visited it
  std::vector<Stop> trail_;
};

}  // namespace

std::unique_ptr<PathFinder> PathFinder::make(const NetworkConfig& config, std::uint32_t rows, std::uint32_t columns) {
  if (config.topology == "crossbar") return std::make_unique<Crossbar>(rows, columns);
  if (config.topology == "mesh") return std::make_unique<Mesh>(config, rows, columns);
  if (config.topology == "vertical") return std::make_unique<Vertical>(rows, columns);
  throw std::invalid_argument("nand.network.topology: \"" + config.topology + "\" has no paths");
}

}  // namespace flashloom

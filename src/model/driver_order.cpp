// SPDX-License-Identifier: MIT
// What drivers read and write, the order that follows from it, and cycles.
#include <algorithm>
#include <unordered_map>

#include "dermis/model.h"
#include "model/driving.h"

namespace dermis {
namespace {

// Values and drivers as one graph, so that it stays linear: a driver points to what it writes, and a value to
// the drivers that read it. `world` is the frame of a node, `place` its position without its own rotation.
enum class Value : std::uint8_t { translation, rotation, scale, world, place };
constexpr std::size_t kValuesPerNode = 5;

class DriverGraph {
 public:
  explicit DriverGraph(const Character& character) : character_(character) {
    for (const Driver& driver : character.drivers) {
      const auto* value = std::get_if<DrivenValue>(&driver.rule);
      has_aims_ = has_aims_ || std::holds_alternative<DrivenAim>(driver.rule);
      if (value == nullptr) continue;
      if (value->output == DriverOutput::shape) shapes_.emplace(value->shape, shapes_.size());
    }
    first_shape_ = character.nodes.size() * kValuesPerNode;
    first_driver_ = first_shape_ + shapes_.size();
    readers_.resize(first_driver_ + character.drivers.size());
    input_count_.resize(readers_.size());
    if (has_aims_) connect_nodes();
    for (std::size_t d = 0; d < character.drivers.size(); ++d) connect(d);
  }

  DriverOrder order() const {
    DriverOrder result;
    std::vector<std::size_t> left = input_count_, ready;
    for (std::size_t v = 0; v < left.size(); ++v) {
      if (left[v] == 0) ready.push_back(v);
    }
    for (std::size_t next = 0; next < ready.size(); ++next) {
      if (ready[next] >= first_driver_)
        result.order.push_back(static_cast<Index>(ready[next] - first_driver_));
      for (const std::size_t reader : readers_[ready[next]]) {
        if (--left[reader] == 0) ready.push_back(reader);
      }
    }
    if (result.order.size() < character_.drivers.size()) result.cycle = cycle_among(left);
    return result;
  }

 private:
  void add(std::size_t from, std::size_t to) {
    readers_[from].push_back(to);
    ++input_count_[to];
  }
  static std::size_t value_of(Index node, Value value) {
    return at(node) * kValuesPerNode + static_cast<std::size_t>(value);
  }

  void connect_nodes() {
    for (std::size_t n = 0; n < character_.nodes.size(); ++n) {
      const auto node = static_cast<Index>(n);
      for (const Value part : {Value::place, Value::rotation, Value::scale})
        add(value_of(node, part), value_of(node, Value::world));
      add(value_of(node, Value::translation), value_of(node, Value::place));
      if (const Index parent = character_.nodes[n].parent; parent != kNone)
        add(value_of(parent, Value::world), value_of(node, Value::place));
    }
  }

  void connect(std::size_t d) {
    const std::size_t driver = first_driver_ + d;
    const auto reads = [&](Index node, Value value) { add(value_of(node, value), driver); };
    const auto writes = [&](Index node, Value value) { add(driver, value_of(node, value)); };
    if (const auto* value = std::get_if<DrivenValue>(&character_.drivers[d].rule)) {
      for (const DriverFactor& factor : value->factors) connect_factor(factor, driver);
      switch (value->output) {
        case DriverOutput::turn:
          return writes(value->node, Value::rotation);
        case DriverOutput::translation:
          return writes(value->node, Value::translation);
        case DriverOutput::scale:
          return writes(value->node, Value::scale);
        case DriverOutput::shape:
          return add(driver, first_shape_ + shapes_.at(value->shape));
      }
    } else if (const auto* turn = std::get_if<DrivenRotation>(&character_.drivers[d].rule)) {
      reads(turn->source, Value::rotation);
      writes(turn->node, Value::rotation);
    } else if (const auto* aim = std::get_if<DrivenAim>(&character_.drivers[d].rule)) {
      reads(aim->node, Value::place);
      reads(aim->target, Value::place);
      writes(aim->node, Value::rotation);
      if (aim->stretches) writes(aim->node, Value::scale);
    }
  }

  void connect_factor(const DriverFactor& factor, std::size_t driver) {
    switch (factor.input) {
      case DriverInput::turn:
      case DriverInput::swing:
        return add(value_of(factor.node, Value::rotation), driver);
      case DriverInput::translation:
        return add(value_of(factor.node, Value::translation), driver);
      case DriverInput::scale:
        return add(value_of(factor.node, Value::scale), driver);
      case DriverInput::shape:
        if (const auto shape = shapes_.find(factor.shape); shape != shapes_.end())
          add(first_shape_ + shape->second, driver);
        return;
      case DriverInput::control:
        return;
    }
  }

  // The drivers of one cycle. Everything left has an input that is left too, so stepping back from any of
  // them ends up on a cycle.
  std::vector<Index> cycle_among(const std::vector<std::size_t>& left) const {
    std::vector<std::size_t> writer_of(readers_.size(), readers_.size());
    for (std::size_t v = 0; v < readers_.size(); ++v) {
      if (left[v] == 0) continue;
      for (const std::size_t reader : readers_[v]) writer_of[reader] = std::min(writer_of[reader], v);
    }
    std::size_t v = 0;
    while (left[v] == 0) ++v;
    std::vector<bool> is_visited(readers_.size());
    for (; !is_visited[v]; v = writer_of[v]) is_visited[v] = true;
    std::vector<Index> cycle;
    const std::size_t first = v;
    do {
      if (v >= first_driver_) cycle.push_back(static_cast<Index>(v - first_driver_));
      v = writer_of[v];
    } while (v != first);
    std::reverse(cycle.begin(), cycle.end());
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    return cycle;
  }

  const Character& character_;
  bool has_aims_ = false;
  std::unordered_map<std::string_view, std::size_t> shapes_;  // those that drivers write
  std::size_t first_shape_ = 0, first_driver_ = 0;
  std::vector<std::vector<std::size_t>> readers_;
  std::vector<std::size_t> input_count_;
};

}  // namespace

DriverOrder driver_order(const Character& character) {
  return character.drivers.empty() ? DriverOrder{} : DriverGraph(character).order();
}

std::string cycle_words(const Character& character, std::span<const Index> cycle) {
  constexpr std::size_t kMostNamed = 8;
  std::string words;
  for (const Index driver : cycle.first(std::min(cycle.size(), kMostNamed)))
    words += quoted_name(character.drivers[at(driver)].name) + " -> ";
  if (cycle.size() > kMostNamed) words += "... -> ";
  return words + quoted_name(character.drivers[at(cycle.front())].name);
}

std::vector<NodeParts> driven_parts(const Character& character) {
  if (character.drivers.empty()) return {};
  std::vector<NodeParts> parts(character.nodes.size());
  for (const Driver& driver : character.drivers) {
    if (const auto* value = std::get_if<DrivenValue>(&driver.rule)) {
      if (value->output == DriverOutput::turn) parts[at(value->node)].rotation = true;
      if (value->output == DriverOutput::translation) parts[at(value->node)].translation = true;
      if (value->output == DriverOutput::scale) parts[at(value->node)].scale = true;
    } else if (const auto* turn = std::get_if<DrivenRotation>(&driver.rule)) {
      parts[at(turn->node)].rotation = true;
    } else if (const auto* aim = std::get_if<DrivenAim>(&driver.rule)) {
      parts[at(aim->node)].rotation = true;
      if (aim->stretches) parts[at(aim->node)].scale = true;
    }
  }
  return parts;
}

bool has_driven_values(const Character& character) {
  return !character.drivers.empty() || !character.shape_rules.empty() || !character.pose_spaces.empty();
}

}  // namespace dermis

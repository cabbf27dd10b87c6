// SPDX-License-Identifier: MIT
// What the operations on shapes share: the chosen meshes and shapes, and the report.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dermis/ops/shapes.h"
#include "ops/job.h"

namespace dermis {

// An operation while it works.
struct ShapesWork {
  Asset& asset;
  std::vector<Index> meshes{};  // that may change
  // By mesh and name: what became of a shape.
  std::map<std::pair<Index, std::string>, const char*> changes{};
  ShapesReport report{};
  Stopwatch watch{};

  Character& character() const { return asset.character; }
  Mesh& mesh(Index m) const { return asset.character.meshes[at(m)]; }
};

Result<ShapesWork> start_shapes(Asset& asset, const ShapesRequest& request, const char* operation);
// Adds a shape to a mesh, or replaces the one of its name.
void put_shape(Index mesh, Shape shape, ShapesWork& work);
// The shapes whose product a driver sets on `shape`; empty if it does anything else.
std::vector<std::string> product_of(const Driver& driver, const std::string& shape);
// The shapes of meshes as they are, without what changed.
std::vector<ShapesReport::Shape> rows_of(const Character& character, const std::vector<Index>& meshes);
// The report lists the shapes of the chosen meshes.
ShapesReport end_shapes(ShapesWork& work);

// A shape of a mesh.
struct ChosenShape {
  Index mesh = kNone, shape = kNone;
};
// The shapes that patterns name; an error, with the nearest name, for a pattern that names none.
Result<std::vector<ChosenShape>> choose_shapes(const std::vector<std::string>& patterns,
                                               const ShapesWork& work);

// Changes a copy of the asset, which replaces it if all goes well. `change` gets the work.
template <class Change>
Result<ShapesReport> on_copy_of_shapes(Asset& asset, const ShapesRequest& request, const char* operation,
                                       const Run& run, const Change& change) {
  return without_throwing(asset.name, [&] {
    return all_or_nothing(asset, [&](Asset& copy) -> Result<ShapesReport> {
      Result<ShapesWork> work = start_shapes(copy, request, operation);
      if (!work) return work.error();
      if (Status going = run.progress.at("changing shapes", 0); !going)
        return prefixed(asset.name, going.error());
      if (Status done = change(*work); !done) return done.error();
      note_dropped(drop_broken_driving(copy.character), work->report.notes);
      if (Status valid = validate(copy.character); !valid) return prefixed(asset.name, valid.error());
      ShapesReport report = end_shapes(*work);
      if (Status going = run.progress.at("changing shapes", 1); !going)
        return prefixed(asset.name, going.error());
      return report;
    });
  });
}

}  // namespace dermis

// SPDX-License-Identifier: MIT
// What stills and films of the verb render share: the work to do, and how a character is posed for it.
#pragma once

#include <optional>
#include <string>

#include "dermis/ops/render.h"
#include "ops/page/shot.h"

namespace dermis {

// A request without gaps, its character's name, and the receiver of the pictures.
struct RenderWork : RenderRequest {
  std::string input;  // for messages
  Run run;
  PictureTaker take;

  Error about(const Error& error) const { return prefixed(input, error); }
  RenderOptions options() const;
  // A picture shows the light on the real surface. Measured normals need no mode.
  DeformOptions posing(const Stack& stack) const;
  // The width of a picture without its legend; if that is less than half, the picture grows.
  int width_beside(const std::optional<ColourScale>& scale) const;
};

// True if several pictures make up a sheet.
inline bool is_sheet_of(const RenderLook& look, std::size_t pose_count) {
  return pose_count > 1 || look.moments > 1 || look.stacks.size() > 1;
}
// How the pictures of a sheet are arranged. Several poses by several methods are a table: poses from top to
// bottom, methods from left to right, wrapped within each pose. Pictures of one pose, or by one method,
// wrap like words in a line.
struct SheetGrid {
  bool is_table = false;
  std::size_t columns = 1;
  std::size_t rows = 1;
  std::size_t rows_per_pose = 1;  // of a table
};
// The columns requested, or those with which the sheet comes nearest to the shape of a screen with few places
// left blank.
SheetGrid sheet_grid(const RenderLook& look, std::size_t pose_count);

// Adds the notes that are not there yet: a reference may repeat notes of the method shown.
void append_new(Notes& notes, const Notes& more);
// Notes how many pictures show only background.
void note_blank(const RenderWork& work, std::size_t blank_count, std::size_t count, Notes& notes);

// One picture, or a sheet.
Status render_still(const RenderWork& work, const ShotMaker& maker, RenderReport& report);
// A turntable or a clip.
Status render_film(const RenderWork& work, const ShotMaker& maker, RenderReport& report);
// The number of its frames, or why it cannot be made; `input` is used in errors.
Result<std::size_t> count_film_frames(const RenderRequest& request, const std::string& input,
                                      const Character& character);

}  // namespace dermis

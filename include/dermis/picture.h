// SPDX-License-Identifier: MIT
// Pictures without a screen: rendered surfaces, heat maps with legends, contact sheets, plots and reports.
// Nothing here reads or writes files.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "dermis/base.h"
#include "dermis/image.h"
#include "dermis/math.h"
#include "dermis/model.h"

namespace dermis {

// ---- What is drawn ------------------------------------------------------------------------------------

// How triangles look. Colours are linear.
struct DrawnMaterial {
  Vec4 colour{0.62f, 0.58f, 0.54f, 1};  // and opacity; unless said, clay
  Vec3 emission;
  float metallic = 0, roughness = 1;
  // Of the drawing; they multiply colour and emission. How each goes on beyond [0, 1], along u and v.
  Index texture = kNone, emission_texture = kNone;
  std::array<Wrap, 2> wrap{Wrap::repeat, Wrap::repeat}, emission_wrap{Wrap::repeat, Wrap::repeat};
  bool is_double_sided = false;  // else darker seen from behind
  Alpha alpha = Alpha::blended;
  float alpha_cutoff = 0.5f;
  float unlit = 0;  // the part of the colour that shows whatever the light, in [0, 1]
};

// Triangles in world space.
struct DrawnMesh {
  std::vector<Vec3> points;
  std::vector<Vec3> normals;       // one for each point; empty: made from the triangles
  std::vector<Vec2> uvs;           // one for each point, or empty; v grows downwards, as in glTF
  std::vector<Vec2> emission_uvs;  // likewise, of emission textures; empty: as uvs
  std::vector<Vec4> colours;       // linear, one for each point, or empty; multiplies the colour
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<Index> material;                      // of each triangle, of the drawing
  std::vector<std::array<std::uint32_t, 2>> edges;  // what a wireframe shows: sides of polygons
  std::vector<Index> source;                        // of each point, the point of the mesh it came from
};

// A joint with the way to its child.
struct DrawnBone {
  Vec3 head, tail;
};

struct Drawing {
  std::vector<DrawnMesh> meshes;
  std::vector<DrawnMaterial> materials;                 // at least one when there are triangles
  std::shared_ptr<const std::vector<Pixels>> textures;  // may be null
  std::vector<DrawnBone> bones;                         // shown through the surface
  Box box() const;                                      // of points_of
};

// The meshes of a still character, as deform_character gives it, one for each instance. `textures` has an
// entry for each image of the character (empty pixels: none), or is null. Each picture lies where its
// material places it; on meshes without that set of texture coordinates it is not shown.
Drawing draw_character(const Character& still, std::shared_ptr<const std::vector<Pixels>> textures);
// The joints of all skins (all nodes when there is none) in a pose: a bone to each joint from the nearest
// joint above it, and one without length for a joint that has neither.
std::vector<DrawnBone> draw_bones(const Character& character, std::span<const Affined> world_from_node);

// From numbers to colours.
struct ColourScale {
  std::string title;  // with the unit: "strain (%)"
  double low = 0, high = 1;
  bool is_diverging = false;  // blue through grey to red about the middle; else dark blue to yellow
  bool is_flat = false;  // all values are as good as `low`: one colour, and "no difference" in the legend
};
// Linear RGB; beyond the ends, that of the end. Not a number: grey.
Vec3 colour_of(const ColourScale& scale, double value);
// Paints a mesh by a value for each point of the mesh it was drawn from, in place of material and texture.
// Light still shapes it, but less than other surfaces, so that colours can be compared with the legend.
void paint(Drawing& drawing, std::size_t mesh, const ColourScale& scale, std::span<const float> values);

// ---- Cameras ------------------------------------------------------------------------------------------

struct Camera {
  Vec3d eye{0, 0, 1}, target;
  Vec3d up{0, 1, 0};
  double field = 0.6;  // of view from top to bottom, radians
};

// From where: turned about the vertical (0 looks at +Z's side, 90 degrees at +X's), then lifted; radians.
struct View {
  double turn = 0.5, lift = 0.2;
};
// A camera that shows the whole of `points` in a picture of that shape (width / height), as large as it can
// be with a margin of 3.5 % on each side. Points that are not finite do not count.
Camera frame_points(std::span<const Vec3> points, const View& view, double aspect);
// The points that triangles and bones show, for frame_points over several poses; where there are neither,
// all.
std::vector<Vec3> points_of(const Drawing& drawing);

// ---- Rendering ----------------------------------------------------------------------------------------

struct RenderOptions {
  int width = 1280, height = 960;
  int samples = 9;         // rays a pixel, 1 to 4096
  bool has_ground = true;  // a floor under the lowest point, that catches shadow
  double ground = -1e300;  // its height, where it is not to be the lowest point of the drawing
  bool has_wireframe = false;
  std::array<std::uint8_t, 3> background{238, 240, 243};  // sRGB
};
// The drawing seen by the camera: a soft key light from the viewer's upper left with its shadow, a sky with
// occlusion, textures, filtered. Light stands with the viewer, so that turntables are lit alike all round.
// The ground is the background but for shadows, hides nothing, and is not seen from below. Characters of any
// size at any place look alike. Same pixels on any thread count. Fails with bad_argument when the drawing has
// neither triangles nor bones, its lists do not fit, or a size is out of range (1 to 16384), and with
// cancelled. Two seconds on two cores for 1920 x 1080 pixels, hardly more for larger meshes.
Result<Pixels> render(const Drawing& drawing, const Camera& camera, const RenderOptions& options = {},
                      const Progress& progress = {});

// ---- On top of pixels ---------------------------------------------------------------------------------

struct TextStyle {
  double size = 20;  // height of a capital, pixels
  std::array<std::uint8_t, 3> colour{30, 34, 40};
  bool is_bold = false;
};
// ASCII and the letters of Latin-1, in UTF-8; others show as a box. `x`, `y` is the left end of the base
// line. Digits are all of one width. What lies outside the picture is cut off.
void draw_text(Pixels& pixels, double x, double y, std::string_view text, const TextStyle& style = {});
double text_width(std::string_view text, const TextStyle& style = {});
// Whether no letter of it shows as a box.
bool can_draw_text(std::string_view text);
// The picture with a margin at its right, where a bar of colours stands with its numbers and title: a legend
// covers nothing. An empty picture stays so.
Pixels with_legend(const Pixels& pixels, const ColourScale& scale);
// How wide that margin is at a picture of this height.
int legend_width(const ColourScale& scale, int height);
// The same lying, as an SVG that stands alone, 480 x 64, for several pictures in a report.
std::string legend_svg(const ColourScale& scale);

// Pictures of one size in rows, labelled above the columns and left of the rows (each may be empty; without
// any labels the sheet is about as many cells wide as high). Labels of rows take half the width of a cell at
// most, and may have several lines. A line that is too wide shrinks, then loses its end to three dots.
struct Sheet {
  std::string title;
  std::vector<std::string> columns, rows;
  std::vector<Pixels> cells;          // row after row
  std::vector<std::string> captions;  // under each cell, or empty
};
// Fails with bad_argument when there are no cells, they differ in size, or labels do not fit their number.
Result<Pixels> contact_sheet(const Sheet& sheet);

// ---- Plots --------------------------------------------------------------------------------------------

struct Curve {
  std::string name;
  std::vector<double> x, y;  // as many of each; not a number: a gap
  int look = -1;             // number of its colour and dash; -1: its place in the plot
};
// Looks that differ: the first in full lines and each in a colour of its own, the others dashed.
inline constexpr int kFullLooks = 9, kLooks = 19;
struct Plot {
  std::string title, x_title, y_title;
  std::vector<Curve> curves;
  double least_y_range = 0;  // the axis spans no less, so that noise looks as small as it is
};
// An SVG that stands alone, 720 x 420, with its own light background. Same plot, same bytes.
std::string plot_svg(const Plot& plot);

// Bars beside each other, longest scale shared.
struct BarChart {
  struct Bar {
    std::string name;
    double value = 0;
    std::string label;  // at its end: "2.4 ns"
  };
  std::string title;
  std::vector<Bar> bars;
};
std::string bars_svg(const BarChart& chart);

// ---- Reports ------------------------------------------------------------------------------------------

struct ReportHeading {
  std::string text;
};
struct ReportText {
  std::string text;  // plain; a blank line parts paragraphs
};
struct ReportCode {
  std::string text;
};
struct ReportTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};
struct ReportFigure {
  std::vector<std::byte> png;  // or else:
  std::string svg;
  std::string caption;
  std::string number;   // the figure that belongs to the picture: "volume -38 %"
  bool is_bad = false;  // the number tells of a fault, and stands out
};
// Figures beside each other.
struct ReportRow {
  std::vector<ReportFigure> figures;
};
struct ReportSection {
  std::string title;
  std::vector<std::variant<ReportHeading, ReportText, ReportCode, ReportTable, ReportFigure, ReportRow>>
      items;
};
struct ReportPage {
  std::string title, subtitle;
  std::vector<ReportSection> sections;
};
// One HTML file that needs nothing beside it: no address leaves it, pictures lie inside. Text is escaped.
std::string report_html(const ReportPage& page);

}  // namespace dermis

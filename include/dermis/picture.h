// SPDX-License-Identifier: MIT
// Pictures without a screen: rendered surfaces, heat maps with legends, contact sheets, plots and reports.
// Nothing here reads or writes files.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
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
  Vec4 colour{0.62f, 0.58f, 0.54f, 1};  // and opacity; clay by default
  Vec3 emission;
  float metallic = 0, roughness = 1;
  // Textures of the drawing, which multiply colour and emission, and how each wraps outside [0, 1] along u
  // and v.
  Index texture = kNone, emission_texture = kNone;
  std::array<Wrap, 2> wrap{Wrap::repeat, Wrap::repeat}, emission_wrap{Wrap::repeat, Wrap::repeat};
  bool is_double_sided = false;  // else darker from behind
  Alpha alpha = Alpha::blended;
  float alpha_cutoff = 0.5f;
  float unlit = 0;  // the fraction of the colour that ignores the light, in [0, 1]
};

// Triangles in world space.
struct DrawnMesh {
  std::vector<Vec3> points;
  std::vector<Vec3> normals;       // one for each point; empty: computed from the triangles
  std::vector<Vec2> uvs;           // one for each point, or empty; v grows downwards, as in glTF
  std::vector<Vec2> emission_uvs;  // likewise, of emission textures; empty: as uvs
  std::vector<Vec4> colours;       // linear, one for each point, or empty; multiplies the colour
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<Index> material;                      // of each triangle, of the drawing
  std::vector<std::array<std::uint32_t, 2>> edges;  // what a wireframe shows: sides of polygons
  std::vector<Index> source;                        // of each point, the point of the mesh it came from
};

// A line from a joint to its child.
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

// The meshes of a still character, as deform_character gives it, one for each instance. `textures` has one
// entry per image of the character (empty pixels: none), or is null. Materials place the pictures; a mesh
// without the required set of texture coordinates does not show them.
Drawing draw_character(const Character& still, std::shared_ptr<const std::vector<Pixels>> textures);
// The joints of all skins (all nodes if there is none) in a pose: a bone to each joint from its nearest
// ancestor joint, and one of zero length for a joint that no bone touches.
std::vector<DrawnBone> draw_bones(const Character& character, std::span<const Affined> world_from_node);

// From numbers to colours.
struct ColourScale {
  std::string title;  // with the unit: "strain (%)"
  double low = 0, high = 1;
  bool is_diverging = false;  // blue through grey to red about the middle; else dark blue to yellow
  bool is_flat = false;       // all values count as `low`: one colour, and "no difference" in the legend
};
// Linear RGB; values are clamped to the ends. Not a number: grey.
Vec3 colour_of(const ColourScale& scale, double value);
// Paints a mesh by a value for each point of the mesh it was drawn from, instead of material and texture.
// Shading is weaker than on other surfaces, so that colours can be compared with the legend.
void paint(Drawing& drawing, std::size_t mesh, const ColourScale& scale, std::span<const float> values);

// ---- Cameras ------------------------------------------------------------------------------------------

struct Camera {
  Vec3d eye{0, 0, 1}, target;
  Vec3d up{0, 1, 0};
  double field = 0.6;  // of view from top to bottom, radians
};

// The viewpoint: turned about the vertical (0 is on the +Z side, 90 degrees on the +X side), then lifted;
// radians.
struct View {
  double turn = 0.5, lift = 0.2;
};
// A camera that shows all `points` in a picture of that aspect ratio (width / height), as large as possible
// with a margin of 3.5 % on each side. Points that are not finite do not count.
Camera frame_points(std::span<const Vec3> points, const View& view, double aspect);
// A camera as far away as one that shows all `points`, so that none of them is behind it, whose narrower
// field shows `region`, in the middle, with the same margin.
Camera frame_region(std::span<const Vec3> points, std::span<const Vec3> region, const View& view,
                    double aspect);
// The camera that shows what is in the middle of the picture `factor` times as large (above 0): by a narrower
// field, or from further away.
Camera zoomed(Camera camera, double factor);
// Where a point is in a picture of that aspect ratio: x from 0 (left) to 1, y from 0 (top) to 1, beyond them
// outside the picture. None if it is not in front of the camera, or if `render` would refuse the camera.
std::optional<Vec2> project(const Camera& camera, double aspect, const Vec3d& point);
// The points that triangles and bones show, for frame_points over several poses; all points if there are
// neither.
std::vector<Vec3> points_of(const Drawing& drawing);

// ---- Rendering ----------------------------------------------------------------------------------------

struct RenderOptions {
  int width = 1280, height = 960;
  int samples = 9;         // rays per pixel, 1 to 4096
  bool has_ground = true;  // a floor under the lowest point that catches shadows
  double ground = -1e300;  // its height; by default that of the lowest point of the drawing
  bool has_wireframe = false;
  std::array<std::uint8_t, 3> background{238, 240, 243};  // sRGB
};
// The drawing seen by the camera: a soft key light from the viewer's upper left with its shadow, a sky with
// occlusion, textures, filtered. The light moves with the viewer, so turntables are lit evenly all round. The
// ground has the background's colour except for shadows, hides nothing, and is invisible from below. The
// picture does not depend on the size and position of the character. Same pixels on any thread count. Fails
// with bad_argument if the drawing has neither triangles nor bones, its lists do not match, or a size is out
// of range (1 to 16384), or with cancelled. Two seconds on two cores for 1920 x 1080 pixels, hardly more for
// larger meshes.
Result<Pixels> render(const Drawing& drawing, const Camera& camera, const RenderOptions& options = {},
                      const Progress& progress = {});

// ---- On top of pixels ---------------------------------------------------------------------------------

struct TextStyle {
  double size = 20;  // height of a capital, pixels
  std::array<std::uint8_t, 3> colour{30, 34, 40};
  bool is_bold = false;
};
// ASCII and the letters of Latin-1, in UTF-8; others show as a box. `x`, `y` is the left end of the baseline.
// All digits have the same width. Text outside the picture is clipped.
void draw_text(Pixels& pixels, double x, double y, std::string_view text, const TextStyle& style = {});
double text_width(std::string_view text, const TextStyle& style = {});
// Whether no letter shows as a box.
bool can_draw_text(std::string_view text);
// The picture with a margin on its right for a colour bar with numbers and title: a legend covers nothing. An
// empty picture stays empty.
Pixels with_legend(const Pixels& pixels, const ColourScale& scale);
// The width of that margin for a picture of this height.
int legend_width(const ColourScale& scale, int height);
// The same, horizontal, as a standalone SVG, 480 x 64, for several pictures in a report.
std::string legend_svg(const ColourScale& scale);

// Pictures of one size in rows, labelled above the columns and left of the rows (each may be empty; without
// any labels the sheet is roughly square). Labels of rows take at most half the width of a cell, and may have
// several lines. A line that is too wide shrinks, then ends in three dots.
struct Sheet {
  std::string title;
  std::vector<std::string> columns, rows;
  std::vector<Pixels> cells;          // row after row; empty: its place stays blank
  std::vector<std::string> captions;  // under each cell, or empty
};
// Fails with bad_argument if all cells are empty, they differ in size, or labels do not match their number.
Result<Pixels> contact_sheet(const Sheet& sheet);

// ---- Plots --------------------------------------------------------------------------------------------

struct Curve {
  std::string name;
  std::vector<double> x, y;  // as many of each; not a number: a gap
  int look = -1;             // number of its colour and dash; -1: its index in the plot
};
// Distinct looks: the first are solid lines, each in its own colour, the others dashed.
inline constexpr int kFullLooks = 9, kLooks = 19;
struct Plot {
  std::string title, x_title, y_title;
  std::vector<Curve> curves;
  double least_y_range = 0;  // the axis spans at least this, so that noise looks small
};
// A standalone SVG, 720 x 420, with its own light background. Same plot, same bytes.
std::string plot_svg(const Plot& plot);

// Bars next to each other on one scale.
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
  std::string text;  // plain; a blank line separates paragraphs
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
  std::string number;   // the figure of the picture: "volume -38 %"
  bool is_bad = false;  // the number indicates a fault and is highlighted
};
// Figures side by side.
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
// One self-contained HTML file: no external links, pictures embedded. Text is escaped.
std::string report_html(const ReportPage& page);

}  // namespace dermis

// SPDX-License-Identifier: MIT
// The one table of note ids: the rows of every room, and those of the verbs.
#include "dermis/ops/notes.h"

#include <algorithm>
#include <array>

#include "dermis/bind.h"
#include "dermis/deform.h"
#include "dermis/io.h"
#include "dermis/motion.h"
#include "dermis/rig.h"

namespace dermis {
namespace {

constexpr std::array kOpsNotes{
    NoteRow{"clip-renamed", Note::Kind::info,
            "the character has a clip of that name; the new one was renamed"},
    NoteRow{"clips-left-out", Note::Kind::loss, "clips of the file were left out"},
    NoteRow{"clips-joined", Note::Kind::info, "clips that both files have use the keys of the body"},
    NoteRow{
        "corrective-misses", Note::Kind::loss,
        "a corrective does not bring the surface to its sculpt: the stack flattens space in this pose, or "
        "smooths such a surface away",
        Severity::warning},
    NoteRow{"correctives-outdated", Note::Kind::loss,
            "correctives of pose spaces were made for other weights than the mesh has now",
            Severity::warning},
    NoteRow{"drivers-from-new-rest", Note::Kind::guess,
            "the rest pose changed, from which drivers and pose spaces measure", Severity::warning},
    NoteRow{"drivers-not-baked", Note::Kind::info,
            "programs that do not know drivers will not move driven joints", Severity::warning},
    NoteRow{"earlier-files", Note::Kind::info, "files of an earlier run are in the folder"},
    NoteRow{"end-between-frames", Note::Kind::info, "the end falls between frames"},
    NoteRow{"filled-harmonically", Note::Kind::guess,
            "points were filled in less smoothly, because their triangles are too uneven"},
    NoteRow{"focus-follows-nothing", Note::Kind::info, "no point follows the joint that a picture shows"},
    NoteRow{"garment-rescaled", Note::Kind::info, "a garment was scaled to the unit of the body"},
    NoteRow{"garment-rescaled", Note::Kind::guess,
            "a garment was scaled to the unit of the body, and one of the units is a guess"},
    NoteRow{"garment-size", Note::Kind::guess, "a garment is much larger or smaller than the body",
            Severity::warning},
    NoteRow{"islands-unmatched", Note::Kind::guess, "islands had no match and took the nearest weights",
            Severity::warning},
    NoteRow{"joint-replaced", Note::Kind::guess, "a joint does not exist; its weights went to another",
            Severity::warning},
    NoteRow{"joint-unpaired", Note::Kind::info, "a joint has no counterpart on the other side"},
    NoteRow{"joint-unweighted", Note::Kind::info, "no point follows a joint, so nothing moved from it",
            Severity::warning},
    NoteRow{"joints-added", Note::Kind::info, "joints that the body does not have were added"},
    NoteRow{"joints-alone", Note::Kind::info, "there is no surface, so the joints are drawn"},
    NoteRow{"joints-at-one-place", Note::Kind::guess, "all joints are at one place", Severity::warning},
    NoteRow{"joints-by-place", Note::Kind::guess, "joints have no names and were matched by position"},
    NoteRow{"joints-outside", Note::Kind::guess, "many joints are outside the body", Severity::warning},
    NoteRow{"joints-outside", Note::Kind::info, "some joints are outside the body"},
    NoteRow{"keys-left-out", Note::Kind::loss,
            "keys of joints were left out, because the joints of the body have other axes",
            Severity::warning},
    NoteRow{"letters-as-boxes", Note::Kind::info, "letters outside Latin-1 appear as boxes in a picture"},
    NoteRow{"locks-over-limit", Note::Kind::info,
            "points have more influences than the limit, because locked influences stay"},
    NoteRow{"matched-by-corners", Note::Kind::guess,
            "points are in a different order and were matched by polygon corners"},
    NoteRow{"mesh-no-polygons", Note::Kind::info,
            "a mesh has no polygons; its points follow the nearest joint or surface"},
    NoteRow{"mesh-no-size", Note::Kind::info, "a mesh has all its points at one place"},
    NoteRow{"mesh-with-several-skins", Note::Kind::info,
            "a mesh is shown with several skins; its joints are those of the first"},
    NoteRow{"mesh-without-points", Note::Kind::info, "a mesh has no points and gets no file"},
    NoteRow{"names-shared", Note::Kind::info, "joints share a name; refer to them by number"},
    NoteRow{"helper-exists", Note::Kind::info, "helper joints that were wanted are there already"},
    NoteRow{"helper-rows-cut", Note::Kind::loss,
            "points would follow more joints than before, so their least weights went to others",
            Severity::info},
    NoteRow{"helper-unneeded", Note::Kind::info,
            "a helper joint was left out, because no point would follow it"},
    NoteRow{"helper-unpaired", Note::Kind::info,
            "a helper joint was wanted on both sides, but its joint has no counterpart"},
    NoteRow{"helper-nodes-added", Note::Kind::info,
            "nodes with the axes of a garment's joints were added below the body's"},
    NoteRow{"nearest", Note::Kind::info, "the numbers of points differ, so nearest points are compared"},
    NoteRow{"no-joints", Note::Kind::info, "there is no skeleton to draw"},
    NoteRow{"no-shell-whole", Note::Kind::info, "no shell is selected whole, so none became rigid"},
    NoteRow{"no-normals-in-format", Note::Kind::info,
            "the format stores only points; the mode of normals has no effect"},
    NoteRow{"nodes-left-out", Note::Kind::loss, "nodes without mesh or weights were left out",
            Severity::info},
    NoteRow{"normals-dropped", Note::Kind::loss, "a cache moves points only; normals were left out"},
    NoteRow{"normals-measured", Note::Kind::info,
            "normals are measured on the posed surface; the mode of normals has no effect"},
    NoteRow{"not-in-format", Note::Kind::loss, "the format cannot store something"},
    NoteRow{"nothing-driven", Note::Kind::info, "there are no drivers to bake"},
    NoteRow{"nothing-mended", Note::Kind::info, "nothing can be repaired"},
    NoteRow{"nothing-seen", Note::Kind::loss, "a picture shows nothing"},
    NoteRow{"nothing-skinned", Note::Kind::info,
            "nothing in the scene has a skin, so the method changes nothing", Severity::warning},
    NoteRow{"opacity-left-out", Note::Kind::loss,
            "a material is drawn without its texture and the opacity in it"},
    NoteRow{"option-unused", Note::Kind::info, "an option belongs to a stage that is not in the stack",
            Severity::warning},
    NoteRow{"points-unpaired", Note::Kind::info,
            "points have no counterpart on the other side and do not change"},
    NoteRow{"pose-space-per-point", Note::Kind::loss,
            "weights that differ from point to point were baked as one per shape", Severity::info},
    NoteRow{"props-held", Note::Kind::guess, "each worn or carried mesh moves with one joint"},
    NoteRow{"quality-failed", Note::Kind::loss, "the skins could not be bent"},
    NoteRow{"quality-left-out", Note::Kind::info, "the skins were not bent, so how they bend is unknown"},
    NoteRow{"replaced-by-cache", Note::Kind::loss,
            "skins, clips and shapes were left out, because a cache moves the points"},
    NoteRow{"report-written", Note::Kind::info, "the report was written"},
    NoteRow{"rig-left-out", Note::Kind::loss, "skins, shapes and other clips were left out of baked frames"},
    NoteRow{"rows-longer", Note::Kind::info, "points now follow more joints than before"},
    NoteRow{"shells-locked", Note::Kind::info,
            "shells have weight on locked joints and did not become rigid"},
    NoteRow{"shells-stiff", Note::Kind::guess,
            "shells that look rigid (plates, eyes, buttons) follow one joint each", Severity::info},
    NoteRow{"skeleton-fitted", Note::Kind::guess, "a skeleton that lay elsewhere was fitted to the body",
            Severity::warning},
    NoteRow{"skeleton-lent", Note::Kind::info, "a file without a skeleton got one from another file"},
    NoteRow{"skeleton-not-fitted", Note::Kind::guess,
            "a skeleton lies elsewhere and could not be fitted to the body", Severity::warning},
    NoteRow{"skeleton-replaced", Note::Kind::loss,
            "the skeleton, weights, shapes and clips of the file were left out"},
    NoteRow{"tangents-left-out", Note::Kind::loss, "tangents do not follow baked frames and were left out"},
    NoteRow{"replaced-by-transfer", Note::Kind::loss,
            "shapes or clips were left out, because the body's weights replace a skin"},
    NoteRow{"rest-re-expressed", Note::Kind::info,
            "a garment has other joint axes than the body; its skin was re-expressed"},
    NoteRow{"rest-re-expressed", Note::Kind::guess,
            "a garment rests in another pose than the body; its skin was re-expressed, and it may not fit",
            Severity::warning},
    NoteRow{"rests-in-clip", Note::Kind::info, "a file in the scene has no clip of that name and rests"},
    NoteRow{"rigid-on-joint", Note::Kind::guess, "a mesh without a skin follows the nearest joint"},
    NoteRow{"scene-sizes", Note::Kind::guess, "a file of a scene is many times as large as another",
            Severity::warning},
    NoteRow{"shape-empty", Note::Kind::guess, "a sculpt moves no point, so its shape does nothing",
            Severity::warning},
    NoteRow{"shape-points-unpaired", Note::Kind::loss,
            "points of a mirrored shape have no mirror image, so nothing moves on the other side",
            Severity::warning},
    NoteRow{"shape-weight-lost", Note::Kind::loss,
            "a shape was left out that had a weight at rest or keys in clips", Severity::warning},
    NoteRow{"shapes-of-one-mesh", Note::Kind::guess,
            "several meshes of a source have shapes; those of the one with most are taken"},
    NoteRow{"size-unusual", Note::Kind::guess,
            "the scene is too large or too small for a character; its unit is probably another one",
            Severity::warning},
    NoteRow{"texture-unplaced", Note::Kind::loss,
            "a picture is not drawn on a mesh that lacks its texture coordinates"},
    NoteRow{"texture-unreadable", Note::Kind::loss, "a material is drawn without a texture"},
    NoteRow{"time-outside-clip", Note::Kind::info,
            "a time is outside the clip; the first or last key is used", Severity::warning},
    NoteRow{"times-differ", Note::Kind::info, "frames of two sequences have different times"},
    NoteRow{"times-dropped", Note::Kind::loss, "times are not whole frames; files are numbered from 0",
            Severity::info},
    NoteRow{"turned-upright", Note::Kind::guess, "the body was lying and was turned upright"},
    NoteRow{"turned-upright", Note::Kind::info, "the body was turned upright, as requested"},
    NoteRow{"worn-as-bound", Note::Kind::info,
            "a garment rests in another pose than the body and follows its rest"},
    NoteRow{"not-straightened", Note::Kind::loss,
            "no body with known limbs was found, so the rest pose stays as it is", Severity::warning},
    NoteRow{"twists-left-out", Note::Kind::loss,
            "no body with known limbs was found, so it got no twist joints", Severity::warning},
    NoteRow{"soles-not-found", Note::Kind::guess,
            "no soles were found under the feet, so straightening did not level them"},
    NoteRow{"straight-crossing", Note::Kind::guess, "a limb of the straightened body is inside another part",
            Severity::warning},
    NoteRow{"straight-glued", Note::Kind::guess,
            "parts that touch are one surface in the mesh, which stretches when the body is straightened",
            Severity::warning},
    NoteRow{"straight-stretched", Note::Kind::guess, "straightening stretched much of the surface",
            Severity::warning},
    NoteRow{"take-columns-unused", Note::Kind::info, "no shape follows some columns of a take"},
    NoteRow{"take-mapped-by-names", Note::Kind::guess,
            "names decide which shapes follow which columns of a take"},
    NoteRow{"straightened", Note::Kind::info, "the rest pose was straightened, and by how much"},
};

}  // namespace

std::vector<NoteRow> note_rows(std::span<const NoteRow> more) {
  const std::array rooms{io_notes(),
                         motion_notes(),
                         deform_notes(),
                         bind_notes(),
                         rig_notes(),
                         measure_notes(),
                         std::span<const NoteRow>(kOpsNotes),
                         more};
  std::vector<NoteRow> rows;
  for (const std::span<const NoteRow> room : rooms) {
    for (const NoteRow& row : room) {
      // Several rooms may have the same note.
      if (find_note(rows, row.id, row.kind) == nullptr) rows.push_back(row);
    }
  }
  std::sort(rows.begin(), rows.end(), [](const NoteRow& a, const NoteRow& b) {
    const int order = std::string_view(a.id).compare(b.id);
    return order != 0 ? order < 0 : a.kind < b.kind;
  });
  return rows;
}

const NoteRow* find_note(std::span<const NoteRow> rows, std::string_view id, Note::Kind kind) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const NoteRow& row) { return id == row.id && kind == row.kind; });
  return found == rows.end() ? nullptr : &*found;
}

Severity severity_of(const Note& note) {
  static const std::vector<NoteRow> kRows = note_rows();
  const NoteRow* row = find_note(kRows, note.id, note.kind);
  return row == nullptr ? usual_severity(note.kind) : row->severity;
}

}  // namespace dermis

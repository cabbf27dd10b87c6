// SPDX-License-Identifier: MIT
// What the notes of deformers mean.
#include <array>

#include "dermis/deform.h"

namespace dermis {
namespace {

constexpr std::array kDeformNotes{
    NoteRow{"half-mirrored", Note::Kind::info,
            "points follow joints that mirror together with joints that do not; the method tears them apart",
            Severity::warning},
    NoteRow{"no-centres", Note::Kind::info, "points without a centre of rotation; they are blended linearly"},
    NoteRow{"no-dqs-share", Note::Kind::guess, "a mesh has no shares of dqs; half is assumed"},
    NoteRow{"no-surface", Note::Kind::info,
            "a mesh has no polygons, so a stage that needs a surface changes nothing"},
};

}  // namespace

std::span<const NoteRow> deform_notes() { return kDeformNotes; }

}  // namespace dermis

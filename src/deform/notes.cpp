// SPDX-License-Identifier: MIT
// The meanings of the deformers' notes.
#include <array>

#include "dermis/deform.h"

namespace dermis {
namespace {

constexpr std::array kDeformNotes{
    NoteRow{"half-mirrored", Note::Kind::info,
            "points follow both mirroring and non-mirroring joints; the method tears the surface there",
            Severity::warning},
    NoteRow{"no-centres", Note::Kind::info, "points have no centre of rotation; they are blended linearly"},
    NoteRow{"no-dqs-share", Note::Kind::guess, "a mesh has no shares of dqs; one half is assumed"},
    NoteRow{"no-surface", Note::Kind::info,
            "a mesh has no polygons, so a stage that needs a surface changes nothing", Severity::warning},
};

}  // namespace

std::span<const NoteRow> deform_notes() { return kDeformNotes; }

}  // namespace dermis

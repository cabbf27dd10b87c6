// SPDX-License-Identifier: MIT
// What the notes of binding mean.
#include <array>

#include "dermis/bind.h"

namespace dermis {
namespace {

constexpr std::array kBindNotes{
    NoteRow{"bind-cell-enlarged", Note::Kind::info,
            "the requested cells would be too many; larger ones were used"},
    NoteRow{"bind-cells", Note::Kind::info, "how many cells the body has, and their size"},
    NoteRow{"bind-cells-fewer", Note::Kind::info, "many joints reach each cell, so fewer cells are used"},
    NoteRow{"bind-far-points", Note::Kind::guess, "points far from the rest are not part of the body"},
    NoteRow{"bind-joints-outside", Note::Kind::guess,
            "joints outside the body act from the nearest place in it"},
    NoteRow{"bind-not-settled", Note::Kind::info, "the iteration ended above its tolerance",
            Severity::warning},
    NoteRow{"bind-pieces", Note::Kind::guess,
            "the body is in pieces; distances between them are straight lines"},
    NoteRow{"bind-shared-cells", Note::Kind::guess, "cells hold two limbs, which are connected there",
            Severity::warning},
    NoteRow{"bind-straight-distances", Note::Kind::guess,
            "points that no joint reaches through the body use straight distances"},
    NoteRow{"clips-replaced", Note::Kind::loss,
            "clips of the body were left out: the new skeleton brings its own"},
    NoteRow{"heat-by-iteration", Note::Kind::info,
            "heat was spread over a large surface by iteration, with a bound on the difference"},
    NoteRow{"heat-not-spread", Note::Kind::guess,
            "heat could not be spread; points follow their nearest joints", Severity::warning},
    NoteRow{"helpers-several-skins", Note::Kind::loss,
            "a mesh that is shown with several skins keeps its weights; no helper joint moves it",
            Severity::warning},
    NoteRow{"joints-by-name", Note::Kind::guess,
            "the weights do not show which joints deform; their names decide"},
    NoteRow{"joints-not-in-skin", Note::Kind::loss,
            "weights went to ancestor joints, because the skin does not name theirs"},
    NoteRow{"joints-replaced", Note::Kind::loss, "nodes of the body's old skeleton were left out",
            Severity::info},
    NoteRow{"mesh-copied", Note::Kind::info, "a mesh shown at several nodes became one mesh per node"},
    NoteRow{"mesh-with-several-skins", Note::Kind::loss,
            "a mesh is shown with several skins; it was bound to one of them"},
    NoteRow{"skeleton-channels-left-out", Note::Kind::loss,
            "the skeleton's clips also animate shapes or controls, which were left out", Severity::info},
    NoteRow{"shell-attached", Note::Kind::info,
            "every joint is hidden from a shell by other surfaces; it follows the nearest of these"},
    NoteRow{"sizes-differ", Note::Kind::guess,
            "skeleton and mesh differ in size by a factor that is hardly intended", Severity::warning},
    NoteRow{"skeleton-not-rescaled", Note::Kind::guess,
            "the skeleton was not scaled by the units of the files", Severity::warning},
    NoteRow{"skeleton-rescaled", Note::Kind::guess,
            "the skeleton was scaled by the units of the files, one of them guessed"},
    NoteRow{"skeleton-rescaled", Note::Kind::info, "the skeleton was scaled by the units of the files"},
    NoteRow{"skins-replaced", Note::Kind::loss, "skins of the body were replaced by the new skeleton"},
};

}  // namespace

std::span<const NoteRow> bind_notes() { return kBindNotes; }

}  // namespace dermis

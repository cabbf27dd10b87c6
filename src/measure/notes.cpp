// SPDX-License-Identifier: MIT
// What the notes of mending mean.
#include <array>

#include "dermis/measure.h"

namespace dermis {
namespace {

constexpr std::array kMeasureNotes{
    NoteRow{"influences-over-limit", Note::Kind::repair, "points kept only their heaviest influences"},
    NoteRow{"names-apart", Note::Kind::repair, "nodes got unique names", Severity::info},
    NoteRow{"polygons-collapsed", Note::Kind::repair,
            "polygons lost corners that repeat others, or were removed", Severity::info},
    NoteRow{"polygons-turned", Note::Kind::repair, "polygons were turned over", Severity::info},
    NoteRow{"seam-weights-differ", Note::Kind::repair, "points on seams got the mean of their weights"},
};

}  // namespace

std::span<const NoteRow> measure_notes() { return kMeasureNotes; }

}  // namespace dermis

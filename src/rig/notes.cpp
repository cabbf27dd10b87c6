// SPDX-License-Identifier: MIT
// What the notes of skeletons found in meshes mean.
#include <array>

#include "dermis/rig.h"

namespace dermis {
namespace {

constexpr std::array kRigNotes{
    NoteRow{"body-in-pieces", Note::Kind::info,
            "the body is in pieces; they are joined where they are nearest"},
    NoteRow{"body-open", Note::Kind::info,
            "the surface is not closed everywhere; the inside is what it mostly surrounds"},
    NoteRow{"chains-found", Note::Kind::guess,
            "limbs that the template does not have: a tail, a trunk, ears, horns, wings, a jaw"},
    NoteRow{"fingers-differ", Note::Kind::guess, "one hand has more fingers than the other",
            Severity::warning},
    NoteRow{"fingers-found", Note::Kind::info, "each hand has this many fingers"},
    NoteRow{"contacts-parted", Note::Kind::guess,
            "parts of the body that touch each other were searched as if they were apart"},
    NoteRow{"joints-spared", Note::Kind::info, "joints were left out where the body ends in a stump"},
    NoteRow{"legs-hidden", Note::Kind::guess,
            "legs are hidden by clothes; their hips and knees are placed by proportion", Severity::warning},
    NoteRow{"limb-unused", Note::Kind::guess, "a limb has no joint", Severity::warning},
    NoteRow{"marker-outside", Note::Kind::guess, "a marker is outside the body", Severity::warning},
    NoteRow{"marker-unused", Note::Kind::loss, "a marker names a joint of a limb that the body does not have",
            Severity::warning},
    NoteRow{"markers-mirrored", Note::Kind::guess,
            "markers of one side also placed joints of the other side"},
    NoteRow{"orientation-found", Note::Kind::guess,
            "the orientation found: which axis is up, and which is front"},
    NoteRow{"pieces-beside-body", Note::Kind::guess,
            "small pieces next to the body were not searched for limbs"},
    NoteRow{"plates-set-aside", Note::Kind::guess,
            "flat parts with the whole body on one side were not searched for limbs"},
    NoteRow{"props-set-aside", Note::Kind::guess,
            "long or flat parts that only one side has were not searched for limbs"},
    NoteRow{"template-doubt", Note::Kind::guess, "another template fits nearly as well", Severity::warning},
    NoteRow{"template-none", Note::Kind::guess,
            "no template fits; the skeleton is derived from the limbs alone", Severity::warning},
    NoteRow{"template-poor", Note::Kind::guess, "the template fits badly", Severity::warning},
};

}  // namespace

std::span<const NoteRow> rig_notes() { return kRigNotes; }

}  // namespace dermis

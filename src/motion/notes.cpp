// SPDX-License-Identifier: MIT
// What the notes of motions mean.
#include <array>

#include "dermis/motion.h"

namespace dermis {
namespace {

constexpr std::array kMotionNotes{
    NoteRow{"character-joints-unmapped", Note::Kind::loss,
            "joints of the character that nothing moves rest relative to their parents"},
    NoteRow{"ends-carried", Note::Kind::info,
            "hands or feet do not hang from their limbs; keys of their own carry them"},
    NoteRow{"facing-assumed", Note::Kind::guess,
            "neither names nor feet tell left from right; +X is taken as left"},
    NoteRow{"feet-apart", Note::Kind::loss,
            "no foot hangs from the shins; what hangs elsewhere stays behind"},
    NoteRow{"feet-sink", Note::Kind::guess, "feet come below where the character stands", Severity::warning},
    NoteRow{"fps-assumed", Note::Kind::guess, "the keys of a clip are not evenly spaced; a rate is assumed"},
    NoteRow{"loop-cut", Note::Kind::info, "which part of the motion is the loop"},
    NoteRow{"loop-too-short", Note::Kind::loss, "a motion is too short to be looped"},
    NoteRow{"mapped-by-structure", Note::Kind::guess,
            "joint names tell no limbs; they were found by their shape"},
    NoteRow{"motion-joints-unmapped", Note::Kind::loss, "joints of the motion that have no counterpart"},
    NoteRow{"motion-unlike", Note::Kind::guess, "motion and character stand on different numbers of legs",
            Severity::warning},
    NoteRow{"scaled-by-trunk", Note::Kind::guess,
            "legs are not mapped on both sides; lengths are scaled by what is"},
    NoteRow{"starts-at-rest-place", Note::Kind::info,
            "the motion starts away from its origin; the character starts where it rests"},
    NoteRow{"t-pose-left-out", Note::Kind::info, "the first frame is a T-pose and was left out"},
};

}  // namespace

std::span<const NoteRow> motion_notes() { return kMotionNotes; }

}  // namespace dermis

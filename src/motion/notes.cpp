// SPDX-License-Identifier: MIT
// The meanings of the motion notes.
#include <array>

#include "dermis/motion.h"

namespace dermis {
namespace {

constexpr std::array kMotionNotes{
    // ---- Takes and keys ----
    NoteRow{"clip-keys-sampled", Note::Kind::loss,
            "curved or stepped keys of shapes became linear ones at the keys of a take"},
    NoteRow{
        "keys-of-shapes-differ", Note::Kind::loss,
        "shapes of one name have different keys on different meshes; a file of keys has one weight for them"},
    NoteRow{"take-columns-missing", Note::Kind::loss,
            "a map of shapes names columns that the take does not have"},
    NoteRow{"take-shapes-missing", Note::Kind::loss,
            "a map of shapes names shapes that the character does not have"},
    // ---- Motions ----
    NoteRow{"arms-kept-off", Note::Kind::info,
            "arms are held further from the body than in the motion, so that they do not pass through it"},
    NoteRow{"body-sinks", Note::Kind::guess,
            "hands, head, knees or the trunk sink below the level the character stands on",
            Severity::warning},
    NoteRow{"channels-outside", Note::Kind::loss, "channels that move no joint were left out"},
    NoteRow{"character-joints-unmapped", Note::Kind::loss,
            "joints of the character without a counterpart stay at rest relative to their parents"},
    NoteRow{"ends-carried", Note::Kind::info,
            "hands or feet are not attached to their limbs; extra keys make them follow"},
    NoteRow{"facing-assumed", Note::Kind::guess,
            "neither names nor feet distinguish left from right; +X is assumed to be left",
            Severity::warning},
    NoteRow{"feet-apart", Note::Kind::loss,
            "no foot is attached to the shins; feet attached elsewhere do not follow"},
    NoteRow{"feet-sink", Note::Kind::guess, "feet sink below the level the character stands on",
            Severity::warning},
    NoteRow{"fingers-relaxed", Note::Kind::guess,
            "the motion does not move fingers; straight ones are bent slightly"},
    NoteRow{"fps-assumed", Note::Kind::guess, "the keys of a clip are not evenly spaced; a rate is assumed"},
    NoteRow{"lengths-lent", Note::Kind::guess,
            "the joints of a motion rest at one place; the character's lengths are used, by name",
            Severity::warning},
    NoteRow{"loop-cut", Note::Kind::info, "which part of the motion is the loop"},
    NoteRow{"loop-too-short", Note::Kind::loss, "a motion is too short to be looped"},
    NoteRow{"mapped-by-parts", Note::Kind::guess,
            "no body with hips is found in both; hands or chains correspond, and only rotations are carried "
            "over"},
    NoteRow{"mapped-by-structure", Note::Kind::guess,
            "joint names identify no limbs; limbs were found by their shape", Severity::warning},
    NoteRow{"motion-joints-unmapped", Note::Kind::loss, "joints of the motion have no counterpart"},
    NoteRow{"motion-unlike", Note::Kind::guess, "motion and character stand on different numbers of legs",
            Severity::warning},
    NoteRow{"scaled-by-trunk", Note::Kind::guess,
            "legs are not mapped in both motion and character; other mapped parts determine the scale",
            Severity::warning},
    NoteRow{"sides-exchanged", Note::Kind::guess,
            "the map exchanges left and right of the arms or of the legs", Severity::warning},
    NoteRow{"starts-at-rest-place", Note::Kind::info,
            "the motion starts away from its origin; the character starts at its rest position"},
    NoteRow{"travel-left-out", Note::Kind::loss, "a motion without hips does not travel"},
    NoteRow{"t-pose-left-out", Note::Kind::info, "the first frame is a T-pose and was left out"},
};

}  // namespace

std::span<const NoteRow> motion_notes() { return kMotionNotes; }

}  // namespace dermis

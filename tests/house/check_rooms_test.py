# SPDX-License-Identifier: MIT
# The rooms checker accepts a staircase and names each way of breaking it.
import unittest

from checker import CheckerTest


class CheckRooms(CheckerTest):
    checker = "check_rooms"
    fine = {
        "rooms.txt": "# law\nbase:\nmath: base\nmodel: math\nops: model\ncli: ops\n",
        "include/dermis/base.h": "#pragma once\n",
        "include/dermis/math.h": '#include "dermis/base.h"\n',
        "include/dermis/model.h": '#include "dermis/math.h"\n',
        "include/dermis/ops.h": '#include "dermis/ops/info.h"\n',
        "include/dermis/ops/info.h": '#include "dermis/model.h"\n',
        "src/base/base.cpp": '#include "dermis/base.h"\n',
        "src/math/vec.cpp": '#include "math/vec.h"\n#include <vector>\n',
        "src/math/vec.h": "",
        "src/model/node.cpp": '#include "dermis/base.h"\n',
        "src/ops/info.cpp": '#include "dermis/ops/info.h"\n',
        "cli/main.cpp": '#include "dermis/ops.h"\n#include "arguments.h"\n',
    }

    def test_accepts_rooms_below_and_theirs(self):
        self.assert_fine({})

    def test_refuses_a_public_header_from_above(self):
        self.assert_fault({"src/math/vec.cpp": '#include "dermis/model.h"\n'}, "math may not include model")

    def test_refuses_a_private_header_from_above(self):
        self.assert_fault({"src/math/vec.cpp": '#include "model/node.h"\n'}, "math may not include model")

    def test_refuses_a_private_header_of_a_room_below(self):
        self.assert_fault({"src/model/node.cpp": '#include "math/vec.h"\n'}, "is private to math; include dermis/math.h")

    def test_accepts_a_private_header_that_rooms_share(self):
        self.assert_fine({"src/model/node.cpp": '#include "base/kernel_targets.h"\n', "src/base/kernel_targets.h": ""})

    def test_refuses_an_arrow_in_a_public_header(self):
        self.assert_fault({"include/dermis/base.h": '#include "dermis/ops.h"\n'}, "base may not include ops")

    def test_refuses_a_part_of_a_header_from_above(self):
        self.assert_fault({"src/math/vec.cpp": '#include "dermis/ops/info.h"\n'}, "math may not include ops")

    def test_refuses_an_arrow_in_a_part_of_a_header(self):
        self.assert_fault({"include/dermis/math/vec.h": '#include "dermis/ops.h"\n',
                           "include/dermis/math.h": '#include "dermis/math/vec.h"\n'}, "math may not include ops")

    def test_refuses_a_part_that_its_header_does_not_include(self):
        self.assert_fault({"include/dermis/ops/check.h": ""}, "include/dermis/ops.h does not include it")

    def test_refuses_parts_without_a_header(self):
        self.assert_fault({"include/dermis/moon/sea.h": ""}, "its room has no header include/dermis/moon.h")

    def test_refuses_an_include_that_climbs(self):
        self.assert_fault({"src/math/vec.cpp": '#include "../model/node.h"\n'}, "climbs out")

    def test_refuses_an_unknown_room(self):
        self.assert_fault({"src/math/vec.cpp": '#include "dermis/moon.h"\n'}, "in no room")

    def test_refuses_a_room_that_rooms_txt_lacks(self):
        self.assert_fault({"src/moon/a.cpp": "", "include/dermis/moon.h": ""}, "moon is missing from rooms.txt")

    def test_refuses_a_folder_without_header(self):
        self.assert_fault({"include/dermis/model.h": None}, "src/model/ has no public header")

    def test_refuses_a_header_without_folder(self):
        self.assert_fault({"src/model/node.cpp": None}, "model.h has no folder")

    def test_refuses_a_listed_room_that_does_not_exist(self):
        self.assert_fault({"rooms.txt": self.fine["rooms.txt"] + "moon: ops\n"}, "moon has neither")

    def test_refuses_a_room_that_names_a_later_one(self):
        self.assert_fault({"rooms.txt": self.fine["rooms.txt"].replace("base:\n", "base: math\n")}, "names math")

    def test_refuses_a_source_outside_every_room(self):
        self.assert_fault({"src/loose.cpp": ""}, "outside every room")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: MIT
# Calls of every verb on made files, small enough to be repeated often; used by tools/exercise and tools/alloc_faults.
import pathlib
import re
import shlex
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Made once, in this order, in a folder that calls see as `../in`.
MADE = """
make tube --points 1000 -o tube.glb
make arm --points 1000 -o arm.glb
make hand --points 1000 -o hand.glb
make face --points 1000 -o face.glb
make humanoid --points 1000 -o humanoid.glb
convert tube.glb -o tube.obj
convert tube.glb -o tube.bvh
convert face.glb -o face.obj
convert hand.glb -o hand.ply
convert humanoid.glb -o humanoid.obj
weights export tube.glb -o tube.csv
bake tube.glb --clip 0 --fps 5 -o tube.pc2
"""

# What they write goes into an empty folder, in which they run.
CALLS = """
--version
--help
methods
formats
notes
schema
make tube --points 1000 -o out.gltf
info ../in/arm.glb --nodes
info ../in/face.glb --json
info ../in/hinge.dae
check ../in/hand.glb
check ../in/arm.glb --fix -o out.glb
convert ../in/arm.glb -o out.gltf
convert ../in/face.glb -o out.ply
convert ../in/tube.obj -o out.ply
convert ../in/tube.bvh -o out.glb
convert ../in/hinge.dae -o out.glb
convert ../in/tube.pc2 -o out.mdd
deform ../in/arm.glb --clip 0 --time 0.5 -o out.obj
deform ../in/face.glb --shape jaw_open=1 -o out.glb
deform ../in/tube.glb --clip 0 --time 0.5 --method rigid -o out.ply
deform ../in/tube.glb --clip 0 --time 0.5 --method dqs,delta_mush -o out.glb
deform ../in/tube.glb --clip 0 --time 0.5 --method quaternion -o out.obj
deform ../in/tube.glb --clip 0 --time 0.5 --method log_matrix -o out.obj
deform ../in/tube.glb --clip 0 --time 0.5 --method spherical -o out.obj
deform ../in/tube.glb --clip 0 --time 0.5 --method lbs_dqs -o out.obj
deform ../in/tube.glb --clip 0 --time 0.5 --method cor -o out.obj
deform ../in/tube.glb --clip 0 --time 0.5 --method direct_delta_mush -o out.obj
bake ../in/tube.glb --clip 0 --fps 5 -o out.pc2
bake ../in/tube.glb --clip 0 --fps 5 -o out.glb
bake ../in/arm.glb --clip 0 --fps 2 -o out_####.ply
rig ../in/humanoid.obj --motion walk --accept -o out.glb
rig ../in/hand.ply --template extract --accept -o out.glb
bind ../in/tube.glb -o out.glb
bind ../in/tube.glb --method voxel -o out.glb
bind ../in/tube.glb --method biharmonic --cells 500 -o out.glb
bind ../in/tube.glb --method distance -o out.glb
bind ../in/tube.obj --skeleton ../in/tube.bvh --accept -o out.glb
animate ../in/humanoid.glb --motion walk --accept -o out.glb
weights normalize ../in/arm.glb -o out.glb
weights limit ../in/arm.glb --max-influences 2 -o out.glb
weights prune ../in/arm.glb --threshold 0.01 -o out.glb
weights smooth ../in/arm.glb --iterations 2 -o out.glb
weights mirror ../in/humanoid.glb --direction left-to-right -o out.glb
weights transfer ../in/tube.glb ../in/tube.obj -o out.glb
weights subdivide ../in/tube.glb -o out.glb
weights merge ../in/tube.glb --from end --into middle -o out.glb
weights remap ../in/tube.glb --map end=middle --map middle=end -o out.glb
weights rename ../in/tube.glb --map end=top -o out.glb
weights blend ../in/tube.glb ../in/tube.csv --factor 0.5 -o out.glb
weights export ../in/arm.glb -o out.json
weights import ../in/tube.glb ../in/tube.csv -o out.glb
weights diff ../in/tube.glb ../in/tube.csv
shapes list ../in/face.glb
shapes add ../in/face.glb same=../in/face.obj -o out.glb
shapes remove ../in/face.glb --shape smile_L -o out.glb
shapes rename ../in/face.glb --map smile_L=grin_L -o out.glb
shapes split ../in/face.glb --shape jaw_open -o out.glb
shapes mirror ../in/face.glb --shape smile_L -o out.glb
shapes bake ../in/face.glb --shape smile_*=0.5 --into smile -o out.glb
shapes clean ../in/face.glb --shape * --tolerance 0.001 -o out.glb
shapes transfer ../in/face.glb ../in/face.glb --deform -o out.glb
helpers ../in/humanoid.glb --auto --bulge upper_arm_L=elbow_L:1.3 --breathe chest:1.05 -o out.glb
helpers ../in/arm.glb --twist elbow_L:2 --half elbow_L --no-mirror -o out.glb
shapes set ../in/face.glb --shape smile --low 0 --in-between frown=0.5 --combine pucker=blink_L*blink_R -o out.glb
shapes export ../in/face.glb -o out.npy
animate ../in/face.glb --clip look_and_talk -o out.json
compare ../in/tube.obj ../in/tube.glb --clip 0 --time 1
render ../in/tube.glb --clip 0 --time 1 --size 64x48 --samples 1 --heat strain -o out.png
render ../in/arm.glb --size 64x48 --samples 1 --joints --wireframe -o out.jpg
"""

# A load, a bind and a save of files of a few points: few enough allocations to try every one.
SMALL_CALLS = """
info ../in/strip.gltf
info ../in/strip.glb
info ../in/strip.obj
info ../in/chain.bvh
bind ../in/strip.gltf --method heat -o out.glb
bind ../in/strip.gltf --method distance -o out.glb
bind ../in/strip.obj --skeleton ../in/chain.bvh --method heat --accept -o out.glb
convert ../in/strip.gltf -o out.glb
convert ../in/strip.glb -o out.gltf
convert ../in/strip.glb -o out.obj
convert ../in/strip.obj -o out.glb
"""


def words_of(line):
    return shlex.split(line)


def lines_of(text):
    return [line for line in text.strip().splitlines() if line]


def make_inputs(program, folder):
    """Makes the folder with what calls read; ends the script when that fails."""
    folder.mkdir()
    for line in lines_of(MADE):
        subprocess.run([program, *words_of(line), "--quiet"], cwd=folder, check=True)
    # The Collada file of the tests, which dermis-import reads.
    text = (ROOT / "tests/io/made_import.h").read_text()
    (folder / "hinge.dae").write_text(re.search(r'R"\((.*?)\)";', text, re.S).group(1))


def make_small_inputs(folder):
    """The files of SMALL_CALLS: seeds of the fuzzers, as they are."""
    corpus = ROOT / "tests/fuzz/corpus"
    for source, name in (("gltf/arm.gltf", "strip.gltf"), ("gltf/arm_unorm8.glb", "strip.glb"),
                         ("obj/labels.obj", "strip.obj"), ("bvh/dialects.bvh", "chain.bvh")):
        shutil.copy(corpus / source, folder / name)


def files_in(folder):
    """Name and bytes of every file below the folder; folders have no bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}

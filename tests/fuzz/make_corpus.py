# SPDX-License-Identifier: MIT
# Makes the small binary seed files: every structure a glTF skin can have, C3D markers of two machines,
# and the records of an FBX skin with both sizes of offsets.
import base64
import json
import math
import pathlib
import struct
import zlib


class Document:
    """Collects accessors into one buffer."""

    def __init__(self):
        self.blob = b""
        self.json = {"asset": {"version": "2.0"}, "buffers": [], "bufferViews": [], "accessors": []}

    def view(self, data, **more):
        self.blob += b"\0" * (-len(self.blob) % 4)
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": len(self.blob), "byteLength": len(data), **more})
        self.blob += data
        return len(self.json["bufferViews"]) - 1

    def accessor(self, kind, component, rows, **more):
        letter = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}[component]
        data = b"".join(struct.pack("<%d%s" % (len(row), letter), *row) for row in rows)
        row = {"bufferView": self.view(data), "componentType": component, "count": len(rows), "type": kind, **more}
        self.json["accessors"].append(row)
        return len(self.json["accessors"]) - 1

    def write_gltf(self, path):
        uri = "data:application/octet-stream;base64," + base64.b64encode(self.blob).decode()
        whole = {**self.json, "buffers": [{"byteLength": len(self.blob), "uri": uri}]}
        path.write_text(json.dumps(whole, indent=1) + "\n")

    def write_glb(self, path):
        text = json.dumps({**self.json, "buffers": [{"byteLength": len(self.blob)}]}).encode()
        text += b" " * (-len(text) % 4)
        blob = self.blob + b"\0" * (-len(self.blob) % 4)
        size = 12 + 8 + len(text) + 8 + len(blob)
        path.write_bytes(struct.pack("<4sII", b"glTF", 2, size) + struct.pack("<I4s", len(text), b"JSON") + text +
                         struct.pack("<I4s", len(blob), b"BIN\0") + blob)


def bounds(rows):
    return {"min": [min(c) for c in zip(*rows)], "max": [max(c) for c in zip(*rows)]}


def arm(weight_component):
    """A strip of six points on two joints: TRS and matrix nodes, a rigid child, a morph, three interpolations."""
    d = Document()
    points = [(x, y, 0.0) for y in (0.0, 1.0, 2.0) for x in (-0.5, 0.5)]
    top = {5121: 255, 5123: 65535, 5126: 1.0}[weight_component]
    half = {5121: (128, 127), 5123: (32768, 32767), 5126: (0.5, 0.5)}[weight_component]
    weights = [(top, 0, 0, 0)] * 2 + [(*half, 0, 0)] * 2 + [(top, 0, 0, 0)] * 2
    joints = [(0, 0, 0, 0)] * 2 + [(0, 1, 0, 0)] * 2 + [(1, 0, 0, 0)] * 2
    normalized = {} if weight_component == 5126 else {"normalized": True}
    attributes = {
        "POSITION": d.accessor("VEC3", 5126, points, **bounds(points)),
        "NORMAL": d.accessor("VEC3", 5126, [(0.0, 0.0, 1.0)] * 6),
        "TANGENT": d.accessor("VEC4", 5126, [(1.0, 0.0, 0.0, 1.0)] * 6),
        "JOINTS_0": d.accessor("VEC4", 5121, joints),
        "WEIGHTS_0": d.accessor("VEC4", weight_component, weights, **normalized),
    }
    moved = d.accessor("VEC3", 5126, [(0.0, 0.0, 0.0)] * 6, min=[0, 0, 0], max=[0, 0, 0.25])
    d.json["accessors"][moved]["sparse"] = {
        "count": 2,
        "indices": {"bufferView": d.view(struct.pack("<2H", 2, 3)), "componentType": 5123},
        "values": {"bufferView": d.view(struct.pack("<6f", 0, 0, 0.25, 0, 0, 0.25))},
    }
    indices = d.accessor("SCALAR", 5123, [(i,) for i in (0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5)])
    identity = (1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0)
    bind = d.accessor("MAT4", 5126, [identity, identity[:13] + (-1.0,) + identity[14:]])
    half_turn = math.sqrt(0.5)
    times = d.accessor("SCALAR", 5126, [(0.0,), (0.5,), (1.0,)], min=[0.0], max=[1.0])
    samplers = [
        {"input": times, "output": d.accessor("VEC4", 5126, [(0.0, 0.0, 0.0, 1.0), (0.0, 0.0, half_turn, half_turn), (0.0, 0.0, 0.0, 1.0)])},
        {"input": times, "interpolation": "STEP", "output": d.accessor("VEC3", 5126, [(0.0, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.0)])},
        {"input": times, "interpolation": "CUBICSPLINE", "output": d.accessor("SCALAR", 5126, [(v,) for v in (0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)])},
    ]
    targets = [(1, "rotation"), (0, "translation"), (2, "weights")]
    channels = [{"sampler": s, "target": {"node": node, "path": path}} for s, (node, path) in enumerate(targets)]
    d.json |= {
        "scene": 0,
        "scenes": [{"nodes": [0, 2]}],
        "nodes": [
            {"name": "shoulder", "children": [1]},
            {"name": "elbow", "translation": [0, 1, 0], "children": [3]},
            {"name": "skin", "mesh": 0, "skin": 0},
            {"mesh": 1, "matrix": [0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 1, 0, 1]},
        ],
        "meshes": [
            {"name": "strip", "weights": [0], "extras": {"targetNames": ["bulge"]},
             "primitives": [{"attributes": attributes, "indices": indices, "targets": [{"POSITION": moved}]}]},
            {"primitives": [{"attributes": {"POSITION": attributes["POSITION"]}, "mode": 5, "indices": indices}]},
        ],
        "skins": [{"joints": [0, 1], "inverseBindMatrices": bind, "skeleton": 0}],
        "animations": [{"name": "bend", "samplers": samplers, "channels": channels}],
    }
    return d


def c3d(order, processor, is_real):
    """Two markers over three frames, one gap; `order` is the byte order of struct."""
    def record(group, name, body):
        return struct.pack("bb", len(name), group) + name + struct.pack(order + "h", len(body) + 2) + body

    scale = -1.0 if is_real else 0.5
    parameters = struct.pack("4B", 1, 0x50, 1, processor) + record(-1, b"POINT", b"\0")
    parameters += record(1, b"USED", struct.pack(order + "bBhB", 2, 0, 2, 0))
    parameters += record(1, b"SCALE", struct.pack(order + "bBfB", 4, 0, scale, 0))
    parameters += record(1, b"RATE", struct.pack(order + "bBfB", 4, 0, 120.0, 0))
    parameters += record(1, b"UNITS", struct.pack("bBB2sB", -1, 1, 2, b"mm", 0))
    parameters += record(1, b"LABELS", struct.pack("bBBB8sB", -1, 2, 4, 2, b"HEADHIP ", 0)) + b"\0\0"
    head = struct.pack(order + "BB5hf2hf", 2, 0x50, 2, 0, 1, 3, 0, scale, 3, 1, 120.0)
    rows = [(10 * f + m, 20 * m, 900 * m + f, -1 if (f, m) == (1, 0) else 1) for f in range(3) for m in range(2)]
    body = b"".join(struct.pack(order + ("4f" if is_real else "4h"), *row) for row in rows)
    return head.ljust(512, b"\0") + parameters.ljust(512, b"\0") + body


def fbx(version):
    """A joint, a mesh and the cluster between them; from version 7500 on with 64-bit offsets."""
    word = "Q" if version >= 7500 else "I"

    def value(v):
        if isinstance(v, int):
            return struct.pack("<cq", b"L", v)
        if isinstance(v, float):
            return struct.pack("<cd", b"D", v)
        if isinstance(v, bytes):
            return struct.pack("<cI", b"S", len(v)) + v
        packed = zlib.compress(struct.pack("<%dd" % len(v), *v))
        return struct.pack("<cIII", b"d", len(v), 1, len(packed)) + packed

    def record(start, name, values, children=()):
        head = struct.calcsize("<3" + word) + 1 + len(name)
        properties = b"".join(map(value, values))
        below = b""
        for child in children:
            below += record(start + head + len(properties) + len(below), *child)
        if children:
            below += bytes(struct.calcsize("<3" + word) + 1)
        end = start + head + len(properties) + len(below)
        return struct.pack("<3" + word + "B", end, len(values), len(properties), len(name)) + name + properties + below

    def place(name, *numbers):
        return (b"P", [name, b"Vector3D", b"Vector", b"", *numbers])

    matrix = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0]
    records = [
        (b"Objects", [], [
            (b"Model", [1, b"joint\0\1Model", b"LimbNode"], [(b"Properties70", [], [place(b"Lcl Translation", 0.0, 1.0, 0.0)])]),
            (b"Model", [2, b"bow\0\1Model", b"Mesh"], [(b"Properties70", [], [place(b"GeometricScaling", 2.0, 2.0, 2.0)])]),
            (b"Geometry", [3, b"\0\1Geometry", b"Mesh"]),
            (b"Deformer", [4, b"\0\1Deformer", b"Skin"], [(b"SkinningType", [b"Blend"])]),
            (b"Deformer", [5, b"\0\1SubDeformer", b"Cluster"], [(b"Transform", [matrix]), (b"TransformLink", [matrix])]),
        ]),
        (b"Connections", [], [(b"C", [b"OO", a, b]) for a, b in ((1, 0), (2, 0), (3, 2), (4, 3), (5, 4), (1, 5))]),
    ]
    file = b"Kaydara FBX Binary  \0\x1a\0" + struct.pack("<I", version)
    for row in records:
        file += record(len(file), *row)
    return file + bytes(struct.calcsize("<3" + word) + 1)


if __name__ == "__main__":
    corpus = pathlib.Path(__file__).resolve().parent / "corpus/fbx"
    (corpus / "skin_7400.fbx").write_bytes(fbx(7400))
    (corpus / "skin_7500.fbx").write_bytes(fbx(7500))
    markers = pathlib.Path(__file__).resolve().parent / "corpus/c3d"
    (markers / "intel_real.c3d").write_bytes(c3d("<", 84, True))
    (markers / "sgi_integer.c3d").write_bytes(c3d(">", 86, False))
    folder = pathlib.Path(__file__).resolve().parent / "corpus/gltf"
    arm(5126).write_gltf(folder / "arm.gltf")
    arm(5121).write_glb(folder / "arm_unorm8.glb")
    arm(5123).write_glb(folder / "arm_unorm16.glb")

// SPDX-License-Identifier: MIT
// A file for dermis-import, written by hand.
#pragma once

#include <string>

namespace dermis::test {

// Two quads side by side, hinged by two joints; the right quad has its own texture coordinates at the seam,
// so the corners of points 1 and 2 disagree. Inches, Z up. Joint 'tip' turns by 90 degrees about Z in one
// second.
inline std::string hinge_dae() {
  return R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="inch" meter="0.0254"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="strip" name="strip"><mesh>
<source id="p"><float_array id="pa" count="18">0 0 0 1 0 0 1 1 0 0 1 0 2 0 0 2 1 0</float_array>
<technique_common><accessor source="#pa" count="6" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<source id="t"><float_array id="ta" count="8">0 0 1 0 1 1 0 1</float_array>
<technique_common><accessor source="#ta" count="4" stride="2"><param name="S" type="float"/><param name="T" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="2"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="TEXCOORD" source="#t" offset="1" set="0"/>
<vcount>4 4</vcount><p>0 0 1 1 2 2 3 3 1 0 4 1 5 2 2 3</p></polylist>
</mesh></geometry></library_geometries>
<library_controllers><controller id="skin"><skin source="#strip">
<bind_shape_matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix>
<source id="j"><Name_array id="ja" count="2">root tip</Name_array>
<technique_common><accessor source="#ja" count="2" stride="1"><param name="JOINT" type="name"/></accessor></technique_common></source>
<source id="b"><float_array id="ba" count="32">1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 1 0 0 -1 0 1 0 0 0 0 1 0 0 0 0 1</float_array>
<technique_common><accessor source="#ba" count="2" stride="16"><param name="TRANSFORM" type="float4x4"/></accessor></technique_common></source>
<source id="w"><float_array id="wa" count="2">1 0.5</float_array>
<technique_common><accessor source="#wa" count="2" stride="1"><param name="WEIGHT" type="float"/></accessor></technique_common></source>
<joints><input semantic="JOINT" source="#j"/><input semantic="INV_BIND_MATRIX" source="#b"/></joints>
<vertex_weights count="6"><input semantic="JOINT" source="#j" offset="0"/><input semantic="WEIGHT" source="#w" offset="1"/>
<vcount>1 2 2 1 1 1</vcount><v>0 0 0 1 1 1 0 1 1 1 0 0 1 0 1 0</v></vertex_weights>
</skin></controller></library_controllers>
<library_animations><animation id="turn">
<source id="i"><float_array id="ia" count="2">0 1</float_array>
<technique_common><accessor source="#ia" count="2" stride="1"><param name="TIME" type="float"/></accessor></technique_common></source>
<source id="o"><float_array id="oa" count="32">1 0 0 1 0 1 0 0 0 0 1 0 0 0 0 1 0 -1 0 1 1 0 0 0 0 0 1 0 0 0 0 1</float_array>
<technique_common><accessor source="#oa" count="2" stride="16"><param name="TRANSFORM" type="float4x4"/></accessor></technique_common></source>
<source id="n"><Name_array id="na" count="2">LINEAR LINEAR</Name_array>
<technique_common><accessor source="#na" count="2" stride="1"><param name="INTERPOLATION" type="name"/></accessor></technique_common></source>
<sampler id="s"><input semantic="INPUT" source="#i"/><input semantic="OUTPUT" source="#o"/><input semantic="INTERPOLATION" source="#n"/></sampler>
<channel source="#s" target="tip/transform"/></animation></library_animations>
<library_visual_scenes><visual_scene id="scene">
<node id="root" sid="root" type="JOINT"><matrix sid="transform">1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix>
<node id="tip" sid="tip" type="JOINT"><matrix sid="transform">1 0 0 1 0 1 0 0 0 0 1 0 0 0 0 1</matrix></node></node>
<node id="body"><instance_controller url="#skin"><skeleton>#root</skeleton></instance_controller></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#scene"/></scene></COLLADA>
)";
}

}  // namespace dermis::test

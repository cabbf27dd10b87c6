// SPDX-License-Identifier: MIT
// Small FBX files, written by hand as text.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "dermis/math.h"

namespace dermis::test {

struct MadeFbx {
  struct Model {
    std::string name;
    int parent = -1;           // an earlier model; -1: the scene
    std::string properties{};  // lines of Properties70
    bool has_mesh = false;     // a quad from 0 to 1 in x and y
  };
  struct Cluster {
    int joint = 0;
    Affined transform, link;  // as the file has them: joint from mesh, scene from joint
    std::vector<int> points{0, 1, 2, 3};
    bool has_transform = true;
  };
  struct Curve {
    int model = 0;
    std::string property;  // "Lcl Rotation"
    std::string axis;      // "d|Z"
    std::vector<double> seconds, values;
  };
  // A blend shape of `shaped`: for each of its percents a shape, whose first one moves point 2 by 1 along z,
  // the second by 2, and so on.
  struct Channel {
    std::string name;
    double percent = 0;
    std::vector<double> full_percents;
  };
  std::vector<Model> models;
  int shaped = -1;  // the model whose mesh has the channels
  std::vector<Channel> channels;
  int skinned = -1;  // the model whose mesh the clusters hold
  std::vector<Cluster> clusters;
  std::vector<Curve> curves;

  std::string text() const;
};

// "P: name, type, , flag, x, y, z"
inline std::string fbx_vector(const std::string& name, const Vec3d& v) {
  return fmt::format("\t\t\tP: \"{}\", \"Vector3D\", \"Vector\", \"\",{},{},{}\n", name, v.x, v.y, v.z);
}
inline std::string fbx_whole(const std::string& name, int number) {
  return fmt::format("\t\t\tP: \"{}\", \"enum\", \"\", \"\",{}\n", name, number);
}

inline std::string fbx_matrix(const Affined& a) {
  std::string numbers;
  const auto add = [&](const Vec3d& v, int w) { numbers += fmt::format("{},{},{},{},", v.x, v.y, v.z, w); };
  add(a.linear.x, 0);
  add(a.linear.y, 0);
  add(a.linear.z, 0);
  add(a.translation, 1);
  numbers.pop_back();
  return "*16 {\n\t\t\ta: " + numbers + "\n\t\t}\n";
}

inline std::string MadeFbx::text() const {
  constexpr int kModel = 1000, kGeometry = 2000, kSkin = 3000, kCluster = 4000, kStack = 5000, kLayer = 5001,
                kCurveNode = 6000, kCurve = 7000, kBlend = 8000, kChannel = 8100, kShape = 8200;
  constexpr double kTicksPerSecond = 46186158000.0;
  std::string objects, connections;
  const auto connect = [&](int from, int to) { connections += fmt::format("\tC: \"OO\",{},{}\n", from, to); };
  for (std::size_t m = 0; m < models.size(); ++m) {
    const int id = kModel + static_cast<int>(m);
    const Model& model = models[m];
    objects += fmt::format(
        "\tModel: {}, \"Model::{}\", \"{}\" {{\n\t\tVersion: 232\n\t\tProperties70:  {{\n{}\t\t}}\n\t}}\n",
        id, model.name, model.has_mesh ? "Mesh" : "LimbNode", model.properties);
    connect(id, model.parent < 0 ? 0 : kModel + model.parent);
    if (!model.has_mesh) continue;
    const int geometry = kGeometry + static_cast<int>(m);
    objects += fmt::format(
        "\tGeometry: {}, \"Geometry::{}\", \"Mesh\" {{\n\t\tVertices: *12 {{\n\t\t\ta: 0,0,0,1,0,0,1,1,0,\n"
        "0,1,0\n\t\t}}\n\t\tPolygonVertexIndex: *4 {{\n\t\t\ta: 0,1,2,-4\n\t\t}}\n\t}}\n",
        geometry, model.name);
    connect(geometry, id);
    if (static_cast<int>(m) == skinned) connect(kSkin, geometry);
  }
  if (skinned >= 0) {
    objects += fmt::format(
        "\tDeformer: {}, \"Deformer::\", \"Skin\" {{\n\t\tVersion: 101\n\t\tLink_DeformAcuracy: 50\n\t}}\n",
        kSkin);
  }
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    const int id = kCluster + static_cast<int>(c);
    const Cluster& cluster = clusters[c];
    const std::string count = std::to_string(cluster.points.size());
    objects += fmt::format(
        "\tDeformer: {}, \"SubDeformer::\", \"Cluster\" {{\n\t\tVersion: 100\n\t\tUserData: \"\", \"\"\n"
        "\t\tIndexes: *{} {{\n\t\t\ta: {}\n\t\t}}\n\t\tWeights: *{} {{\n\t\t\ta: {}\n\t\t}}\n",
        id, count, fmt::join(cluster.points, ","), count,
        fmt::join(std::vector<int>(cluster.points.size(), 1), ","));
    if (cluster.has_transform) objects += "\t\tTransform: " + fbx_matrix(cluster.transform);
    objects += "\t\tTransformLink: " + fbx_matrix(cluster.link) + "\t}\n";
    connect(id, kSkin);
    connect(kModel + cluster.joint, id);
  }
  if (shaped >= 0) {
    objects += fmt::format("\tDeformer: {}, \"Deformer::Blend\", \"BlendShape\" {{\n\t\tVersion: 100\n\t}}\n",
                           kBlend);
    connect(kBlend, kGeometry + shaped);
  }
  int shape = kShape;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const int id = kChannel + static_cast<int>(c);
    objects += fmt::format(
        "\tDeformer: {}, \"SubDeformer::{}\", \"BlendShapeChannel\" {{\n\t\tVersion: 100\n\t\tDeformPercent: "
        "{}\n"
        "\t\tFullWeights: *{} {{\n\t\t\ta: {}\n\t\t}}\n\t}}\n",
        id, channels[c].name, channels[c].percent, channels[c].full_percents.size(),
        fmt::join(channels[c].full_percents, ","));
    connect(id, kBlend);
    for (std::size_t k = 0; k < channels[c].full_percents.size(); ++k, ++shape) {
      objects += fmt::format(
          "\tGeometry: {}, \"Geometry::{}{}\", \"Shape\" {{\n\t\tVersion: 100\n\t\tIndexes: *1 {{\n\t\t\ta: "
          "2\n\t\t}}\n"
          "\t\tVertices: *3 {{\n\t\t\ta: 0,0,{}\n\t\t}}\n\t\tNormals: *3 {{\n\t\t\ta: 0,0,0\n\t\t}}\n\t}}\n",
          shape, channels[c].name, k, k + 1);
      connect(shape, id);
    }
  }
  if (!curves.empty()) {
    objects += fmt::format(
        "\tAnimationStack: {}, \"AnimStack::Take\", \"\" {{\n\t}}\n\tAnimationLayer: {}, "
        "\"AnimLayer::Base\", "
        "\"\" {{\n\t}}\n",
        kStack, kLayer);
    connect(kLayer, kStack);
  }
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const Curve& curve = curves[c];
    const int node = kCurveNode + static_cast<int>(c), id = kCurve + static_cast<int>(c);
    std::vector<std::string> times;
    for (const double s : curve.seconds) times.push_back(fmt::format("{:.0f}", s * kTicksPerSecond));
    const std::size_t count = times.size();
    objects += fmt::format(
        "\tAnimationCurveNode: {}, \"AnimCurveNode::\", \"\" {{\n\t\tProperties70:  {{\n\t\t\tP: \"{}\", "
        "\"Number\", \"\", \"A\",{}\n\t\t}}\n\t}}\n"
        "\tAnimationCurve: {}, \"AnimCurve::\", \"\" {{\n\t\tDefault: 0\n\t\tKeyVer: 4008\n"
        "\t\tKeyTime: *{} {{\n\t\t\ta: {}\n\t\t}}\n\t\tKeyValueFloat: *{} {{\n\t\t\ta: {}\n\t\t}}\n\t}}\n",
        node, curve.axis, curve.values.front(), id, count, fmt::join(times, ","), count,
        fmt::join(curve.values, ","));
    connect(node, kLayer);
    connections += fmt::format("\tC: \"OP\",{},{}, \"{}\"\n", node, kModel + curve.model, curve.property);
    connections += fmt::format("\tC: \"OP\",{},{}, \"{}\"\n", id, node, curve.axis);
  }
  return "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7400\n}\n"
         "GlobalSettings:  {\n\tVersion: 1000\n\tProperties70:  {\n\t\tP: \"UpAxis\", \"int\", \"Integer\", "
         "\"\",1\n"
         "\t\tP: \"UpAxisSign\", \"int\", \"Integer\", \"\",1\n\t\tP: \"FrontAxis\", \"int\", \"Integer\", "
         "\"\",2\n"
         "\t\tP: \"FrontAxisSign\", \"int\", \"Integer\", \"\",1\n\t\tP: \"CoordAxis\", \"int\", "
         "\"Integer\", \"\",0\n"
         "\t\tP: \"CoordAxisSign\", \"int\", \"Integer\", \"\",1\n"
         "\t\tP: \"UnitScaleFactor\", \"double\", \"Number\", \"\",1\n\t}\n}\n"
         "Documents:  {\n\tCount: 1\n}\nReferences:  {\n}\nDefinitions:  {\n\tVersion: 100\n}\nObjects:  "
         "{\n" +
         objects + "}\nConnections:  {\n" + connections + "}\n";
}

}  // namespace dermis::test

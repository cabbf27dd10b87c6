// SPDX-License-Identifier: MIT
// Layouts of data that dermis reads but other programs refuse, or show wrongly.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "io/gltf/reader.h"

namespace dermis {
namespace {

// Bounds differ from the numbers by rounding if they were written as text, or quantised; beyond this fraction
// of the size they are those of something else.
constexpr double kBoundsTolerance = 0.01;

// Where data may lie in a buffer (glTF 2.0, 3.6.2.4), and what must be said about it (3.6.2.5): programs that
// hand buffers to a GPU or view them as typed arrays refuse anything else, and those that cull or frame by
// stated bounds need them. Here the numbers are copied one by one, so it only needs telling.
class LayoutCheck {
 public:
  explicit LayoutCheck(GltfReader& reader)
      : reader_(reader),
        uses_(reader.accessor_count()),
        is_read_(reader.accessor_count()),
        views_(reader.list("bufferViews").size()) {
    const auto& used = reader.list("extensionsUsed");
    is_quantized_ = std::find(used.begin(), used.end(), "KHR_mesh_quantization") != used.end();
  }

  void run() {
    find_uses();
    for (std::size_t a = 0; a < uses_.size() && !reader_.failed(); ++a) check_accessor(a);
    for (std::size_t v = 0; v < views_.size() && !reader_.failed(); ++v) check_view(v);
    say();
  }

 private:
  enum Use : unsigned { kAttribute = 1, kPosition = 2, kIndices = 4, kTimes = 8, kOther = 16 };
  struct ViewUse {
    unsigned uses = 0;
    std::size_t attribute_count = 0;  // accessors
  };
  // Things of one fault, and the first of them.
  struct Fault {
    std::size_t count = 0;
    std::size_t first = 0;
    void add(std::size_t index) {
      if (count++ == 0) first = index;
    }
  };

  // ---- Who uses what ----

  void find_uses() {
    for (const Json& mesh : reader_.list("meshes")) {
      for (const Json& primitive : mesh["primitives"]) use_primitive(primitive);
    }
    for (const Json& animation : reader_.list("animations")) {
      if (!animation.contains("samplers")) continue;
      for (const Json& sampler : animation["samplers"]) {
        use(sampler, "input", kTimes);
        use(sampler, "output", kOther);
      }
    }
    for (const Json& skin : reader_.list("skins")) use(skin, "inverseBindMatrices", kOther);
    for (const Json& image : reader_.list("images")) use_view(image, kOther);
    for (std::size_t a = 0; a < uses_.size(); ++a) {
      const Json& accessor = reader_.list("accessors")[a];
      use_view(accessor, uses_[a]);
      if (const auto sparse = accessor.find("sparse"); sparse != accessor.end()) {
        use_view((*sparse)["indices"], kOther);
        use_view((*sparse)["values"], kOther);
      }
    }
  }
  void use_primitive(const Json& primitive) {
    // Compressed attributes are described by their accessors, which have no bytes of their own.
    const bool is_draco =
        primitive.contains("extensions") && primitive["extensions"].contains("KHR_draco_mesh_compression");
    if (is_draco) return;
    use(primitive, "indices", kIndices);
    if (const auto attributes = primitive.find("attributes"); attributes != primitive.end()) {
      for (const auto& [name, accessor] : attributes->items())
        use_attribute(name, accessor.get<std::size_t>());
    }
    const auto targets = primitive.find("targets");
    if (targets == primitive.end()) return;
    for (const Json& target : *targets) {
      for (const auto& [name, accessor] : target.items()) mark_attribute(name, accessor.get<std::size_t>());
    }
  }
  void use_attribute(const std::string& name, std::size_t accessor) {
    mark_attribute(name, accessor);
    if (!is_allowed(name, reader_.list("accessors")[accessor])) unusual_.insert(accessor);
  }
  void mark_attribute(const std::string& name, std::size_t accessor) {
    uses_[accessor] |= name == "POSITION" ? kAttribute | kPosition : kAttribute;
    if (!name.starts_with('_')) is_read_[accessor] = true;
  }
  void use(const Json& from, const char* key, Use how) {
    if (const auto found = from.find(key); found != from.end()) uses_[found->get<std::size_t>()] |= how;
  }
  void use_view(const Json& from, unsigned how) {
    const auto found = from.find("bufferView");
    if (found == from.end()) return;
    ViewUse& view = views_[found->get<std::size_t>()];
    view.uses |= how;
    view.attribute_count += (how & kAttribute) != 0 ? 1 : 0;
  }

  // The type of an accessor's numbers; none if it is unknown.
  std::optional<ComponentType> component_type_of(const Json& from, const Place& place) {
    const std::uint64_t type = reader_.size(from, "componentType", place).value_or(0);
    for (const ComponentType one : {ComponentType::i8, ComponentType::u8, ComponentType::i16,
                                    ComponentType::u16, ComponentType::u32, ComponentType::f32}) {
      if (type == static_cast<std::uint64_t>(one)) return one;
    }
    return std::nullopt;
  }
  static bool is_unsigned(ComponentType type) {
    return type == ComponentType::u8 || type == ComponentType::u16 || type == ComponentType::u32;
  }

  // glTF 2.0, 3.7.2.1, and KHR_mesh_quantization. Joints have their own note.
  bool is_allowed(const std::string& name, const Json& accessor) const {
    const auto stated = accessor.find("componentType"), normalized = accessor.find("normalized");
    const int type = stated != accessor.end() && stated->is_number_integer() ? stated->get<int>() : 0;
    const bool is_float = type == static_cast<int>(ComponentType::f32);
    const bool is_small =
        type >= static_cast<int>(ComponentType::i8) && type <= static_cast<int>(ComponentType::u16);
    const bool is_unsigned_small =
        type == static_cast<int>(ComponentType::u8) || type == static_cast<int>(ComponentType::u16);
    const bool is_normalized = is_unsigned_small && normalized != accessor.end() && *normalized == true;
    if (name == "POSITION" || name == "NORMAL" || name == "TANGENT")
      return is_float || (is_quantized_ && is_small);
    if (name.starts_with("TEXCOORD_")) return is_float || is_normalized || (is_quantized_ && is_small);
    if (name.starts_with("COLOR_") || name.starts_with("WEIGHTS_")) return is_float || is_normalized;
    return true;
  }

  // ---- What is wrong ----

  void check_accessor(std::size_t a) {
    const Json& accessor = reader_.list("accessors")[a];
    const Place place{"accessor", a, &accessor};
    if ((uses_[a] & (kPosition | kTimes)) != 0) check_bounds(a, accessor, place);
    // Data that nobody reads may be broken without harm.
    const bool is_read = is_read_[a] || (uses_[a] & kTimes) != 0;
    if (is_read && accessor.contains("sparse")) check_sparse_order(a, accessor, place);
    const std::optional<ComponentType> type = component_type_of(accessor, place);
    if (reader_.failed() || !type) return;
    const std::size_t size = component_size(*type);
    const bool is_attribute = (uses_[a] & kAttribute) != 0;
    if ((uses_[a] & kIndices) != 0 && !is_unsigned(*type)) unusual_.insert(a);
    const auto normalized = accessor.find("normalized");
    const bool is_normalized = normalized != accessor.end() && *normalized == true;
    if (is_normalized && size == 4) unusual_.insert(a);  // only numbers of 8 and 16 bits may be
    const bool is_aligned = is_aligned_at(accessor, size, is_attribute ? 4 : 1, place) &&
                            (!is_attribute || is_padded(accessor, size, place)) &&
                            is_sparse_aligned(accessor, size, place);
    if (!is_aligned) misaligned_.add(a);
  }

  // The buffer view, or null if there is none or it is compressed: then its bytes are laid out anew.
  const Json* plain_view(const Json& from, const Place& place) {
    const Json& views = reader_.list("bufferViews");
    const Index view = reader_.index(from, "bufferView", views.size(), place);
    if (view == kNone || views[static_cast<std::size_t>(view)].contains("extensions")) return nullptr;
    return &views[static_cast<std::size_t>(view)];
  }
  // Its offset in the buffer is a multiple of `size`, and that in its view of `step` too.
  bool is_aligned_at(const Json& from, std::size_t size, std::size_t step, const Place& place) {
    const Json* view = plain_view(from, place);
    if (view == nullptr) return true;
    const std::uint64_t within = reader_.size(from, "byteOffset", place).value_or(0);
    const std::uint64_t offset = within + reader_.size(*view, "byteOffset", place).value_or(0);
    return offset % size == 0 && within % step == 0;
  }
  // Points of 3 or 6 bytes need a stride.
  bool is_padded(const Json& accessor, std::size_t size, const Place& place) {
    const Json* view = plain_view(accessor, place);
    if (view == nullptr || view->contains("byteStride")) return true;
    const std::string type = reader_.text(accessor, "type", place);
    const std::size_t width = type == "VEC2" ? 2 : type == "VEC3" ? 3 : type == "VEC4" ? 4 : 1;
    return type.starts_with("MAT") || size * width % 4 == 0;
  }
  bool is_sparse_aligned(const Json& accessor, std::size_t size, const Place& place) {
    const auto sparse = accessor.find("sparse");
    if (sparse == accessor.end()) return true;
    const std::optional<ComponentType> type = component_type_of((*sparse)["indices"], place);
    if (!type || !is_unsigned(*type)) return true;
    return is_aligned_at((*sparse)["indices"], component_size(*type), 1, place) &&
           is_aligned_at((*sparse)["values"], size, 1, place);
  }
  void check_sparse_order(std::size_t a, const Json& accessor, const Place& place) {
    const std::string type = reader_.text(accessor, "type", place);
    const std::optional<AccessorView> view = reader_.view(static_cast<Index>(a), {type.c_str()}, place);
    if (!view) return;
    if (!std::is_sorted(view->sparse_indices.begin(), view->sparse_indices.end(), std::less_equal<>()))
      unordered_.add(a);
  }

  // Positions and times were read already, so this takes no longer than reading them did.
  void check_bounds(std::size_t a, const Json& accessor, const Place& place) {
    const bool is_position = (uses_[a] & kPosition) != 0;
    const std::optional<AccessorView> view =
        reader_.view(static_cast<Index>(a), {is_position ? "VEC3" : "SCALAR"}, place);
    if (!view || view->count == 0) return;
    if (view->bytes.empty() && view->sparse_indices.empty()) return;  // zeros, or data of an extension
    if (!accessor.contains("min") || !accessor.contains("max")) {
      (is_position ? unbounded_ : untimed_).add(a);
      return;
    }
    const auto width = static_cast<std::size_t>(view->components);
    const AccessorBounds bounds = bounds_of(*view);
    double size = 0;
    for (std::size_t c = 0; c < width; ++c)
      size = std::max(size, static_cast<double>(bounds.greatest[c]) - static_cast<double>(bounds.least[c]));
    bool is_narrow = false, is_wide = false;
    const auto hold = [&](const char* key, std::span<const float> numbers, double sign) {
      const Json& stated = accessor[key];
      if (!stated.is_array() || stated.size() != width) {
        is_narrow = true;
        return;
      }
      for (std::size_t c = 0; c < width; ++c) {
        if (!stated[c].is_number()) is_narrow = true;
        if (!stated[c].is_number()) continue;
        const double beyond = sign * (static_cast<double>(numbers[c]) - stated[c].get<double>());
        is_narrow = is_narrow || beyond > kBoundsTolerance * size;
        is_wide = is_wide || -beyond > kBoundsTolerance * size;
      }
    };
    hold("min", bounds.least, -1);
    hold("max", bounds.greatest, 1);
    if (is_narrow) narrow_.add(a);
    if (is_wide && !is_narrow) wide_.add(a);
  }

  void check_view(std::size_t v) {
    const Json& json = reader_.list("bufferViews")[v];
    const Place place{"buffer view", v, &json};
    const ViewUse& view = views_[v];
    if (json.contains("extensions")) return;  // compressed: its bytes are laid out anew
    const std::optional<std::uint64_t> stride = reader_.size(json, "byteStride", place);
    const std::uint64_t length = reader_.size(json, "byteLength", place).value_or(0);
    if (reader_.failed()) return;
    const bool is_possible =
        !stride || (*stride >= 4 && *stride <= 252 && *stride % 4 == 0 && *stride <= length);
    if (!is_possible || (stride && (view.uses & ~(kAttribute | kPosition)) != 0)) stride_.add(v);
    if (!stride && view.attribute_count > 1) unstrided_.add(v);
    const bool is_shared = (view.uses & kAttribute) != 0 && (view.uses & ~(kAttribute | kPosition)) != 0;
    const bool is_indices_too = (view.uses & kIndices) != 0 && (view.uses & ~kIndices) != 0;
    if (is_shared || is_indices_too) shared_.add(v);
  }

  // ---- Notes ----

  void say() {
    if (reader_.failed()) return;
    say("stride-wrong", stride_, "buffer view", "buffer view has a stride that glTF does not allow there",
        "buffer views have a stride that glTF does not allow there");
    say("accessor-misaligned", misaligned_, "accessor", "accessor is not aligned to the size of its numbers",
        "accessors are not aligned to the size of their numbers");
    Fault unusual{unusual_.size(), unusual_.empty() ? 0 : *unusual_.begin()};
    say("attribute-unusual-type", unusual, "accessor",
        "accessor stores numbers in a type that glTF does not allow there",
        "accessors store numbers in a type that glTF does not allow there");
    remark("bounds-missing", unbounded_, "accessor", "accessor of positions states no bounds",
           "accessors of positions state no bounds");
    say("bounds-narrow", narrow_, "accessor", "accessor has numbers outside the bounds it states",
        "accessors have numbers outside the bounds they state");
    remark("bounds-wide", wide_, "accessor", "accessor states bounds wider than its numbers",
           "accessors state bounds wider than their numbers");
    remark("time-bounds-missing", untimed_, "accessor", "accessor of times states no bounds",
           "accessors of times state no bounds");
    say("sparse-unordered", unordered_, "accessor",
        "accessor has sparse indices that are not strictly increasing",
        "accessors have sparse indices that are not strictly increasing");
    say("stride-missing", unstrided_, "buffer view",
        "buffer view holds several attributes of points without a stride",
        "buffer views hold several attributes of points without a stride");
    remark("view-shared", shared_, "buffer view", "buffer view holds attributes of points and other data",
           "buffer views hold attributes of points and other data");
  }
  void say(const char* id, const Fault& fault, const char* thing, const char* one, const char* many) {
    note(Note::Kind::repair, id, fault, thing, one, many);
  }
  // For faults of what dermis does not need: nothing is repaired.
  void remark(const char* id, const Fault& fault, const char* thing, const char* one, const char* many) {
    note(Note::Kind::info, id, fault, thing, one, many);
  }
  void note(Note::Kind kind, const char* id, const Fault& fault, const char* thing, const char* one,
            const char* many) {
    if (fault.count == 0) return;
    const std::string which =
        fmt::format(" ({}{} {})", fault.count == 1 ? "" : "the first is ", thing, fault.first);
    reader_.note(kind, id, Place{}, counted(fault.count, one, many) + which, fault.count);
  }

  GltfReader& reader_;
  bool is_quantized_ = false;
  std::vector<unsigned> uses_;  // of each accessor
  std::vector<bool> is_read_;   // attributes that have a meaning in glTF
  std::vector<ViewUse> views_;
  std::set<std::size_t> unusual_;  // accessors
  Fault stride_, misaligned_, unbounded_, narrow_, wide_, untimed_, unordered_, unstrided_, shared_;
};

}  // namespace

void check_layout(GltfReader& reader) {
  if (!reader.failed()) LayoutCheck(reader).run();
}

}  // namespace dermis

// SPDX-License-Identifier: MIT
// The teaching format's joints and weights from anyone.
#include "character_fuzz.h"
#include "io/course/listing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dermis;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Notes notes;
  MemoryBudget budget(fuzz::kMaxMemory);
  const Result<CourseWeights> weights = parse_course_weights(text, 3, "attachment.out", budget, notes);
  if (!weights) fuzz::require_sentence(weights.error());
  if (weights) fuzz::require(weights->values.size() % 3 == 0, "rows are whole");
  return fuzz::load_pose_and_save(data, size, "skeleton.out");
}

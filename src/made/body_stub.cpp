#include "made/plan.h"
namespace dermis {
BodyPlan plan_arm() { return plan_humanoid(); }
BodyPlan plan_quadruped() { return plan_humanoid(); }
BodyPlan plan_hand() { return plan_humanoid(); }
BodyPlan plan_face() { return plan_humanoid(); }
}  // namespace dermis

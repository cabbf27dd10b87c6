// SPDX-License-Identifier: MIT
// The instruction sets that kernels are compiled for. Included before foreach_target, once per target.
// AVX-512 stays off until there is a machine to run it on; no current machine is between plain code and SSE4.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_AVX3 | HWY_AVX3_DL | HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)

// SPDX-License-Identifier: MIT
// One function for each verb: a job in, a report or an error out. The command line, the page and Python
// translate and call these; nothing here prints.
#pragma once

#include "dermis/ops/animate.h"
#include "dermis/ops/bind.h"
#include "dermis/ops/convert.h"
#include "dermis/ops/demo.h"
#include "dermis/ops/inspect.h"
#include "dermis/ops/json.h"
#include "dermis/ops/methods.h"
#include "dermis/ops/pose.h"
#include "dermis/ops/render.h"
#include "dermis/ops/rig.h"
#include "dermis/ops/run.h"
#include "dermis/ops/weights.h"

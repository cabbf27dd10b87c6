// SPDX-License-Identifier: MIT
// Verbs: a typed request in, a typed report out. Most work on an asset in memory and have a job for files;
// convert and demo have only the job. The command line, the page and Python call these; nothing here prints.
#pragma once

#include "dermis/ops/animate.h"
#include "dermis/ops/bind.h"
#include "dermis/ops/combine.h"
#include "dermis/ops/convert.h"
#include "dermis/ops/demo.h"
#include "dermis/ops/files.h"
#include "dermis/ops/helpers.h"
#include "dermis/ops/inspect.h"
#include "dermis/ops/methods.h"
#include "dermis/ops/notes.h"
#include "dermis/ops/pose.h"
#include "dermis/ops/render.h"
#include "dermis/ops/report.h"
#include "dermis/ops/rig.h"
#include "dermis/ops/run.h"
#include "dermis/ops/shapes.h"
#include "dermis/ops/shells.h"
#include "dermis/ops/weights.h"

// SPDX-License-Identifier: GPL-2.0
#include "util/draw/timeline_script.h"

#include "util/draw/include_text.h"

INCLUDE_TEXT("timeline_script_js", "util/draw/timeline.js");
INCLUDE_TEXT("timeline_script_css", "util/draw/timeline.css");

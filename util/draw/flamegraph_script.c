// SPDX-License-Identifier: GPL-2.0
#include "util/draw/flamegraph_script.h"

#include "util/draw/include_text.h"

INCLUDE_TEXT("flamegraph_script_js", "util/draw/flamegraph.js");
INCLUDE_TEXT("flamegraph_script_css", "util/draw/flamegraph.css");

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flamegraph_script.h - the texts that make a flame graph work and look as it does in a browser:
 * flamegraph.js and flamegraph.css, as they stand beside this file. NUL-terminated.
 *
 * Neither holds "]]>", "</" or "<!--", and the style sheet no '<' or '&': they can stand in a
 * document as they are.
 */
#ifndef DRAW_FLAMEGRAPH_SCRIPT_H
#define DRAW_FLAMEGRAPH_SCRIPT_H

extern const char flamegraph_script_js[];
extern const char flamegraph_script_css[];

#endif

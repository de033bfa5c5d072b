/* SPDX-License-Identifier: GPL-2.0 */
/*
 * timeline_script.h - timeline.js and timeline.css, as they stand beside this file. NUL-terminated.
 *
 * Neither holds "]]>", "</" or "<!--", and the style sheet no '<' or '&': they can stand in a
 * document as they are.
 */
#ifndef DRAW_TIMELINE_SCRIPT_H
#define DRAW_TIMELINE_SCRIPT_H

extern const char timeline_script_js[];
extern const char timeline_script_css[];

#endif

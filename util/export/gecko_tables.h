/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gecko_tables.h - the tables that all threads of a Firefox profile share: "libs" and "shared", of
 * call_rows.h, and the categories their frames have.
 *
 * A row is a stack there, with the same number; functions, frames and names too.
 */
#ifndef EXPORT_GECKO_TABLES_H
#define EXPORT_GECKO_TABLES_H

#include "util/export/call_rows.h"
#include "util/export/spool.h"

/* The value of "categories": one for each enum call_class, and of the markers. */
#define GECKO_CATEGORY_MARKER NR_CALL_CLASSES
void gecko_tables_categories(struct buf *out);

/* Append "libs" and "shared", as members of the profile. False when memory is out. */
bool gecko_tables_put(struct call_rows *c, struct spool *out);

#endif

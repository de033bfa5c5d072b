/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debug_split.h - the unit of split DWARF that belongs to a skeleton, in a .dwo file.
 *
 * libdw opens the file that the skeleton names, as it would any: a FIFO keeps it waiting for ever.
 * The name is foreign, so what is not a regular file is not handed to it.
 *
 * Source: DWARF 5, section 7.3.2.
 */
#ifndef DEBUGINFO_DEBUG_SPLIT_H
#define DEBUGINFO_DEBUG_SPLIT_H

#include <elfutils/libdw.h>

#include "util/base/types.h"

/*
 * The split unit of a unit that may be a skeleton. `folder`: where the file with the unit is, NULL:
 * not known. False: it has none, or it cannot be had.
 */
bool debug_split_find(Dwarf_Die *unit, const char *folder, Dwarf_Die *split);

#endif

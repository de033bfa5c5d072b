/* SPDX-License-Identifier: GPL-2.0 */
/* debug_variables_internal.h - what the pages of debug_variables.h share. */
#ifndef DEBUGINFO_DEBUG_VARIABLES_INTERNAL_H
#define DEBUGINFO_DEBUG_VARIABLES_INTERNAL_H

#include "util/debuginfo/debug_variables.h"
#include "util/debuginfo/debuginfo_internal.h"

/* Why a value cannot be read at a place. */
enum debug_lack {
	DEBUG_LACKS_NOTHING,
	DEBUG_LACKS_LOCATION,   /* it is nowhere: optimised out */
	DEBUG_LACKS_ENTRY,      /* it was in a register where the function began */
	DEBUG_LACKS_BEGINNING,  /* the function has not begun to make its frame */
	DEBUG_LACKS_WHOLE,      /* it is in pieces */
	DEBUG_LACKS_POINTEE,    /* it points to what is nowhere */
	DEBUG_LACKS_THREAD,     /* each thread has its own */
	DEBUG_LACKS_FRAME,      /* where the frame is is not known */
	DEBUG_LACKS_KNOWLEDGE,  /* the expression is not understood */
	DEBUG_LACKS_BLOCK,      /* whether it is this one or another of the name */
	DEBUG_LACKS_DEFINITION, /* it is declared only */
};

/* debug_variables_location.c: location expressions as steps. */
struct debug_reader {
	struct debug_variables *to;        /* its steps */
	Dwarf_CFI *eh_frame, *debug_frame; /* NULL: there is none */
	struct debug_entry *outer, *entry; /* of the place */
	u64 vaddr;                         /* likewise */
	bool is_list; /* a location is of some addresses of the function alone */
	bool is_typed; /* numbers are of a type that the location names, and so may be without a sign */
	u32 depth, nr; /* of the stack; steps */
	enum debug_lack lack;
	bool no_memory; /* sticky */
};

/* Where a variable is at the reader's place; NOWHERE, and `lack`: it cannot be read, and no steps were added. */
struct debug_spot debug_location_read(struct debug_reader *r, Dwarf_Die *variable);

#endif

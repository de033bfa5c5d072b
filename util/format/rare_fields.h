/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rare_fields.h - the fields of script's text that need special hardware or options of the recorder: memory
 * accesses, registers, branch stacks, page sizes, control groups.
 */
#ifndef FORMAT_RARE_FIELDS_H
#define FORMAT_RARE_FIELDS_H

#include "util/format/fields.h"
#include "util/profile/session.h"

#define RARE_BEFORE_IP                                                                    \
	(FIELD_BIT(FIELD_DATA_SRC) | FIELD_BIT(FIELD_WEIGHT) | FIELD_BIT(FIELD_INS_LAT) | \
	 FIELD_BIT(FIELD_RETIRE_LAT))
#define RARE_BEHIND_IP                                                                             \
	(FIELD_BIT(FIELD_IREGS) | FIELD_BIT(FIELD_UREGS) | FIELD_BIT(FIELD_BRSTACK) |              \
	 FIELD_BIT(FIELD_BRSTACKSYM) | FIELD_BIT(FIELD_BRSTACKOFF) | FIELD_BIT(FIELD_BPF_OUTPUT) | \
	 FIELD_BIT(FIELD_PHYS_ADDR) | FIELD_BIT(FIELD_DATA_PAGE_SIZE) |                            \
	 FIELD_BIT(FIELD_CODE_PAGE_SIZE) | FIELD_BIT(FIELD_CGROUP))

struct rare_fields {
	struct symboliser *symboliser;
	const struct cgroup_names *cgroups;
	bool six_one;       /* the layout of perf 6.1 */
	u32 data_src_width; /* of the longest text so far */
};

/* What comes before the ip, and after it. `on`: the fields of the event's type. */
void rare_fields_before_ip(struct rare_fields *r, u64 on, const struct session_sample *s,
			   struct buf *out);
int rare_fields_behind_ip(struct rare_fields *r, u64 on, const struct session_sample *s,
			  struct buf *out, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfdata_write_features.h - the sections of a perf.data header, made of a recording's facts.
 */
#ifndef FILE_PERFDATA_WRITE_FEATURES_H
#define FILE_PERFDATA_WRITE_FEATURES_H

#include "util/file/perfdata_write.h"

/*
 * Append the section of a feature as it stands in a file. False: the recording knows nothing of it,
 * and nothing was appended.
 */
bool perfdata_write_features_put(const struct perfdata_writer *w, enum perfdata_feature f,
				 struct buf *b);

/* The build-id of one DSO as a record of that type; in a file's section the type is 0. */
void perfdata_write_features_build_id(struct buf *b, const struct dso_text *dso, u32 type);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vdso.h - the [vdso] that the kernel maps into this process: an ELF image without a file.
 *
 * Source: vdso(7), getauxval(3) AT_SYSINFO_EHDR.
 */
#ifndef IMAGE_VDSO_H
#define IMAGE_VDSO_H

#include "util/base/types.h"

/* Its bytes, which stay where they are for as long as the process lives; NULL if there is none. */
const void *vdso_image(size_t *len);

#endif

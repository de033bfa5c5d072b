/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfdata_abi.h - the numbers of perf's own file, for its reader and its writer.
 *
 * A file in file mode: header (104 bytes), the ids of the events, entries of an attr and the
 * section of its ids, the records, then a section {offset, size} for each feature whose bit is set
 * in the header, in order of the bits, and what they point at. In pipe mode: a header of 16 bytes,
 * and everything else as records. All in the byte order of the machine that recorded.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt, tools/lib/perf/include/perf/event.h
 * and tools/perf/util/header.h of the kernel tree; the numbers beyond perf 6.1's from Linux 6.18.
 */
#ifndef FILE_PERFDATA_ABI_H
#define FILE_PERFDATA_ABI_H

/* One number: a machine of the other byte order has it the other way round. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define PERFDATA_MAGIC         "2ELIFREP"
#define PERFDATA_MAGIC_SWAPPED "PERFILE2"
#else
#define PERFDATA_MAGIC         "PERFILE2"
#define PERFDATA_MAGIC_SWAPPED "2ELIFREP"
#endif
#define PERFDATA_MAGIC_OLD "PERFFILE" /* until 2012, on every machine */

#define PERFDATA_HEADER_SIZE      104
#define PERFDATA_PIPE_HEADER_SIZE 16

/* Records that perf puts among the kernel's, which are all below. */
enum perfdata_type {
	PERFDATA_TYPE_FIRST = 64,
	PERFDATA_HEADER_ATTR = 64,
	PERFDATA_HEADER_EVENT_TYPE = 65,   /* no longer written */
	PERFDATA_HEADER_TRACING_DATA = 66, /* u32 size; that many bytes follow the record */
	PERFDATA_HEADER_BUILD_ID = 67,
	PERFDATA_FINISHED_ROUND = 68,
	PERFDATA_ID_INDEX = 69,
	PERFDATA_AUXTRACE_INFO = 70,
	PERFDATA_AUXTRACE = 71, /* u64 size; that many bytes follow the record */
	PERFDATA_AUXTRACE_ERROR = 72,
	PERFDATA_THREAD_MAP = 73,
	PERFDATA_CPU_MAP = 74,
	PERFDATA_STAT_CONFIG = 75,
	PERFDATA_STAT = 76,
	PERFDATA_STAT_ROUND = 77,
	PERFDATA_EVENT_UPDATE = 78,
	PERFDATA_TIME_CONV = 79,
	PERFDATA_HEADER_FEATURE = 80,
	PERFDATA_COMPRESSED = 81,
	PERFDATA_FINISHED_INIT = 82,
	PERFDATA_COMPRESSED2 = 83, /* as COMPRESSED, with the size of the data, and padded */
	PERFDATA_BPF_METADATA = 84,
	PERFDATA_SCHEDSTAT_CPU = 85,
	PERFDATA_SCHEDSTAT_DOMAIN = 86,
};

/* What an EVENT_UPDATE record changes. */
enum perfdata_update {
	PERFDATA_UPDATE_UNIT = 0,
	PERFDATA_UPDATE_SCALE = 1,
	PERFDATA_UPDATE_NAME = 2,
	PERFDATA_UPDATE_CPUS = 3,
};

/* Bits of the header, and the kind of a HEADER_FEATURE record. */
enum perfdata_feature {
	PERFDATA_FEATURE_TRACING_DATA = 1,
	PERFDATA_FEATURE_BUILD_ID = 2,
	PERFDATA_FEATURE_HOSTNAME = 3,
	PERFDATA_FEATURE_OSRELEASE = 4,
	PERFDATA_FEATURE_VERSION = 5,
	PERFDATA_FEATURE_ARCH = 6,
	PERFDATA_FEATURE_NRCPUS = 7,
	PERFDATA_FEATURE_CPUDESC = 8,
	PERFDATA_FEATURE_CPUID = 9,
	PERFDATA_FEATURE_TOTAL_MEM = 10,
	PERFDATA_FEATURE_CMDLINE = 11,
	PERFDATA_FEATURE_EVENT_DESC = 12,
	PERFDATA_FEATURE_CPU_TOPOLOGY = 13,
	PERFDATA_FEATURE_NUMA_TOPOLOGY = 14,
	PERFDATA_FEATURE_BRANCH_STACK = 15,
	PERFDATA_FEATURE_PMU_MAPPINGS = 16,
	PERFDATA_FEATURE_GROUP_DESC = 17,
	PERFDATA_FEATURE_AUXTRACE = 18,
	PERFDATA_FEATURE_STAT = 19,
	PERFDATA_FEATURE_CACHE = 20,
	PERFDATA_FEATURE_SAMPLE_TIME = 21,
	PERFDATA_FEATURE_MEM_TOPOLOGY = 22,
	PERFDATA_FEATURE_CLOCKID = 23,
	PERFDATA_FEATURE_DIR_FORMAT = 24,
	PERFDATA_FEATURE_BPF_PROG_INFO = 25,
	PERFDATA_FEATURE_BPF_BTF = 26,
	PERFDATA_FEATURE_COMPRESSED = 27,
	PERFDATA_FEATURE_CPU_PMU_CAPS = 28,
	PERFDATA_FEATURE_CLOCK_DATA = 29,
	PERFDATA_FEATURE_HYBRID_TOPOLOGY = 30,
	PERFDATA_FEATURE_PMU_CAPS = 31,
	PERFDATA_FEATURES = 256, /* bits in the header */
};

/* What begins the tracing data, and its version. */
#define PERFDATA_TRACING_MAGIC   "\x17\x08\x44tracing"
#define PERFDATA_TRACING_VERSION "0.6"

/* misc of an entry of the build-id table: byte 20 of the build-id holds its length. */
#define PERFDATA_MISC_BUILD_ID_SIZE (1 << 15)

/* Strings of features are padded with NULs to a multiple of this. */
#define PERFDATA_STRING_ALIGN 64

#endif

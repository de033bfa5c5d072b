// SPDX-License-Identifier: GPL-2.0
/* Functions and tracepoints by the types of a kernel and its modules. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/made_btf.h"
#include "tests/unit/oom.h"
#include "util/event/ev_env.h"
#include "util/event/ev_filter.h"
#include "util/event/ev_parse.h"

static const char *const folders[] = {"sys", "sys/kernel", "sys/kernel/btf"};

struct machine {
	char dir[32];
	struct made kernel;
	struct sysroot root;
	struct ev_env env;
	struct ev_list list;
	struct err err;
};

static void save(const struct machine *m, const char *file, const void *data, size_t len)
{
	int dir = open(m->dir, O_PATH | O_DIRECTORY), fd;

	fd = openat(dir, file, O_WRONLY | O_CREAT, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	close(fd);
	close(dir);
}

/* A function with one parameter, an int. */
static void add_function(struct made *m, const char *function, const char *parameter)
{
	u32 prototype = add(m, "", BTF_FUNC_PROTO, 1, false, 1);

	more(m, parameter, 1);
	add(m, function, BTF_FUNC, 0, false, prototype);
}

/* With one value. */
static void add_enum(struct made *m, const char *name, const char *value_name, u32 value)
{
	add(m, name, BTF_ENUM, 1, false, 4);
	more(m, value_name, value);
}

static void add_module(const struct machine *m, const char *file, const char *const *functions,
		       u32 odd)
{
	struct made made;

	begin_module(&made, &m->kernel);
	made.nr = m->kernel.nr;
	for (; *functions; functions++)
		add_function(&made, *functions, "number");
	if (odd == 1)
		add_enum(&made, "mode", "LEARN", 3);
	add_enum(&made, "same", "SAME", 5);
	add_enum(&made, "odd", "ODD", odd);
	add_enum(&made, "state", "ANOTHER", 9);
	assert_int_equal(finish(&made, NULL), 0);
	save(m, file, made.all.data, made.all.len);
	end(&made);
}

static void boot(struct machine *m)
{
	int dir;
	u32 i;

	*m = (struct machine){.dir = "/tmp/test_ev_env.XXXXXX"};
	assert_non_null(mkdtemp(m->dir));
	dir = open(m->dir, O_PATH | O_DIRECTORY);
	for (i = 0; i < ARRAY_SIZE(folders); i++)
		assert_int_equal(mkdirat(dir, folders[i], 0755), 0);
	close(dir);
	begin(&m->kernel);
	add_int(&m->kernel, "int", 4);
	add_function(&m->kernel, "vfs_open", "path");
	add_function(&m->kernel, "shared", "path");
	add_enum(&m->kernel, "state", "UP", 7);
	assert_int_equal(finish(&m->kernel, NULL), 0);
	save(m, "sys/kernel/btf/vmlinux", m->kernel.all.data, m->kernel.all.len);
	add_module(m, "sys/kernel/btf/bridge",
		   (const char *const[]){"br_open", "shared", "probe", NULL}, 1);
	add_module(m, "sys/kernel/btf/card",
		   (const char *const[]){"probe", "__traceiter_card_reset", NULL}, 2);
	save(m, "sys/kernel/btf/damaged", "\x9f\xeb", 2);
	assert_int_equal(sysroot_open(&m->root, m->dir, NULL), 0);
	m->env.root = &m->root;
}

static void halt(struct machine *m)
{
	static const char *const files[] = {"sys/kernel/btf/vmlinux", "sys/kernel/btf/bridge",
					    "sys/kernel/btf/card", "sys/kernel/btf/damaged"};
	u32 i;

	ev_list_free(&m->list);
	ev_env_close(&m->env);
	for (i = 0; i < ARRAY_SIZE(files); i++)
		unlinkat(m->root.fd, files[i], 0);
	for (i = ARRAY_SIZE(folders); i--;)
		unlinkat(m->root.fd, folders[i], AT_REMOVEDIR);
	sysroot_close(&m->root);
	assert_int_equal(rmdir(m->dir), 0);
	end(&m->kernel);
}

static const char *module_of(struct machine *m, const char *module, const char *function)
{
	struct ev_env_function f;

	assert_int_equal(ev_env_function(&m->env, module, function, &f, &m->err), 0);
	if (!f.id)
		return "none";
	assert_string_equal(btf_type(f.btf, f.id).name, function);
	return f.module ? f.module : "the kernel";
}

static void functions(void **state)
{
	struct ev_env_function f;
	struct machine m;

	(void)state;
	boot(&m);
	assert_string_equal(module_of(&m, NULL, "vfs_open"), "the kernel");
	assert_false(m.env.have_modules);
	assert_string_equal(module_of(&m, NULL, "br_open"), "bridge");
	assert_int_equal(m.env.modules.v.nr, 2);
	assert_string_equal(module_of(&m, NULL, "br_close"), "none");
	/* one of the kernel hides a module's, unless that is named */
	assert_string_equal(module_of(&m, NULL, "shared"), "the kernel");
	assert_string_equal(module_of(&m, "bridge", "shared"), "bridge");
	assert_string_equal(module_of(&m, "card", "shared"), "none");
	assert_string_equal(module_of(&m, "bridge", "vfs_open"), "none");
	assert_string_equal(module_of(&m, "vmlinux", "vfs_open"), "none");
	/* two of a name */
	assert_int_equal(ev_env_function(&m.env, NULL, "probe", &f, &m.err), 0);
	assert_string_equal(f.another, "card");
	assert_int_equal(ev_env_function(&m.env, "card", "probe", &f, &m.err), 0);
	assert_null(f.another);
	assert_string_equal(module_of(&m, "card", "probe"), "card");
	halt(&m);
}

static void tracepoints(void **state)
{
	const struct btf *kernel, *card;
	struct machine m;
	u32 remembered;

	(void)state;
	for (remembered = 0; remembered < 2; remembered++) {
		boot(&m);
		kernel = ev_env_btf(&m.env, NULL);
		assert_non_null(kernel);
		if (remembered)
			assert_true(btf_index(&m.env.btf));
		card = ev_env_tracepoint(&m.env, "card_reset", NULL);
		assert_ptr_not_equal(card, kernel);
		assert_int_equal(btf_tracepoint(card, "card_reset").kind, BTF_FUNC_PROTO);
		assert_int_equal(card->names.nr > 0, remembered);
		assert_ptr_equal(ev_env_tracepoint(&m.env, "card_stop", NULL), kernel);
		halt(&m);
	}
}

static void refused(struct machine *m, const char *text, const char *message, const char *hint)
{
	m->err = (struct err){0};
	assert_int_not_equal(ev_parse(&m->list, text, &m->env, &m->err), 0);
	if (!strstr(m->err.msg, message) || !strstr(m->err.hint, hint))
		fail_msg("%s: %s; %s", text, m->err.msg, m->err.hint);
	ev_list_free(&m->list);
	m->list = (struct ev_list){0};
}

static void parsed(void **state)
{
	struct machine m;

	(void)state;
	boot(&m);
	assert_int_equal(ev_parse(&m.list, "fentry:br_open(number),fexit:card:probe(number)",
				  &m.env, &m.err),
			 0);
	assert_int_equal(m.list.specs.nr, 2);
	assert_string_equal(m.list.specs.v[0].name, "fentry:br_open");
	assert_string_equal(m.list.specs.v[1].name, "fexit:card:probe");
	assert_non_null(strstr(m.list.specs.v[0].tp.format, "int number;"));
	refused(&m, "fentry:probe", "the modules bridge and card both have a function 'probe'",
		"name one: fentry:bridge:probe");
	refused(&m, "fexit:br_opne", "the types of the kernel and its modules have no function",
		"did you mean fexit:br_open?");
	refused(&m, "fentry:bridge:br_opne", "the types of the module bridge have no function",
		"did you mean fentry:bridge:br_open?");
	refused(&m, "fentry:bridge:vfs_open", "the types of the module bridge have no function",
		"the kernel itself has one: fentry:vfs_open");
	refused(&m, "fexit:brigde:br_open", "there are no types of a module 'brigde'",
		"kretprobe:br_open does without");
	refused(&m, "fentry:built_in:vfs_open", "there are no types of a module 'built_in'",
		"the kernel itself has one: fentry:vfs_open");
	refused(&m, "fentry:br*:br_open", "the module must be a name, not a pattern", "");
	/* modifiers are no function */
	refused(&m, "fentry:br_open:u", "an event that a program makes has no modifiers", "");
	halt(&m);
}

/* The name of its first value, if that is it. */
static const char *first_name(struct machine *m, const char *type, u64 value)
{
	struct tp_name_list names = {0};
	const char *name = "none";

	assert_int_equal(ev_type_names(&m->env, type, &names, &m->err), 0);
	if (names.v.nr && names.v.v[0].value == value)
		name = names.v.v[0].name;
	tp_names_list_free(&names);
	return name;
}

static void names_of_values(void **state)
{
	struct machine m;

	(void)state;
	boot(&m);
	assert_string_equal(first_name(&m, "enum state", 7), "UP");
	assert_string_equal(first_name(&m, "state", 7), "none");
	assert_false(m.env.have_modules);
	assert_string_equal(first_name(&m, "enum mode", 3), "LEARN");
	assert_string_equal(first_name(&m, "enum same", 5), "SAME");
	/* that of which module it is, nobody says */
	assert_string_equal(first_name(&m, "enum odd", 1), "none");
	assert_string_equal(first_name(&m, "enum odd", 2), "none");
	assert_string_equal(first_name(&m, "enum nothing", 0), "none");
	halt(&m);
}

static void out_of_memory(void **state)
{
	static const char *const texts[] = {"fentry:br_open(number)", "fentry:br_close(number)"};
	const struct btf *types;
	struct machine m;
	unsigned int n;
	bool refused_one = true;
	int ret;
	u32 i;

	(void)state;
	for (n = 0; refused_one; n++) {
		boot(&m);
		assert_non_null(ev_env_btf(&m.env, NULL));
		oom_after(n);
		types = ev_env_tracepoint(&m.env, "card_reset", &m.err);
		refused_one = oom_stop();
		if (types)
			assert_int_equal(btf_tracepoint(types, "card_reset").kind, BTF_FUNC_PROTO);
		else
			assert_int_equal(m.err.code, ENOMEM);
		halt(&m);
	}
	/* what is missing for want of memory is not said to be missing */
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		for (n = 0, refused_one = true; refused_one; n++) {
			boot(&m);
			assert_non_null(ev_env_btf(&m.env, NULL));
			oom_after(n);
			ret = ev_parse(&m.list, texts[i], &m.env, &m.err);
			refused_one = oom_stop();
			if (refused_one && ret)
				assert_int_equal(m.err.code, ENOMEM);
			else
				assert_int_equal(ret, i ? -EINVAL : 0);
			halt(&m);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions),     cmocka_unit_test(tracepoints),
		cmocka_unit_test(parsed),        cmocka_unit_test(names_of_values),
		cmocka_unit_test(out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

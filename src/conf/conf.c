// SPDX-License-Identifier: BSD-2-Clause
// conf.c - reading: the settings of all texts are kept, and after each text the whole structure is
// computed anew from them beside the old one, which it replaces only if nothing was wrong.  So no
// order of files matters, and a failure changes nothing.
#include "base/text.h"
#include "conf/build.h"
#include "conf/settings.h"
#include "conf/shell.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX_BYTES = 1 << 20 };

static void defaults(struct conf *c)
{
	*c = (struct conf){
		.redirect4 = true,
		.redirect6 = true,
		.ttl = 64,
		.hlim = 64,
		.process_options = 1,
		.icmp_limit_pps = 200,
		.icmp_quote_bytes = 548,
	};
}

void conf_init(struct conf *c)
{
	defaults(c);
}

static void vars_drop(struct conf_vars *in)
{
	if (in == NULL)
		return;
	vars_free(&in->rc);
	vars_free(&in->unset);
	vars_free(&in->sysctl);
	vars_free(&in->loader);
	free(in);
}

void conf_free(struct conf *c)
{
	for (unsigned i = 0; i < c->n_ifaces; i++)
		free(c->ifaces[i].addrs);
	free(c->ifaces);
	free(c->routes);
	free(c->neighs);
	free(c->notes);
	vars_drop(c->vars);
	*c = (struct conf){0};
}

static int copy_vars(struct conf_vars *to, const struct conf_vars *from, struct err *err)
{
	int rc = vars_add(&to->rc, &from->rc, err);

	if (rc == 0)
		rc = vars_add(&to->unset, &from->unset, err);
	if (rc == 0)
		rc = vars_add(&to->sysctl, &from->sysctl, err);
	return rc == 0 ? vars_add(&to->loader, &from->loader, err) : rc;
}

static int interpret(struct conf *c, struct err *err)
{
	struct build b = {.c = c, .in = c->vars, .err = err};
	int (*const steps[])(struct build *) = {conf_build_switches, conf_build_ifaces,
		conf_build_hardware, conf_build_neighs, conf_build_routes, conf_build_notes};

	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		int rc = steps[i](&b);

		if (rc != 0)
			return rc;
	}
	return 0;
}

enum kind { RC, SYSCTL, LOADER };

struct text {
	enum kind kind;
	const char *file;
	const char *text;
};

static int read_text(struct conf_vars *in, const struct text *t, struct err *err)
{
	switch (t->kind) {
	case RC:
		return shell_read(&in->rc, &in->unset, t->file, t->text, err);
	case SYSCTL:
		return sysctl_read(&in->sysctl, t->file, t->text, err);
	default:
		return loader_read(&in->loader, t->file, t->text, err);
	}
}

static int add_texts(struct conf *c, const struct text *t, unsigned n, struct err *err)
{
	struct conf next;
	int rc = 0;

	defaults(&next);
	next.vars = calloc(1, sizeof(*next.vars));
	if (next.vars == NULL)
		return err_set(err, ENOMEM, "out of memory");
	if (c->vars != NULL)
		rc = copy_vars(next.vars, c->vars, err);
	for (unsigned i = 0; i < n && rc == 0; i++)
		rc = read_text(next.vars, &t[i], err);
	if (rc == 0)
		rc = interpret(&next, err);
	if (rc != 0) {
		conf_free(&next);
		return rc;
	}
	conf_free(c);
	*c = next;
	return 0;
}

int conf_rc(struct conf *c, const char *file, const char *text, struct err *err)
{
	return add_texts(c, &(struct text){RC, file, text}, 1, err);
}

int conf_sysctl(struct conf *c, const char *file, const char *text, struct err *err)
{
	return add_texts(c, &(struct text){SYSCTL, file, text}, 1, err);
}

int conf_loader(struct conf *c, const char *file, const char *text, struct err *err)
{
	return add_texts(c, &(struct text){LOADER, file, text}, 1, err);
}

bool conf_setting(const struct conf *c, unsigned i, struct conf_setting *out)
{
	static const char *const names[] = {"rc.conf", "sysctl.conf", "loader.conf"};
	const struct vars *kinds[3];

	if (c->vars == NULL)
		return false;
	kinds[0] = &c->vars->rc;
	kinds[1] = &c->vars->sysctl;
	kinds[2] = &c->vars->loader;
	for (unsigned k = 0; k < 3; k++) {
		if (i < kinds[k]->n) {
			const struct var *v = &kinds[k]->v[i];

			*out = (struct conf_setting){names[k], v->name, v->value, v->where};
			return true;
		}
		i -= kinds[k]->n;
	}
	return false;
}

// --- folders -----------------------------------------------------------------------------------

static const struct {
	enum kind kind;
	const char *sub, *name;
} files[] = {
	{LOADER, "boot", "loader.conf"},
	{LOADER, "boot", "loader.conf.local"},
	{RC, "etc", "rc.conf"},
	{RC, "etc", "rc.conf.local"},
	{SYSCTL, "etc", "sysctl.conf"},
	{SYSCTL, "etc", "sysctl.conf.local"},
};

enum { N_FILES = sizeof(files) / sizeof(files[0]) };

// The file's text and its name within dir, or NULL with rc 0 if it is not there.
static char *find_text(const char *dir, unsigned i, char *name, int *rc, struct err *err)
{
	char flat[4096], deep[4096];
	bool is_flat, is_deep;
	char *text;

	*rc = 0;
	if (snprintf(flat, sizeof(flat), "%s/%s", dir, files[i].name) >= (int)sizeof(flat) ||
		snprintf(deep, sizeof(deep), "%s/%s/%s", dir, files[i].sub, files[i].name) >=
			(int)sizeof(deep)) {
		*rc = err_set(err, ENAMETOOLONG, "%.80s...: the path is too long", dir);
		return NULL;
	}
	is_flat = access(flat, F_OK) == 0;
	is_deep = access(deep, F_OK) == 0;
	if (is_flat && is_deep) {
		*rc = err_set(err, EINVAL, "%s: both %s and %s/%s are there; which one counts?",
			dir, files[i].name, files[i].sub, files[i].name);
		return NULL;
	}
	if (!is_flat && !is_deep)
		return NULL;
	sprintf(name, "%s%s%s", is_flat ? "" : files[i].sub, is_flat ? "" : "/", files[i].name);
	text = text_read_file(is_flat ? flat : deep, FILE_MAX_BYTES, NULL, err);
	if (text == NULL)
		*rc = err != NULL ? -err->code : -EIO;
	return text;
}

static int nothing_found(const char *dir, struct err *err)
{
	struct stat st;

	if (stat(dir, &st) != 0 && errno == ENOENT)
		return err_set(err, ENOENT, "%s: there is no such folder", dir);
	if (stat(dir, &st) != 0)
		return err_set(err, errno, "%s: %s", dir, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ENOTDIR,
			"%s: is no folder; the settings are read from the "
			"files rc.conf, sysctl.conf and loader.conf of a folder",
			dir);
	return err_set(err, ENOENT, "%s: holds no rc.conf, sysctl.conf or loader.conf", dir);
}

int conf_add_dir(struct conf *c, const char *dir, struct err *err)
{
	char *found[N_FILES] = {0}, where[N_FILES][32];
	struct text t[N_FILES];
	struct err own = {0};
	unsigned n = 0;
	int rc = 0;

	if (err == NULL)
		err = &own;
	if (dir[0] == '\0') // "/rc.conf" is not what an empty name means
		return err_set(err, EINVAL, "the name of the folder of settings is empty");
	for (unsigned i = 0; i < N_FILES && rc == 0; i++) {
		found[i] = find_text(dir, i, where[i], &rc, err);
		if (found[i] != NULL)
			t[n++] = (struct text){files[i].kind, where[i], found[i]};
	}
	if (rc == 0 && n == 0)
		rc = nothing_found(dir, err);
	if (rc == 0) {
		rc = add_texts(c, t, n, err);
		if (rc == -EINVAL) { // "FILE:LINE: ..." becomes a path
			struct err e = *err;

			err_set(err, EINVAL, "%s/%.400s", dir, e.msg);
		}
	}
	for (unsigned i = 0; i < N_FILES; i++)
		free(found[i]);
	return rc;
}

int conf_read_dir(const char *dir, struct conf *out, struct err *err)
{
	struct conf c;
	int rc;

	conf_init(&c);
	rc = conf_add_dir(&c, dir, err);
	if (rc == 0)
		*out = c;
	return rc;
}

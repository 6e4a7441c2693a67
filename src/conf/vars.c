// SPDX-License-Identifier: BSD-2-Clause
// vars.c - an array with a hash index, open addressing, at most half full.  Nothing is removed.
#include "conf/vars.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void where_text(char *out, const char *file, unsigned line)
{
	const size_t keep = CONF_WHERE_MAX - 16; // room for ":", the line and the NUL
	size_t n = strlen(file);

	snprintf(out, CONF_WHERE_MAX, "%s:%u", n > keep ? file + n - keep : file, line);
}

// FNV-1a.
static unsigned hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s != '\0'; s++)
		h = (h ^ (uint8_t)*s) * 16777619u;
	return h;
}

// The slot that holds name, or the free one where it belongs.  Slots hold an index + 1.
static unsigned *slot_of(const struct vars *v, const char *name)
{
	unsigned i = hash(name) & (v->n_slots - 1);

	while (v->slot[i] != 0 && strcmp(v->v[v->slot[i] - 1].name, name) != 0)
		i = (i + 1) & (v->n_slots - 1);
	return &v->slot[i];
}

static int grow(struct vars *v, struct err *err)
{
	unsigned room = v->room == 0 ? 64 : v->room * 2;
	struct var *more = realloc(v->v, room * sizeof(*more));
	unsigned *slot;

	if (more == NULL)
		return err_set(err, ENOMEM, "out of memory");
	v->v = more;
	slot = calloc(2 * (size_t)room, sizeof(*slot));
	if (slot == NULL)
		return err_set(err, ENOMEM, "out of memory");
	free(v->slot);
	v->slot = slot;
	v->n_slots = 2 * room;
	v->room = room;
	for (unsigned i = 0; i < v->n; i++)
		*slot_of(v, v->v[i].name) = i + 1;
	return 0;
}

int vars_set(
	struct vars *v, const char *name, const char *value, const char *where, struct err *err)
{
	char *text = strdup(value);
	unsigned *slot;
	struct var *var;

	if (text == NULL || (v->n == v->room && grow(v, NULL) != 0))
		goto oom;
	slot = slot_of(v, name);
	if (*slot == 0) {
		char *key = strdup(name);

		if (key == NULL)
			goto oom;
		v->v[v->n] = (struct var){.name = key};
		*slot = ++v->n;
	}
	var = &v->v[*slot - 1];
	free(var->value);
	var->value = text;
	snprintf(var->where, sizeof(var->where), "%s", where);
	return 0;
oom:
	free(text);
	return err_set(err, ENOMEM, "out of memory");
}

struct var *vars_find(const struct vars *v, const char *name)
{
	unsigned i;

	if (v->n == 0)
		return NULL;
	i = *slot_of(v, name);
	return i == 0 ? NULL : &v->v[i - 1];
}

int vars_add(struct vars *to, const struct vars *from, struct err *err)
{
	for (unsigned i = 0; i < from->n; i++) {
		const struct var *v = &from->v[i];
		int rc = vars_set(to, v->name, v->value, v->where, err);

		if (rc != 0)
			return rc;
		vars_find(to, v->name)->referred |= v->referred;
	}
	return 0;
}

void vars_free(struct vars *v)
{
	for (unsigned i = 0; i < v->n; i++) {
		free(v->v[i].name);
		free(v->v[i].value);
	}
	free(v->v);
	free(v->slot);
	*v = (struct vars){0};
}

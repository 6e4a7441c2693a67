// SPDX-License-Identifier: BSD-2-Clause
// Reading results.json back, so that a report can be made again.  Every member of the tables in
// fields.c must be there with its type; members that are not in them are not looked at.
#include "lab/fields.h"
#include "lab/results.h"

#include "base/text.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RESULTS_MAX = 64 << 20, ITEMS_MAX = 1000000 };

static int get_text(const struct field *f, const json_t *v, char *at, struct err *err)
{
	const char *text = json_string_value(v);

	if (text == NULL)
		return err_set(err, EINVAL, "%s is not a string", f->name);
	if (strlen(text) >= f->size)
		return err_set(err, EINVAL, "%s is longer than %zu bytes", f->name, f->size - 1);
	memcpy(at, text, strlen(text) + 1);
	return 0;
}

static int get_hex(const struct field *f, const json_t *v, uint64_t *at, struct err *err)
{
	const char *text = json_string_value(v);
	char *end;

	if (text == NULL || strncmp(text, "0x", 2) != 0)
		return err_set(err, EINVAL, "%s is not a hexadecimal string", f->name);
	errno = 0;
	*at = strtoull(text, &end, 16);
	if (*end != '\0' || errno != 0)
		return err_set(err, EINVAL, "%s is not a hexadecimal string", f->name);
	return 0;
}

static int get_integer(const struct field *f, const json_t *v, void *at, struct err *err)
{
	json_int_t n = json_integer_value(v);

	if (f->type == FIELD_COUNT && json_is_null(v)) {
		*(uint64_t *)at = LAB_NOT_COUNTED;
		return 0;
	}
	if (!json_is_integer(v) || n < 0 || (f->size < sizeof(uint64_t) && n > INT32_MAX))
		return err_set(err, EINVAL, "%s is not a count", f->name);
	if (f->size == sizeof(uint64_t))
		*(uint64_t *)at = (uint64_t)n;
	else
		*(unsigned *)at = (unsigned)n;
	return 0;
}

static int get(const struct field *f, const json_t *v, void *at, struct err *err)
{
	switch (f->type) {
	case FIELD_TEXT:
		return get_text(f, v, at, err);
	case FIELD_HEX:
		return get_hex(f, v, at, err);
	case FIELD_BOOL:
		if (!json_is_boolean(v))
			return err_set(err, EINVAL, "%s is neither true nor false", f->name);
		*(bool *)at = json_is_true(v);
		return 0;
	case FIELD_UINT:
	case FIELD_INT:
	case FIELD_U64:
	case FIELD_COUNT:
		return get_integer(f, v, at, err);
	case FIELD_DOUBLE:
		if (!json_is_number(v) && !json_is_null(v))
			return err_set(err, EINVAL, "%s is not a number", f->name);
		*(double *)at = json_is_null(v) ? NAN : json_number_value(v);
		return 0;
	}
	return err_set(err, EINVAL, "%s has no type", f->name);
}

static int object(const struct field_table *t, const json_t *o, void *base, struct err *err)
{
	if (!json_is_object(o))
		return err_set(err, EINVAL, "%s is not an object", t->name);
	for (unsigned i = 0; i < t->n; i++) {
		const struct field *f = &t->field[i];
		const json_t *v = json_object_get(o, f->name);

		if (v == NULL)
			return err_set(err, EINVAL, "%s has no %s", t->name, f->name);
		if (get(f, v, (char *)base + f->offset, err) != 0)
			return err_context(err, "%s", t->name);
	}
	return 0;
}

// The array `key` of o as zeroed, malloc'd items; *n how many.
static int array(const struct field_table *t, const json_t *o, const char *key, size_t size,
	void **out, unsigned *n, struct err *err)
{
	const json_t *a = json_object_get(o, key);
	size_t count = json_array_size(a);

	if (!json_is_array(a) || count > ITEMS_MAX)
		return err_set(
			err, EINVAL, "%s is not an array of at most %d items", key, ITEMS_MAX);
	*out = calloc(count > 0 ? count : 1, size);
	if (*out == NULL)
		return err_set(err, ENOMEM, "no memory for %zu items of %s", count, key);
	for (size_t i = 0; i < count; i++)
		if (object(t, json_array_get(a, i), (char *)*out + i * size, err) != 0)
			return err_context(err, "%s[%zu]", key, i);
	*n = (unsigned)count;
	return 0;
}

static int drops(const json_t *o, struct lab_run *run, struct err *err)
{
	void *list = NULL;
	unsigned n = 0;
	int rc = array(&fields_drop, o, "drops", sizeof(run->drop[0]), &list, &n, err);

	if (rc == 0 && n > LAB_DROPS_MAX)
		rc = err_set(err, EINVAL, "more than %d drop reasons", LAB_DROPS_MAX);
	if (rc == 0) {
		memcpy(run->drop, list, n * sizeof(run->drop[0]));
		run->n_drops = n;
	}
	free(list);
	return rc;
}

static int runs(const json_t *o, struct lab_results *r, struct err *err)
{
	const json_t *a = json_object_get(o, "runs");

	if (array(&fields_run, o, "runs", sizeof(r->run[0]), (void **)&r->run, &r->n_runs, err) !=
		0)
		return -err->code;
	for (unsigned i = 0; i < r->n_runs; i++) {
		struct lab_run *run = &r->run[i];
		const json_t *v = json_array_get(a, i);

		if (run->arm >= r->n_arms)
			return err_set(err, EINVAL, "runs[%u]: there is no arm %u", i, run->arm);
		if (drops(v, run, err) != 0 ||
			array(&fields_window, v, "windows", sizeof(run->window[0]),
				(void **)&run->window, &run->n_windows, err) != 0)
			return err_context(err, "runs[%u]", i);
	}
	return 0;
}

static int comparisons(const json_t *o, struct lab_results *r, struct err *err)
{
	const json_t *a = json_object_get(o, "comparisons");

	if (array(&fields_comparison, o, "comparisons", sizeof(r->cmp[0]), (void **)&r->cmp,
		    &r->n_cmps, err) != 0)
		return -err->code;
	for (unsigned i = 0; i < r->n_cmps; i++) {
		const json_t *v = json_array_get(a, i);
		const json_t *code = json_object_get(v, "verdict_code");
		const char *box = json_string_value(json_object_get(v, "ministat"));

		if (r->cmp[i].a >= r->n_arms || r->cmp[i].b >= r->n_arms)
			return err_set(err, EINVAL, "comparisons[%u]: there is no such arm", i);
		if (!json_is_integer(code) || json_integer_value(code) < 0 ||
			json_integer_value(code) > INVALID || box == NULL)
			return err_set(
				err, EINVAL, "comparisons[%u]: no verdict_code, or no ministat", i);
		r->cmp[i].ministat = strdup(box);
		if (r->cmp[i].ministat == NULL)
			return err_set(err, ENOMEM, "no memory for comparisons[%u]", i);
		if (object(&fields_stats, json_object_get(v, "statistics"), &r->cmp[i].c, err) != 0)
			return err_context(err, "comparisons[%u]", i);
		r->cmp[i].c.verdict = (enum verdict)json_integer_value(code);
	}
	return 0;
}

// Results of before there were filters have none.
static int filters(const json_t *o, struct lab_results *r, struct err *err)
{
	if (json_object_get(o, "filters") == NULL)
		return 0;
	if (array(&fields_filter, o, "filters", sizeof(r->filter[0]), (void **)&r->filter,
		    &r->n_filters, err) != 0 ||
		array(&fields_rule, o, "rules", sizeof(r->rule[0]), (void **)&r->rule, &r->n_rules,
			err) != 0)
		return -err->code;
	for (unsigned i = 0; i < r->n_filters; i++)
		if (r->filter[i].arm >= r->n_arms)
			return err_set(err, EINVAL, "filters[%u]: there is no such arm", i);
	for (unsigned i = 0; i < r->n_rules; i++)
		if (r->rule[i].arm >= r->n_arms)
			return err_set(err, EINVAL, "rules[%u]: there is no such arm", i);
	return 0;
}

static int all(const json_t *o, struct lab_results *r, struct err *err)
{
	const json_t *schema = json_object_get(o, "schema");

	if (!json_is_integer(schema) || json_integer_value(schema) != LAB_SCHEMA)
		return err_set(
			err, EINVAL, "schema is not %d, the one this version reads", LAB_SCHEMA);
	if (object(&fields_results, o, r, err) != 0 ||
		object(&fields_machine, json_object_get(o, "machine"), &r->machine, err) != 0 ||
		array(&fields_arm, o, "arms", sizeof(r->arm[0]), (void **)&r->arm, &r->n_arms,
			err) != 0 ||
		array(&fields_note, o, "notes", sizeof(r->note[0]), (void **)&r->note, &r->n_notes,
			err) != 0 ||
		array(&fields_setting, o, "settings", sizeof(r->setting[0]), (void **)&r->setting,
			&r->n_settings, err) != 0 ||
		runs(o, r, err) != 0 || filters(o, r, err) != 0)
		return -err->code;
	return comparisons(o, r, err);
}

int lab_results_read(const char *path, struct lab_results *out, struct err *err)
{
	struct lab_results r = {0};
	json_error_t why;
	char *text = text_read_file(path, RESULTS_MAX, NULL, err);
	json_t *o;
	int rc;

	if (text == NULL)
		return -err->code;
	o = json_loads(text, JSON_REJECT_DUPLICATES, &why);
	free(text);
	if (o == NULL)
		return err_set(err, EINVAL, "%s:%d: %s", path, why.line, why.text);
	rc = all(o, &r, err);
	json_decref(o);
	if (rc != 0) {
		lab_results_free(&r);
		return err_context(err, "%s", path);
	}
	*out = r;
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
// results.json, after the tables of fields.c.
#include "lab/fields.h"
#include "lab/results.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Files and folders may carry bytes that are no UTF-8, which JSON cannot: those become '?'.
static json_t *string(const char *text)
{
	json_t *s = json_string(text);
	char *copy;

	if (s != NULL)
		return s;
	copy = strdup(text);
	if (copy == NULL)
		return NULL;
	for (char *c = copy; *c != '\0'; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	s = json_string(copy);
	free(copy);
	return s;
}

static json_t *value(const struct field *f, const void *at)
{
	char hex[24];

	switch (f->type) {
	case FIELD_TEXT:
		return string(at);
	case FIELD_BOOL:
		return json_boolean(*(const bool *)at);
	case FIELD_UINT:
		return json_integer(*(const unsigned *)at);
	case FIELD_INT:
		return json_integer(*(const int *)at);
	case FIELD_U64:
		return json_integer((json_int_t) * (const uint64_t *)at);
	case FIELD_COUNT:
		if (*(const uint64_t *)at == LAB_NOT_COUNTED)
			return json_null();
		return json_integer((json_int_t) * (const uint64_t *)at);
	case FIELD_HEX:
		snprintf(hex, sizeof(hex), "0x%" PRIx64, *(const uint64_t *)at);
		return json_string(hex);
	case FIELD_DOUBLE:
		// JSON has no word for what cannot be computed but null.
		if (!isfinite(*(const double *)at))
			return json_null();
		return json_real(*(const double *)at);
	}
	return NULL;
}

static json_t *object(const struct field_table *t, const void *base)
{
	json_t *o = json_object();

	for (unsigned i = 0; i < t->n; i++) {
		const struct field *f = &t->field[i];

		json_object_set_new(o, f->name, value(f, (const char *)base + f->offset));
	}
	return o;
}

static json_t *array(const struct field_table *t, const void *first, unsigned n, size_t size)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < n; i++)
		json_array_append_new(a, object(t, (const char *)first + i * size));
	return a;
}

static json_t *units(void)
{
	const struct field_table *const all[] = {&fields_results, &fields_machine, &fields_arm,
		&fields_run, &fields_window, &fields_drop, &fields_comparison, &fields_stats,
		&fields_filter, &fields_rule};
	json_t *u = json_object();

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		json_t *of = json_object();

		for (unsigned j = 0; j < all[i]->n; j++)
			if (all[i]->field[j].unit != NULL)
				json_object_set_new(of, all[i]->field[j].name,
					json_string(all[i]->field[j].unit));
		json_object_set_new(u, all[i]->name, of);
	}
	return u;
}

static json_t *runs(const struct lab_results *r)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < r->n_runs; i++) {
		const struct lab_run *run = &r->run[i];
		json_t *o = object(&fields_run, run);

		json_object_set_new(o, "drops",
			array(&fields_drop, run->drop, run->n_drops, sizeof(run->drop[0])));
		json_object_set_new(o, "windows",
			array(&fields_window, run->window, run->n_windows, sizeof(run->window[0])));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *comparisons(const struct lab_results *r)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < r->n_cmps; i++) {
		const struct lab_comparison *c = &r->cmp[i];
		json_t *o = object(&fields_comparison, c);

		json_object_set_new(o, "verdict_code", json_integer(c->c.verdict));
		json_object_set_new(o, "statistics", object(&fields_stats, &c->c));
		json_object_set_new(o, "ministat", string(c->ministat != NULL ? c->ministat : ""));
		json_array_append_new(a, o);
	}
	return a;
}

char *lab_results_json(const struct lab_results *r)
{
	json_t *o = object(&fields_results, r);
	char *text;

	json_object_set_new(o, "schema", json_integer(LAB_SCHEMA));
	json_object_set_new(o, "machine", object(&fields_machine, &r->machine));
	json_object_set_new(o, "arms", array(&fields_arm, r->arm, r->n_arms, sizeof(r->arm[0])));
	json_object_set_new(o, "comparisons", comparisons(r));
	json_object_set_new(
		o, "notes", array(&fields_note, r->note, r->n_notes, sizeof(r->note[0])));
	json_object_set_new(o, "settings",
		array(&fields_setting, r->setting, r->n_settings, sizeof(r->setting[0])));
	json_object_set_new(o, "runs", runs(r));
	json_object_set_new(
		o, "filters", array(&fields_filter, r->filter, r->n_filters, sizeof(r->filter[0])));
	json_object_set_new(
		o, "rules", array(&fields_rule, r->rule, r->n_rules, sizeof(r->rule[0])));
	json_object_set_new(o, "units", units());
	text = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(10));
	json_decref(o);
	return text;
}

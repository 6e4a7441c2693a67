// SPDX-License-Identifier: BSD-2-Clause
// fields.h - the members of the result structures as tables: name, unit and place of each, so that
// writing, reading and the list of units cannot disagree.
#pragma once

#include <stddef.h>

enum field_type {
	FIELD_TEXT,
	FIELD_BOOL,
	FIELD_UINT,
	FIELD_INT,
	FIELD_U64,
	FIELD_COUNT, // the same, or null: LAB_NOT_COUNTED
	FIELD_DOUBLE,
	FIELD_HEX
};

struct field {
	const char *name;
	const char *unit; // NULL for text and truth values
	enum field_type type;
	size_t offset, size;
};

struct field_table {
	const char *name; // of the object: "run"
	const struct field *field;
	unsigned n;
};

extern const struct field_table fields_results, fields_machine, fields_arm, fields_run,
	fields_window, fields_drop, fields_comparison, fields_stats, fields_note, fields_setting,
	fields_filter, fields_rule;

// SPDX-License-Identifier: BSD-2-Clause
// ctl_tables.h - replies of a running router for people to read.
#pragma once

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

// Sorts a reply's objects by their "type".  all is an array.
void ctl_tables(const json_t *all, FILE *out);

// Of an object: a number, 0 if it is not there; a text, "" if it is not there.
uint64_t ctl_number(const json_t *object, const char *key);
const char *ctl_string(const json_t *object, const char *key);

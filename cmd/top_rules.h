// SPDX-License-Identifier: BSD-2-Clause
// top_rules.h - the rules that matched most between two looks.
#pragma once

#include <jansson.h>
#include <stdio.h>

// before, now: objects of the request "hits".  Asks the router for the words of the n busiest rules.
void top_rules(const char *name, const json_t *before, const json_t *now, double seconds,
	unsigned n, FILE *out, unsigned columns);

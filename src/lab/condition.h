// SPDX-License-Identifier: BSD-2-Clause
// condition.h - choosing among conditions; private to the files that make lists of them.
#pragma once

#include "lab/lab.h"

// Whether the comma-separated list holds the word; NULL stands for every word.
bool condition_listed(const char *list, const char *word);

// The first word of the comma-separated list that none of the conditions is called, and its length; NULL:
// all are there, as they are if the list is NULL.
const char *condition_missing(const struct lab_conditions *c, const char *list, int *len);

// Marks the baseline: the one of that name, or, for NULL, the first whose name ends in "-default", or
// else the first.  -EINVAL if there is none of that name.
int condition_choose_baseline(struct lab_conditions *c, const char *name, struct err *err);

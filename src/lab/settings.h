// SPDX-License-Identifier: BSD-2-Clause
// settings.h - what the conditions' files say, side by side.
#pragma once

#include "lab/lab.h"

// Fills r->setting: each condition's settings and its set-up script, the baseline's first.
// -ENOMEM, or the error of reading a script.
int lab_settings(struct lab_results *r, const struct lab_conditions *c, struct err *err);

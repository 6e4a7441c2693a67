// SPDX-License-Identifier: BSD-2-Clause
// arms.h - which condition and which traffic each arm is.
#pragma once

#include "lab/experiment.h"

// Every condition under every traffic it is for, and the baseline under the first one once more.
// -ENOMEM; -EINVAL if a traffic does not cross a condition with a filter, or its rules stop some of it.
int arms_make(struct experiment *e, struct err *err);
void arms_free(struct experiment *e);

// SPDX-License-Identifier: BSD-2-Clause
// router_answers.h - the requests a running router answers, and what it needs for that.
#pragma once

#include "box.h"
#include "router_load.h"

#include "adapter/adapter.h"
#include "ctl/ctl.h"

#include <stdbool.h>
#include <stdint.h>

struct answers {
	const char *name;
	const struct box *box; // with a card
	const struct box_port *ports;
	unsigned n_ports;
	uint64_t start_ns;
	bool changed; // a request may have changed the card
	struct router_load load;
};

// A ctl_run; arg is a struct answers.
int answer(void *arg, int argc, char **argv, struct ctl_reply *reply);

// Counters as OpenMetrics text, each line as "out".
int answer_metrics(const struct answers *a, struct ctl_reply *reply);

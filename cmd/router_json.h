// SPDX-License-Identifier: BSD-2-Clause
// router_json.h - a router's counters as JSON: the same keys in its account and in what it answers.
#pragma once

#include "box.h"

#include <jansson.h>

json_t *router_number(uint64_t n);

// Adds name, packets and bytes of a port.
void router_port_json(json_t *o, const struct box_port *p, const struct path_port_counters *c);

// Adds calls, packets and cycles of a stage.
void router_stage_json(json_t *o, const struct path_counters *c, enum path_stage s);

// Adds what all ports and stages have together, but for drops.
void router_total_json(json_t *o, const struct box *b, const struct path_counters *c);

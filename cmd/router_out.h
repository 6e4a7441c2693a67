// SPDX-License-Identifier: BSD-2-Clause
// router_out.h - what `weir router` prints.
#pragma once

#include "box.h"

#include <stdbool.h>
#include <stdint.h>

// To standard error: a box_setup note; the notes of a configuration; ports and environment.
void router_note(void *arg, const char *text);
void router_conf_notes(const struct conf *c);
void router_no_fc(const char *iface, const char *port);
void router_script_note(const char *script, const char *save);
void router_hello(const struct box_port *ports, unsigned n);

// To standard output: packets and CPU time since the last line.
struct router_window {
	uint64_t ns, cpu_ns, in, sent;
};

void router_window_start(struct router_window *w, const struct box *b);
void router_window_print(struct router_window *w, const struct box *b);

// To standard output: the account of a stopped box, for people or as one JSON object.
void router_account(const struct box *b, const struct box_port *ports, unsigned n, bool json);

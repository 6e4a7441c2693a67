// SPDX-License-Identifier: BSD-2-Clause
// box_card.h - a box's card: the table of its rules, and its place in the path.
#pragma once

#include "box.h"

struct box_card {
	struct adapter *adapter;
	struct adapter_path *path;
	bool gathers; // see adapter_path_gather()
};

// What all cards of a box have in common.
struct box_card_conf {
	char name[ADAPTER_NAME_MAX + 1];
	unsigned n_ports; // of the path
	struct mac mac[PATH_PORTS_MAX];
	struct classify_readers readers;
	void (*clear)(void *arg, unsigned port); // a port's counters
	void *arg;
};

// NULL with *err set: ENOMEM, EINVAL.
struct box_card *box_card_make(const struct box_card_conf *conf, struct err *err);

// As adapter_path_gather() and adapter_path_release(); the latter does nothing where nothing was gathered.
void box_card_gather(struct box_card *c);
int box_card_release(struct box_card *c, struct err *err);

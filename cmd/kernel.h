// SPDX-License-Identifier: BSD-2-Clause
// kernel.h - cards in the kernel, asked with the words of a running router.
#pragma once

#include "base/err.h"

#include <jansson.h>

// As ctl_request(): carries out the words and hands each object of the answer to `each`.
int kernel_request(const char *name, int argc, char *const *argv,
	void (*each)(void *arg, json_t *object), void *arg, struct err *err);

struct xdp_card;

// Carries out a script's commands; the changes come in force with xdp_card_publish().
int kernel_script(struct xdp_card *c, const char *path, struct err *err);

// weir adapter create, attach and delete; argv[0] is that word.  An exit status.
int kernel_create(int argc, char **argv);
int kernel_attach(int argc, char **argv);
int kernel_delete(int argc, char **argv);

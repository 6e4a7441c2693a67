// SPDX-License-Identifier: BSD-2-Clause
#include "client.h"

#include "kernel.h"

#include "ctl/ctl.h"
#include "xdp/xdp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int client_complain(const char *program, const char *name, int status, const struct err *err)
{
	if (status == -ENOENT) {
		char path[4096] = "";

		ctl_path(name, path, sizeof(path), NULL);
		fprintf(stderr,
			"%s: there is no card '%s': none in the kernel, and no router listens on %s; "
			"to make one: weir adapter create %s IF, or weir router --name %s --conf DIR "
			"--port IF=PORT%s\n",
			program, name, path, name, name,
			geteuid() != 0 ? " (root alone sees cards in the kernel, and those it "
					 "started)"
				       : "");
	} else if (err->code != 0) {
		fprintf(stderr, "%s: %s\n", program, err->msg);
	}
	status = status < 0 ? -status : status;
	return status > 255 ? 255 : status;
}

int client_ask(const char *name, int argc, char *const *argv,
	void (*each)(void *arg, json_t *object), void *arg, struct err *err)
{
	return xdp_card_exists(name) ? kernel_request(name, argc, argv, each, arg, err)
				     : ctl_request(name, argc, argv, each, arg, err);
}

int client_request(const char *program, const char *name, int argc, char *const *argv,
	void (*each)(void *arg, json_t *object), void *arg)
{
	struct err err = {0};
	int status = client_ask(name, argc, argv, each, arg, &err);

	fflush(stdout);
	return client_complain(program, name, status, &err);
}

void client_nobody(const char *program)
{
	char folder[4096] = "";

	ctl_folder(folder, sizeof(folder), NULL);
	fprintf(stderr, "%s: no router runs (none listens in %s)\n", program, folder);
}

void client_no_card(const char *program)
{
	char folder[4096] = "";

	ctl_folder(folder, sizeof(folder), NULL);
	fprintf(stderr, "%s: there is no card: none in the kernel, and no router listens in %s%s\n",
		program, folder, geteuid() != 0 ? " (root alone sees cards in the kernel)" : "");
}

void client_keep(void *arg, json_t *object)
{
	json_array_append(arg, object);
}

void client_print_line(void *arg, json_t *object)
{
	char *out = ctl_text_get(object, "out"), *err = ctl_text_get(object, "err");

	(void)arg;
	if (out != NULL)
		puts(out);
	if (err != NULL) {
		fflush(stdout);
		fprintf(stderr, "%s\n", err);
	}
	free(out);
	free(err);
}

void client_print_json(void *arg, json_t *object)
{
	(void)arg;
	json_dumpf(object, stdout, JSON_COMPACT);
	putchar('\n');
}

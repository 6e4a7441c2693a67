// SPDX-License-Identifier: BSD-2-Clause
#include "lab/setup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int setup_run(struct netns *ns, const struct lab_condition *c, const char *in, const char *out,
	unsigned timeout_s, struct err *err)
{
	char env_in[256], env_out[256], env_name[LAB_NAME_MAX + 32];
	const char *const env[] = {env_in, env_out, env_name, NULL};
	char *path, *dir;
	int rc;

	if (c->setup[0] == '\0')
		return 0;
	path = realpath(c->setup, NULL);
	dir = path != NULL ? strdup(path) : NULL;
	if (dir == NULL) {
		rc = err_set(err, errno, "%s: %s", c->setup, strerror(errno));
	} else {
		const char *const argv[] = {"/bin/sh", path, NULL};
		struct netns_command cmd = {.name = c->setup,
			.dir = dir,
			.argv = argv,
			.env = env,
			.timeout_s = timeout_s};

		*strrchr(dir, '/') = '\0';
		if (dir[0] == '\0')
			strcpy(dir, "/");
		snprintf(env_in, sizeof(env_in), "WEIR_IN=%s", in);
		snprintf(env_out, sizeof(env_out), "WEIR_OUT=%s", out);
		snprintf(env_name, sizeof(env_name), "WEIR_CONDITION=%s", c->name);
		rc = netns_run(ns, &cmd, NULL, 0, err);
	}
	free(dir);
	free(path);
	return rc;
}

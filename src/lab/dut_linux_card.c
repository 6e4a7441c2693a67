// SPDX-License-Identifier: BSD-2-Clause
// dut_linux_card.c - the Linux device's card: programs in the kernel, made by the command that users make
// them by.  The namespace has a bpffs of its own, with which the card goes.
#include "lab/dut_linux.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// FreeBSD's name for forwarding by a short way, up to FreeBSD 10.
static const char fast[] = "net.inet.ip.fastforwarding";

bool dut_linux_forwards(const struct lab_condition *c)
{
	struct conf_setting s;

	for (unsigned i = 0; conf_setting(&c->conf, i, &s); i++)
		if (strcmp(s.name, fast) == 0 && strcmp(s.file, "sysctl.conf") == 0)
			return strcmp(s.value, "1") == 0;
	return false;
}

int dut_linux_card(const struct dut_linux_host *h, const struct lab_condition *c,
	const struct lab_topo *topo, struct err *err)
{
	bool forwards = dut_linux_forwards(c);
	const char *ports[2];
	const char *argv[12] = {h->weir, "adapter", "create", "t5nex0"};
	struct netns_command cmd = {.argv = argv};
	char *script = NULL;
	unsigned n = 4;
	int rc;

	if (c->filter.path[0] == '\0' && !forwards)
		return 0;
	ports[lab_topo_iport(topo, false)] = h->in;
	ports[lab_topo_iport(topo, true)] = h->out;
	argv[n++] = ports[0];
	argv[n++] = ports[1];
	argv[n++] = "--mode";
	argv[n++] = "native";
	if (forwards)
		argv[n++] = "--forward";
	if (c->filter.path[0] != '\0') {
		script = realpath(c->filter.path, NULL);
		if (script == NULL)
			return err_set(err, errno, "%s: %s", c->filter.path, strerror(errno));
		argv[n++] = "--rules";
		argv[n++] = script;
	}
	cmd.name = c->name;
	rc = netns_run(h->device, &cmd, NULL, 0, err);
	free(script);
	return rc;
}

struct conf_note *dut_linux_card_notes(const struct lab_condition *c, unsigned *n)
{
	struct conf_note *list = dut_linux_notes(c, n);
	unsigned left = 0;

	for (unsigned i = 0; list != NULL && i < *n; i++)
		if (strcmp(list[i].what, fast) != 0)
			list[left++] = list[i];
	*n = left;
	return list;
}

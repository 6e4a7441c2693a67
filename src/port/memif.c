// SPDX-License-Identifier: BSD-2-Clause
// memif.c - shared memory with another process (VPP, grout, testpmd ...), by DPDK's net_memif.
#include "port/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// The driver would remove whatever lies at the path.  Whether a process serves the socket cannot be
// found out: another network namespace's are not listed, and DPDK's server does not survive being
// connected to for a moment.
static int check_server(const char *path, struct err *err)
{
	struct stat st;

	if (lstat(path, &st) == 0)
		return err_set(err, EEXIST,
			"%s: is there already; remove it if no process serves it", path);
	return errno == ENOENT ? 0 : err_set(err, errno, "%s: %s", path, strerror(errno));
}

static int check_client(const char *path, struct err *err)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return err_set(err, errno, "%s: no server there: %s", path, strerror(errno));
	if (!S_ISSOCK(st.st_mode))
		return err_set(err, ENOTSOCK, "%s: not a socket", path);
	if (access(path, R_OK | W_OK) != 0)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	return 0;
}

int memif_attach(struct port *p, const struct port_conf *conf, struct err *err)
{
	char args[256];
	int e;

	(void)conf;
	e = p->spec.server ? check_server(p->spec.in, err) : check_client(p->spec.in, err);
	if (e < 0)
		return e;
	snprintf(args, sizeof(args), "role=%s,socket=%s,socket-abstract=no",
		p->spec.server ? "server" : "client", p->spec.in);
	port_mac_from(p->name, p->spec.server, &p->mac);
	snprintf(p->describe, sizeof(p->describe), "memif %s %.150s",
		p->spec.server ? "server at" : "client of", p->spec.in);
	return port_vdev(p, "net_memif", args, err);
}

// DPDK's server does not survive a client that leaves before the two have agreed on their rings.
void memif_wait(const struct port *p)
{
	struct timespec nap = {.tv_nsec = 1000000};

	for (int i = 0; i < 1000 && !port_link_up(p); i++)
		nanosleep(&nap, NULL);
}

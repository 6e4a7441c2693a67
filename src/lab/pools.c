// SPDX-License-Identifier: BSD-2-Clause
#include "lab/pools.h"

#include "port/port.h"

#include <stddef.h>

// A port's rings hold up to 2048 frames on their way in, and as many out.
enum { FRAMES = 8192, ROOM_MIN = 1522 };

int pools_make(struct pools *p, unsigned len, struct err *err)
{
	unsigned room = len > ROOM_MIN ? len : ROOM_MIN;

	pools_free(p);
	p->out = port_pool("tester out", FRAMES, room, err);
	if (p->out != NULL)
		p->in = port_pool("tester in", FRAMES, room, err);
	if (p->in == NULL) {
		pools_free(p);
		return -err->code;
	}
	p->room = room;
	return 0;
}

void pools_free(struct pools *p)
{
	if (p->in != NULL)
		port_pool_free(p->in);
	if (p->out != NULL)
		port_pool_free(p->out);
	*p = (struct pools){0};
}

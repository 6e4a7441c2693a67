// SPDX-License-Identifier: BSD-2-Clause
// Any text as a range of either family: refused in a sentence, or understood so that its own text
// means the same again.
#include "gen/gen.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
	if (!ok)
		abort();
}

// "A:P to B:Q" back into the grammar, "A:P-B:Q".
static void reparse(const struct gen_range *r, int family)
{
	char text[GEN_RANGE_TEXT_MAX], *to;
	struct gen_range again;

	to = strstr(gen_range_text(r, text), " to ");
	check(to != NULL);
	*to = '-';
	memmove(to + 1, to + 4, strlen(to + 4) + 1);
	check(gen_range_parse(text, family, &again, NULL) == 0);
	check(ip_equal(&again.lo, &r->lo) && ip_equal(&again.hi, &r->hi));
	check(again.group == r->group && again.port_lo == r->port_lo &&
		again.port_hi == r->port_hi);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	for (int family = 4; family <= 6; family += 2) {
		struct gen_range r;
		struct err err = {0};

		if (gen_range_parse(text, family, &r, &err) != 0) {
			check(err.msg[0] != '\0');
			continue;
		}
		check(r.port_lo <= r.port_hi);
		check(family == 6 || r.lo.v4 <= r.hi.v4);
		check(gen_range_addrs(&r) >= 1 && gen_range_addrs(&r) <= (uint64_t)1 << 32);
		(void)gen_range_oddity(&r);
		reparse(&r, family);
	}
	free(text);
	return 0;
}

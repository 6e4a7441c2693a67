// SPDX-License-Identifier: BSD-2-Clause
// IPv4 options and IPv6 hop-by-hop options in memory of exactly their size.
#include "router/options.h"

#include "router/icmp.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ip4(const uint8_t *data, size_t size)
{
	unsigned len = (unsigned)(size & ~3u);
	uint8_t copied[40], *ip;
	struct icmp_error e;

	if (len < 20 || len > 60)
		return;
	ip = malloc(len);
	assert(ip != NULL);
	memcpy(ip, data, len);
	ip[0] = (uint8_t)(0x40 | len / 4);
	assert(options_copied(ip, copied) <= len - 20);
	if (options_check(ip, &e) == DROP_NONE) {
		// No prespecified timestamps: those need a router.
		for (unsigned i = 20; i + 3 < len; i++)
			if (ip[i] == 68 && (ip[i + 3] & 15) == 3)
				goto out;
		options_record(NULL, ip, 0x0a000001, 12345);
		assert(options_check(ip, &e) == DROP_NONE || (ip[0] & 15) > 5);
	}
out:
	free(ip);
}

static void ip6(const uint8_t *data, size_t size)
{
	uint8_t *ip = malloc(size);
	struct icmp_error e;
	bool answer;

	assert(ip != NULL || size == 0);
	memcpy(ip, data, size);
	hopopts_check(ip, (unsigned)size, &answer, &e);
	free(ip);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1 || size > 5000)
		return 0;
	if (data[0] & 1)
		ip4(data + 1, size - 1);
	else
		ip6(data + 1, size - 1);
	return 0;
}

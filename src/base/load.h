// SPDX-License-Identifier: BSD-2-Clause
// load.h - numbers that lie in memory at any address.  load16 to load64 in the machine's byte order,
// for what is compared or added up as it lies; load_be16 and load_be32 of numbers that lie there in
// network byte order, as a packet's do.
#pragma once

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t load16(const void *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t load32(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t load64(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint16_t load_be16(const void *p)
{
	return be16toh(load16(p));
}

static inline uint32_t load_be32(const void *p)
{
	return be32toh(load32(p));
}

// SPDX-License-Identifier: BSD-2-Clause
// Which instructions lookups use.
#include "classify/engine.h"

#include <stdatomic.h>

enum { UNSET = -1 };

// Only says which of several functions with the same results is called, so no order is needed.
static atomic_int chosen = UNSET;

static bool has(enum classify_isa isa)
{
	switch (isa) {
	case CLASSIFY_SCALAR:
		return true;
	case CLASSIFY_AVX2:
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
		       __builtin_cpu_supports("popcnt");
	case CLASSIFY_AVX512:
		return has(CLASSIFY_AVX2) && __builtin_cpu_supports("avx512f") &&
		       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
		       __builtin_cpu_supports("avx512dq");
	}
	return false;
}

enum classify_isa classify_isa(void)
{
	int isa = atomic_load_explicit(&chosen, memory_order_relaxed);

	if (isa == UNSET) {
		isa = has(CLASSIFY_AVX512) ? CLASSIFY_AVX512
					   : (has(CLASSIFY_AVX2) ? CLASSIFY_AVX2 : CLASSIFY_SCALAR);
		atomic_store_explicit(&chosen, isa, memory_order_relaxed);
	}
	return (enum classify_isa)isa;
}

bool classify_use(enum classify_isa isa)
{
	if (!has(isa))
		return false;
	atomic_store_explicit(&chosen, (int)isa, memory_order_relaxed);
	return true;
}

const char *classify_isa_name(enum classify_isa isa)
{
	static const char *const names[] = {"scalar", "avx2", "avx512"};

	return names[isa];
}

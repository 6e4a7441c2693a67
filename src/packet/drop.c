// SPDX-License-Identifier: BSD-2-Clause
#include "packet/drop.h"

static const char *const names[] = {
#define X(name, text, sentence) text,
	DROP_REASONS(X)
#undef X
};

static const char *const sentences[] = {
#define X(name, text, sentence) sentence,
	DROP_REASONS(X)
#undef X
};

const char *drop_name(enum drop why)
{
	return (unsigned)why < DROP_COUNT ? names[why] : "?";
}

const char *drop_text(enum drop why)
{
	return (unsigned)why < DROP_COUNT ? sentences[why] : "?";
}

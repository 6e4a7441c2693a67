// SPDX-License-Identifier: BSD-2-Clause
// OpenMetrics 1.0: families of samples, each family described first, "# EOF" at the end.
#include "ctl/ctl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ctl_metrics {
	FILE *out;
	char *text;
	size_t len;
	char name[128];
	bool counter;
};

struct ctl_metrics *ctl_metrics_new(void)
{
	struct ctl_metrics *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	m->out = open_memstream(&m->text, &m->len);
	if (m->out == NULL) {
		free(m);
		return NULL;
	}
	return m;
}

void ctl_metrics_free(struct ctl_metrics *m)
{
	if (m == NULL)
		return;
	if (m->out != NULL)
		fclose(m->out);
	free(m->text);
	free(m);
}

static void put_escaped(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\n') {
			fputs("\\n", out);
			continue;
		}
		if (*text == '"' || *text == '\\')
			putc('\\', out);
		putc(*text, out);
	}
}

void ctl_metrics_family(struct ctl_metrics *m, const char *name, const char *type, const char *help)
{
	snprintf(m->name, sizeof(m->name), "%s", name);
	m->counter = strcmp(type, "counter") == 0;
	fprintf(m->out, "# TYPE %s %s\n# HELP %s ", name, type, name);
	put_escaped(m->out, help);
	putc('\n', m->out);
}

void ctl_metrics_sample(struct ctl_metrics *m, const char *const *labels, uint64_t value)
{
	fprintf(m->out, "%s%s", m->name, m->counter ? "_total" : "");
	for (size_t i = 0; labels[i] != NULL; i += 2) {
		fprintf(m->out, "%c%s=\"", i == 0 ? '{' : ',', labels[i]);
		put_escaped(m->out, labels[i + 1]);
		putc('"', m->out);
	}
	fprintf(m->out, "%s %" PRIu64 "\n", labels[0] != NULL ? "}" : "", value);
}

const char *ctl_metrics_text(struct ctl_metrics *m)
{
	int bad;

	fputs("# EOF\n", m->out);
	bad = ferror(m->out) | fclose(m->out);
	m->out = NULL;
	return bad != 0 ? NULL : m->text;
}

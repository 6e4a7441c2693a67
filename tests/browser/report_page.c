// SPDX-License-Identifier: BSD-2-Clause
// Writes the report of an invented experiment, and its results as JSON.  The figures come from a
// fixed generator of random numbers, the statistics from the lab itself.
// usage: report_page plain|hostile|empty HTML JSON
#include "base/text.h"
#include "lab/results.h"
#include "lab/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 16, WINDOWS = 14, WARM = 2 };

static uint64_t state = 20260301;

static double uniform(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(state >> 11) / (double)(1ull << 53);
}

static double normal(void)
{
	return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}

static void *must(void *p)
{
	if (p == NULL)
		abort();
	return p;
}

static void windows(struct lab_run *run, double pps, double noise)
{
	run->window = must(calloc(WINDOWS, sizeof(*run->window)));
	run->n_windows = WINDOWS;
	for (unsigned i = 0; i < WINDOWS; i++) {
		struct lab_window *w = &run->window[i];

		w->start_s = 0.05 * i;
		w->seconds = 0.05;
		w->steady = i >= WARM;
		w->pps = pps * (i >= WARM ? 1 + noise * normal() : 0.5 + 0.2 * i);
		w->received = (uint64_t)(w->pps * 0.05);
		w->offered = w->received + 1000;
	}
}

static void account(struct lab_run *run)
{
	run->offered = (uint64_t)(run->pps * 0.75);
	run->received = (uint64_t)(run->pps * 0.7);
	run->dut_in = run->offered;
	run->dut_sent = run->received;
	run->n_drops = 2;
	strcpy(run->drop[0].name, "egress-full");
	run->drop[1].n = run->offered % 7;
	strcpy(run->drop[1].name, "no-buffer");
	run->drop[0].n = run->offered - run->received - run->drop[1].n;
	run->cycles_per_packet = 2.4e9 / run->pps;
	run->work_share = 0.99;
}

static void one_run(struct lab_results *r, unsigned block, unsigned arm, double pps, double noise)
{
	struct lab_run *run;
	bool bad = (block * 7 + arm) % 41 == 13;

	for (unsigned attempt = 1; attempt <= (bad ? 2 : 1); attempt++) {
		run = &r->run[r->n_runs++];
		*run = (struct lab_run){.number = r->n_runs,
			.block = block,
			.arm = arm,
			.attempt = attempt,
			.valid = attempt == (bad ? 2 : 1),
			.pps = pps * (1 + noise * normal())};
		if (!run->valid) {
			run->pps *= 0.9;
			strcpy(run->gate, "tester-drops");
			strcpy(run->why, "the tester's own port lost 117 frames");
		}
		windows(run, run->pps, noise);
		account(run);
	}
}

static void arm(struct lab_results *r, const char *condition, int family, bool base, bool again)
{
	struct lab_arm *a = &r->arm[r->n_arms++];

	snprintf(a->condition, sizeof(a->condition), "%s", condition);
	snprintf(a->name, sizeof(a->name), "%.60s %s%s", condition, family == 4 ? "inet4" : "inet6",
		again ? " again" : "");
	a->family = family;
	a->frame_len = family == 4 ? 60 : 62;
	a->baseline = base;
	a->repeat_of_baseline = again;
}

static void setting(struct lab_results *r, const char *condition, const char *file,
	const char *name, const char *value, bool differs)
{
	struct lab_setting *s = &r->setting[r->n_settings++];

	snprintf(s->condition, sizeof(s->condition), "%s", condition);
	strcpy(s->file, file);
	snprintf(s->name, sizeof(s->name), "%s", name);
	snprintf(s->value, sizeof(s->value), "%s", value);
	s->differs = differs;
}

static void describe(struct lab_results *r, const char *name)
{
	strcpy(r->name, name);
	strcpy(r->utc, "2026-03-01T12:00:00Z");
	strcpy(r->version, "0.1.0");
	strcpy(r->dut, "weir: router and path in memory, one core");
	strcpy(r->tester,
		"one core generates, receives and checks, on the other ends of the pairs");
	strcpy(r->env, "4 KiB pages, 512 MB, CPUs 0 1");
	strcpy(r->basis, "frames forwarded per second of the forwarding core's working time");
	strcpy(r->machine.model, "Invented CPU E0000 @ 2.40GHz");
	strcpy(r->machine.kernel, "Linux 6.1.0 x86_64");
	strcpy(r->machine.distro, "Debian GNU/Linux 12 (bookworm)");
	strcpy(r->machine.governor, "none");
	r->machine.n_cpus = 2;
	r->machine.virtualised = true;
	r->machine.memory_mb = 7950;
	r->machine.huge_page_kb = 2048;
	r->n_flows = 2000;
	r->run_seconds = 0.6;
	r->window_seconds = 0.05;
	r->duration_s = 83.4;
	r->margin = 0.02;
	r->seed = 0x5eed;
}

static int write_text(const char *path, char *text)
{
	struct err err = {0};
	int rc = text_write_file(path, must(text), strlen(text), &err) != 0;

	if (rc != 0)
		fprintf(stderr, "report_page: %s\n", err.msg);
	free(text);
	return rc;
}

int main(int argc, char **argv)
{
	static const char evil[] =
		"\"><script>document.title='owned'</script><img src=x onerror=alert(1)>";
	bool hostile = argc == 4 && strcmp(argv[1], "hostile") == 0;
	bool empty = argc == 4 && strcmp(argv[1], "empty") == 0;
	const char *base = "redirect-0", *slow = hostile ? evil : "redirect-1",
		   *same = "harvest-511";
	struct lab_results r = {0};
	struct err err = {0};
	int rc;

	if (argc != 4) {
		fprintf(stderr, "usage: report_page plain|hostile|empty HTML JSON\n");
		return 2;
	}
	describe(&r, hostile ? "<b>lab</b> & 'co' \xff\x01" : "redirects and harvesting");
	snprintf(r.command, sizeof(r.command), "weir lab %s --runs 16 --seed 0x5eed",
		hostile ? evil : "labs/redirect");
	r.arm = must(calloc(8, sizeof(*r.arm)));
	r.run = must(calloc(8 * BLOCKS * 2, sizeof(*r.run)));
	r.setting = must(calloc(16, sizeof(*r.setting)));
	r.note = must(calloc(2, sizeof(*r.note)));
	for (int family = 4; family <= 6; family += 2) {
		arm(&r, base, family, true, false);
		arm(&r, slow, family, false, false);
		arm(&r, same, family, false, false);
	}
	arm(&r, base, 4, true, true);
	for (unsigned b = 0; b < BLOCKS && !empty; b++) {
		double drift = 1 + 0.01 * sin(b);

		for (unsigned i = 0; i < r.n_arms; i++)
			one_run(&r, b, i,
				drift * (r.arm[i].family == 4 ? 8.24e6 : 6.9e6) *
					(i % 3 == 1 && i < 6 ? 0.73 : 1),
				0.004 + 0.03 * (i == 5));
	}
	setting(&r, base, "rc.conf", "gateway_enable", "YES", false);
	setting(&r, base, "rc.conf", "ifconfig_igb2", "inet 198.18.0.209/25 -tso4 -tso6 -lro",
		false);
	setting(&r, base, "sysctl.conf", "net.inet.ip.redirect", "0", false);
	setting(&r, slow, "rc.conf", "gateway_enable", "YES", false);
	setting(&r, slow, "rc.conf", "ifconfig_igb2", "inet 198.18.0.209/25 -tso4 -tso6 -lro",
		false);
	setting(&r, slow, "sysctl.conf", "net.inet.ip.redirect", hostile ? evil : "1", true);
	setting(&r, same, "rc.conf", "gateway_enable", "YES", false);
	setting(&r, same, "rc.conf", "ifconfig_igb2", "inet 198.18.0.209/25 -tso4 -tso6 -lro",
		false);
	setting(&r, same, "rc.conf", "harvest_mask", "511", true);
	setting(&r, same, "setup.sh", "", "#!/bin/sh\nnft add table inet t\n", true);
	strcpy(r.note[0].condition, same);
	strcpy(r.note[0].where, "rc.conf:3");
	strcpy(r.note[0].what, "harvest_mask");
	strcpy(r.note[0].why,
		"no effect here because packets are not used as a source of randomness");
	r.n_notes = 1;
	if (lab_summary(&r, &err) != 0) {
		fprintf(stderr, "report_page: %s\n", err.msg);
		return 1;
	}
	rc = write_text(argv[2], lab_report_html(&r)) + write_text(argv[3], lab_results_json(&r));
	lab_results_free(&r);
	return rc;
}

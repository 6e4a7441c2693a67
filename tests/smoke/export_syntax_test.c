// SPDX-License-Identifier: BSD-2-Clause
// The real tc and ethtool read each line that is exported for them.  A line they understand may still
// find a kernel without the classifier, or a port without a flow table: that is told, and is no error of
// the line.  In a network namespace of this process's own, as root, or skipped.
#include "export_rig.h"

struct count {
	const char *tool;             // lines that begin so are run
	const char *const *not_there; // what the tool says if only the kernel lacks it
	unsigned n, n_kernel, n_wrong;
};

static void run_line(void *arg, bool to_stderr, const char *text)
{
	struct count *c = arg;
	char cmd[1024], said[4096];
	bool excused = false;
	size_t len;
	FILE *f;

	if (to_stderr) {
		fprintf(stderr, "%s\n", text);
		return;
	}
	if (strncmp(text, c->tool, strlen(c->tool)) != 0)
		return;
	snprintf(cmd, sizeof(cmd), "%s 2>&1", text);
	f = popen(cmd, "r");
	len = f != NULL ? fread(said, 1, sizeof(said) - 1, f) : 0;
	said[len] = '\0';
	c->n++;
	for (unsigned i = 0; c->not_there[i] != NULL; i++)
		excused = excused || strstr(said, c->not_there[i]) != NULL;
	if (f != NULL && pclose(f) == 0 && !excused)
		c->n_kernel++;
	else if (!excused) {
		c->n_wrong++;
		fprintf(stderr, "%s\n%s", text, said);
	}
}

static bool export_to(enum adapter_export_kind kind, struct count *c, const char *const *words)
{
	struct adapter *a = card(256);
	struct adapter_out out = {run_line, c};
	int status;

	for (unsigned i = 0; words[i] != NULL; i++)
		command(a, "%s", words[i]);
	status = adapter_export(a, kind, ifaces, &out);
	adapter_free(a);
	printf("%s: %u lines, %u wrong, %u taken by the kernel\n", c->tool, c->n, c->n_wrong,
		c->n_kernel);
	return status == 0 && c->n > 0 && c->n_wrong == 0;
}

static bool tc(void)
{
	static const char *const not_there[] = {"TC classifier not found", "TC action", NULL};
	static const char *const words[] = {"filter mode frag tos proto iport ethtype",
		"filter 0 frag 1", "filter 4 type ipv6 frag 1 action drop",
		"filter 8 iport 0 dport 80 proto 6",
		"filter 9 dport 32768:0x8000 sport 1000 action drop",
		"filter 10 tos 16:0xfc frag 0", "filter 11 proto 89 sip 10.0.0.0/8 dip 192.0.2.1",
		"filter 12 type ipv6 sip 2001:db8::/32 dport 0 proto 17 tos 16",
		"filter 16 ethtype 0x806 iport 1 action drop",
		"filter 17 action switch eport 1 dmac 2:0:0:0:0:1 smac 2:0:0:0:0:2 swapmac 1",
		NULL};
	static const char *const tagged[] = {"filter 0 frag 1 ivlan 5:0xfff",
		"filter 1 ivlan 40965:0xefff proto 6", "filter 2 ivlan 0:0 fcoe 1 action drop",
		"filter 4 type ipv6 ivlan 0x6000:0xe000 dip ::1", NULL};
	struct count c = {.tool = "tc ", .not_there = not_there};

	bool good = export_to(EXPORT_TC, &c, words);

	return export_to(EXPORT_TC, &c, tagged) && good;
}

static bool ethtool(void)
{
	static const char *const not_there[] = {
		"Operation not supported", "Could not change any device features", NULL};
	static const char *const words[] = {"filter mode tos proto iport ethtype",
		"filter 0 dport 80 proto 6 action drop",
		"filter 1 sip 10.0.0.0/8 proto 1 action drop",
		"filter 2 sport 1024:0xfc00 action drop", "filter 3 tos 16:0xfc action drop",
		"filter 4 type ipv6 sip 2001:db8::/32 dip ::1 proto 17 dport 53 action drop",
		"filter 8 type ipv6 tos 16 proto 6 action drop",
		"filter 12 ethtype 0x806 action drop", NULL};
	static const char *const tagged[] = {"filter 1 ivlan 5:0xfff proto 6 action drop",
		"filter 2 ivlan 5 dport 80 action drop", NULL};
	struct count c = {.tool = "ethtool ", .not_there = not_there};

	bool good = export_to(EXPORT_ETHTOOL, &c, words);

	return export_to(EXPORT_ETHTOOL, &c, tagged) && good;
}

int main(void)
{
	bool tc_good, ethtool_good;

	enter("tc -V >/dev/null 2>&1 && ethtool --version >/dev/null 2>&1", "tc or no ethtool");
	run("ip link add p0 type veth peer name p1 && ip link set p0 up && ip link set p1 up");
	tc_good = tc();
	ethtool_good = ethtool();
	return tc_good && ethtool_good ? 0 : 1;
}

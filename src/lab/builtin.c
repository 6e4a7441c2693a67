// SPDX-License-Identifier: BSD-2-Clause
// builtin.c - the conditions of a lab without files: forwarding alone, and with filters of three sizes
// whose first, last or no rule the traffic meets.
#include "lab/builtin.h"

#include "lab/condition.h"

#include <errno.h>
#include <stdlib.h>

// The router of the forwarding lab: two interfaces, static routes to the nets of sources and
// destinations, and the tester's MAC addresses given, since a generator answers no ARP.
const char lab_builtin_rc[] =
	"hostname=\"dut\"\n"
	"gateway_enable=\"YES\"\n"
	"ipv6_gateway_enable=\"YES\"\n"
	"ipv6_activate_all_interfaces=\"YES\"\n"
	"ifconfig_igb2=\"inet 198.18.0.209/25 -tso4 -tso6 -lro\"\n"
	"ifconfig_igb3=\"inet 198.19.0.209/25 -tso4 -tso6 -lro\"\n"
	"ifconfig_igb2_ipv6=\"inet6 2001:2::209 prefixlen 64\"\n"
	"ifconfig_igb3_ipv6=\"inet6 2001:2:0:8000::209 prefixlen 64\"\n"
	"static_routes=\"sources sinks\"\n"
	"route_sources=\"-net 198.18.0.0/16 198.18.0.203\"\n"
	"route_sinks=\"-net 198.19.0.0/16 198.19.0.203\"\n"
	"ipv6_static_routes=\"sources sinks\"\n"
	"ipv6_route_sources=\"2001:2:: -prefixlen 49 2001:2::203\"\n"
	"ipv6_route_sinks=\"2001:2:0:8000:: -prefixlen 49 2001:2:0:8000::203\"\n"
	"static_arp_pairs=\"sources sinks\"\n"
	"static_arp_sources=\"198.18.0.203 00:1b:21:c4:95:7a\"\n"
	"static_arp_sinks=\"198.19.0.203 00:1b:21:c4:95:7b\"\n"
	"static_ndp_pairs=\"sources sinks\"\n"
	"static_ndp_sources=\"2001:2::203 00:1b:21:c4:95:7a\"\n"
	"static_ndp_sinks=\"2001:2:0:8000::203 00:1b:21:c4:95:7b\"\n";
const char lab_builtin_sysctl[] = "net.inet.ip.redirect=0\n"
				  "net.inet6.ip6.redirect=0\n";

static int add_forwarding(struct lab_conditions *out, struct err *err)
{
	struct lab_condition *c = &out->list[out->n++];

	snprintf(c->name, sizeof(c->name), "forwarding");
	conf_init(&c->conf);
	if (conf_rc(&c->conf, "rc.conf", lab_builtin_rc, err) != 0 ||
		conf_sysctl(&c->conf, "sysctl.conf", lab_builtin_sysctl, err) != 0)
		return -err->code;
	return 0;
}

static const struct {
	const char *name, *label;
	unsigned n;
	enum builtin_match match;
} filters[] = {
	{"15-first", "15 rules, first", 15, MATCH_FIRST},
	{"15-last", "15 rules, last", 15, MATCH_LAST},
	{"15-never", "15 rules, never", 15, MATCH_NEVER},
	{"1000-first", "1,000 rules, first", 1000, MATCH_FIRST},
	{"1000-last", "1,000 rules, last", 1000, MATCH_LAST},
	{"1000-never", "1,000 rules, never", 1000, MATCH_NEVER},
	{"10000-first", "10,000 rules, first", 10000, MATCH_FIRST},
	{"10000-last", "10,000 rules, last", 10000, MATCH_LAST},
	{"10000-never", "10,000 rules, never", 10000, MATCH_NEVER},
};

enum { N_FILTERS = sizeof(filters) / sizeof(filters[0]) };

static int add_filter(
	struct lab_conditions *out, unsigned i, const struct lab_traffic *t, struct err *err)
{
	struct lab_condition *c = &out->list[out->n];
	int rc = add_forwarding(out, err);

	if (rc != 0)
		return rc;
	snprintf(c->name, sizeof(c->name), "%s", filters[i].name);
	snprintf(c->label, sizeof(c->label), "%s", filters[i].label);
	c->family = 4;
	c->filter.script = builtin_script(filters[i].n, filters[i].match, &t->gen, err);
	return c->filter.script != NULL ? 0 : err_context(err, "%s", filters[i].label);
}

int lab_conditions_builtin(const char *only, const char *baseline,
	const struct lab_traffic *filtered, struct lab_conditions *out, struct err *err)
{
	struct lab_conditions c = {0};
	const char *missing;
	int rc = 0, len;

	c.list = calloc(N_FILTERS + 1, sizeof(*c.list));
	if (c.list == NULL)
		return err_set(err, ENOMEM, "no memory for the conditions");
	if (condition_listed(only, "forwarding"))
		rc = add_forwarding(&c, err);
	for (unsigned i = 0; i < N_FILTERS && filtered != NULL && rc == 0; i++)
		if (condition_listed(only, filters[i].name))
			rc = add_filter(&c, i, filtered, err);
	missing = rc == 0 ? condition_missing(&c, only, &len) : NULL;
	if (missing != NULL)
		rc = err_set(err, EINVAL, "there is no condition '%.*s'; built in are forwarding%s",
			len, missing,
			filtered != NULL
				? ", and 15, 1000 and 10000 rules as 15-first, 15-last, 15-never, ..."
				: " and, for Weir's router and IPv4, filters");
	if (rc == 0)
		rc = condition_choose_baseline(&c, baseline, err);
	if (rc != 0) {
		lab_conditions_free(&c);
		return rc;
	}
	*out = c;
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "box.h"

#include "packet/build.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct rte_mempool *pool;
static struct port *near[2], *far[2];
static char notes[1000];

static const char lab_rc[] = "gateway_enable=YES\n"
			     "ifconfig_igb2=\"inet 198.18.0.209/25\"\n"
			     "ifconfig_igb3=\"inet 198.19.0.209/25\"\n"
			     "static_routes=\"generator receiver\"\n"
			     "route_generator=\"-net 198.18.0.0/16 198.18.0.203\"\n"
			     "route_receiver=\"-net 198.19.0.0/16 198.19.0.203\"\n"
			     "static_arp_pairs=\"receiver generator\"\n"
			     "static_arp_generator=\"198.18.0.203 00:1b:21:c4:95:7a\"\n"
			     "static_arp_receiver=\"198.19.0.203 00:1b:21:c4:95:7b\"\n";

static void add_note(void *arg, const char *text)
{
	(void)arg;
	snprintf(notes + strlen(notes), sizeof(notes) - strlen(notes), "%s\n", text);
}

static struct box *box_of(const char *rc, const char *more, struct err *err)
{
	struct box_port ports[2] = {{"igb2", near[0]}, {"igb3", near[1]}};
	struct box_setup s = {.ports = ports,
		.n_ports = 2,
		.pool = pool,
		.adapter = "t5nex0",
		.note = add_note,
		.arg = notes};
	struct conf c;
	struct box *b;
	char text[4000];

	notes[0] = '\0';
	conf_init(&c);
	snprintf(text, sizeof(text), "%s%s", rc, more);
	if (conf_rc(&c, "rc.conf", text, err) != 0)
		fail_msg("%s", err->msg);
	s.conf = &c;
	b = box_new(&s, err);
	conf_free(&c); // nothing of it is needed any more
	return b;
}

static void put(uint8_t ttl)
{
	struct build f = {.src = {.family = 4, .v4 = 0xc6120a01},
		.dst = {.family = 4, .v4 = 0xc6130a01},
		.ttl = ttl,
		.proto = 17};
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
	unsigned len;

	assert_non_null(m);
	port_mac(near[0], &f.dmac);
	len = build_frame(&f, rte_pktmbuf_mtod(m, void *), 2000);
	assert_non_null(rte_pktmbuf_append(m, (uint16_t)len));
	assert_int_equal(port_tx(far[0], 0, &m, 1), 1);
}

static void the_forwarding_labs_files_make_a_router(void **state)
{
	struct err err = {0};
	struct box *b = box_of(lab_rc, "", &err);
	struct router_counters r;
	struct path_counters c;
	struct rte_mbuf *m[8];
	struct mac mac;

	(void)state;
	if (b == NULL)
		fail_msg("%s", err.msg);
	assert_string_equal(notes, "");
	put(64);
	put(1);
	box_once(b);
	assert_int_equal(port_rx(far[1], 0, m, 8), 1);
	assert_memory_equal(rte_pktmbuf_mtod(m[0], char *), "\0\x1b\x21\xc4\x95\x7b", 6);
	port_mac(near[1], &mac);
	assert_memory_equal(rte_pktmbuf_mtod(m[0], char *) + 6, mac.b, 6);
	port_free(m, 1);
	assert_int_equal(port_rx(far[0], 0, m, 8), 1); // the ICMP error
	port_free(m, 1);
	box_counters(b, &c);
	assert_int_equal(c.in, 2);
	assert_int_equal(c.sent, 2);
	assert_int_equal(c.made, 1);
	assert_int_equal(c.drop[DROP_IP4_TTL], 1);
	box_router_counters(b, &r);
	assert_int_equal(r.icmp_sent, 1);
	box_free(b);
}

static void a_started_box_forwards_and_stops(void **state)
{
	struct err err = {0};
	struct box *b = box_of(lab_rc, "", &err);
	struct path_counters c = {0};
	struct rte_mbuf *m[8];

	(void)state;
	assert_non_null(b);
	if (box_start(b, 0, &err) != 0)
		fail_msg("%s", err.msg);
	put(64);
	for (unsigned i = 0; i < 100000 && c.sent == 0; i++) {
		box_quiet(b);
		box_counters(b, &c);
	}
	assert_int_equal(c.sent, 1);
	box_stop(b);
	assert_true(box_cpu_ns(b) > 0);
	assert_int_equal(port_rx(far[1], 0, m, 8), 1);
	port_free(m, 1);
	box_free(b);
}

static void refuse(const char *rc, const char *more, const char *sentence)
{
	struct err err = {0};

	assert_null(box_of(rc, more, &err));
	if (strcmp(err.msg, sentence) != 0)
		fail_msg("'%s', not '%s'", err.msg, sentence);
}

static void what_cannot_be_honoured_is_refused_with_its_place(void **state)
{
	(void)state;
	refuse(lab_rc, "static_routes=\"${static_routes} x\"\nroute_x=\"-net 10/8 192.0.2.1\"\n",
		"rc.conf:11: 10.0.0.0/8: the gateway 192.0.2.1 lies in no connected net");
	refuse(lab_rc, "ifconfig_igb2_alias0=\"inet 198.19.0.210/25\"\n",
		"rc.conf:3: 198.19.0.209/25: its net has a route already");
	refuse("ifconfig_igb2=up\n", "", "the configuration has no interface 'igb3'");
}

static void what_belongs_to_interfaces_without_a_port_is_left_out_and_named(void **state)
{
	struct err err = {0};
	struct box *b = box_of(lab_rc,
		"ifconfig_em0=\"inet 10.0.0.1/24\"\ndefaultrouter=10.0.0.254\n"
		"static_arp_pairs=\"${static_arp_pairs} m\"\n"
		"static_arp_m=\"10.0.0.254 00:00:00:00:00:01\"\n",
		&err);

	(void)state;
	if (b == NULL)
		fail_msg("%s", err.msg);
	assert_string_equal(notes, "rc.conf:10: the interface is left out: em0 has no port\n"
				   "rc.conf:11: the route 'default' is left out: em0 has no port\n"
				   "rc.conf:13: the neighbour is left out: em0 has no port\n");
	box_free(b);
}

static int run_script(struct box *b, const char *text, struct err *err)
{
	char path[] = "/tmp/weir-box-XXXXXX";
	int fd = mkstemp(path), rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	rc = box_script(b, path, err);
	unlink(path);
	if (rc != 0) { // without the name, which is another one each time
		size_t n = strlen(path);

		assert_memory_equal(err->msg, path, n);
		memmove(err->msg, err->msg + n, strlen(err->msg + n) + 1);
	}
	return rc;
}

static void no_line(void *arg, bool to_stderr, const char *text)
{
	(void)arg;
	(void)to_stderr;
	fail_msg("%s", text);
}

static void count_rule(void *arg, uint32_t idx, const struct adapter_filter *f, uint64_t hits)
{
	(void)idx;
	(void)f;
	*(uint64_t *)arg += hits;
}

static void a_start_script_fills_the_card(void **state)
{
	struct err err = {0};
	struct box *b = box_of(lab_rc, "", &err);
	struct path_counters c;
	uint64_t hits = 0;

	(void)state;
	assert_non_null(b);
	if (run_script(b,
		    "#!/bin/sh\nset -euf\ncxgbetool t5nex0 filter 1 proto 6 action pass\n"
		    "cxgbetool t5nex0 filter 2 proto 17 action drop\n",
		    &err) != 0)
		fail_msg("%s", err.msg);
	put(64);
	box_once(b);
	box_counters(b, &c);
	assert_int_equal(c.drop[DROP_FILTER], 1);
	assert_int_equal(c.sent, 0);
	adapter_each(box_adapter(b), false, count_rule, &hits);
	assert_int_equal(hits, 1);
	box_free(b);
}

static int tell(struct box_card *c, const char *line)
{
	char words[ADAPTER_LINE_MAX + 1], *argv[ADAPTER_WORDS_MAX + 1];
	const struct adapter_out out = {.line = no_line};

	snprintf(words, sizeof(words), "%s", line);
	return adapter_command(box_card_adapter(c), adapter_split(words, argv, NULL), argv, &out);
}

// Drops of the card's rules so far.
static uint64_t filtered(struct box *b)
{
	struct path_counters c;

	put(64);
	box_once(b);
	box_counters(b, &c);
	return c.drop[DROP_FILTER];
}

static void a_card_takes_the_place_of_another_and_goes_again(void **state)
{
	struct err err = {0};
	struct box *b = box_of(lab_rc, "", &err);
	struct adapter *first;
	struct box_card *c;
	uint64_t hits = 0;

	(void)state;
	assert_non_null(b);
	if (run_script(b, "cxgbetool t5nex0 filter 2 proto 17 action drop\n", &err) != 0)
		fail_msg("%s", err.msg);
	first = box_adapter(b);
	assert_int_equal(filtered(b), 1);
	c = box_card_new(b, &err);
	assert_non_null(c);
	assert_string_equal(adapter_name(box_card_adapter(c)), "t5nex0");
	assert_int_equal(adapter_ports(box_card_adapter(c)), 2);
	assert_int_equal(tell(c, "filter 7 proto 17 action pass"), 0);
	assert_int_equal(filtered(b), 2); // its rules are nobody's yet
	assert_int_equal(box_card_swap(b, &c, &err), 0);
	assert_ptr_equal(box_card_adapter(c), first);
	assert_int_equal(filtered(b), 2);
	adapter_each(box_adapter(b), false, count_rule, &hits);
	assert_int_equal(hits, 1); // from 0
	assert_int_equal(box_card_swap(b, &c, &err), 0);
	box_card_free(c);
	assert_ptr_equal(box_adapter(b), first);
	assert_int_equal(filtered(b), 3);
	hits = 0;
	adapter_each(box_adapter(b), false, count_rule, &hits);
	assert_int_equal(hits, 3); // they went on
	box_free(b);
}

static void a_start_script_that_fails_is_named_with_its_line(void **state)
{
	static const struct {
		const char *text, *msg;
	} bad[] = {
		{"cxgbetool t5nex0 filter 1 proto 6\n\ncxgbetool t5nex0 filter 1 proto 17\n",
			":3: cxgbetool: CHELSIO_T4_SET_FILTER: Device busy"},
		{"cxgbetool t5nex0 filter 1 proto x\n",
			":1: cxgbetool: parameter \"proto\" has bad \"value[:mask]\" x; "
			"cxgbetool: invalid parameter \"proto\""},
		{"cxgbetool t4nex0 filter 1 delete\n",
			":1: there is no t4nex0 here: the card is t5nex0"},
		{"true\n",
			":1: 'true' is not cxgbetool, and nothing else is run; run the script with "
			"sh against the running router instead"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = {0};
		struct box *b = box_of(lab_rc, "", &err);

		assert_non_null(b);
		assert_int_not_equal(run_script(b, bad[i].text, &err), 0);
		assert_string_equal(err.msg, bad[i].msg);
		box_free(b);
	}
}

static int start(void **state)
{
	struct port_env env = {.n_workers = 1, .first_cpu = -1};
	static const char *const names[2] = {"mem:p", "mem:q"};
	struct port_conf c = {0};
	struct err err = {0};

	(void)state;
	if (port_init(&env, &err) != 0)
		fail_msg("%s", err.msg);
	c.pool = pool = port_pool("box", 4095, 2048, &err);
	assert_non_null(pool);
	for (unsigned i = 0; i < 2; i++) {
		near[i] = port_open(names[i], &c, &err);
		far[i] = port_open(names[i], &c, &err);
		assert_true(near[i] != NULL && far[i] != NULL);
	}
	return 0;
}

static int stop(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		port_close(near[i]);
		port_close(far[i]);
	}
	port_pool_free(pool);
	port_fini();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_forwarding_labs_files_make_a_router),
		cmocka_unit_test(a_started_box_forwards_and_stops),
		cmocka_unit_test(what_cannot_be_honoured_is_refused_with_its_place),
		cmocka_unit_test(what_belongs_to_interfaces_without_a_port_is_left_out_and_named),
		cmocka_unit_test(a_start_script_fills_the_card),
		cmocka_unit_test(a_card_takes_the_place_of_another_and_goes_again),
		cmocka_unit_test(a_start_script_that_fails_is_named_with_its_line),
	};

	return cmocka_run_group_tests_name("box", tests, start, stop);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "port/spec.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct port_spec spec;

static void good(const char *text, enum port_kind kind, const char *name)
{
	struct err err = {0};

	if (port_spec_parse(text, &spec, &err) != 0)
		fail_msg("%s", err.msg);
	assert_int_equal(spec.kind, kind);
	assert_string_equal(spec.name, name);
}

static void each_kind_has_its_form(void **state)
{
	(void)state;
	good("null", PORT_NULL, "");
	good("mem:a-1.b_2+3", PORT_MEM, "a-1.b_2+3");
	good("xdp:eth0", PORT_XDP, "eth0");
	assert_false(spec.chosen);
	good("live:eth0", PORT_LIVE, "eth0");
	assert_false(spec.chosen);
	good("live", PORT_XDP, "live");
	good("afpacket:br-lan", PORT_AFPACKET, "br-lan");
	good("tap:t0", PORT_TAP, "t0");
	good("0000:03:00.0", PORT_PCI, "0000:03:00.0");
	good("03:1f.7", PORT_PCI, "0000:03:1f.7");
	good("eth0", PORT_XDP, "eth0");
	assert_true(spec.chosen);
	assert_int_equal(spec.queue, -1);
	good("mem", PORT_XDP, "mem");
	good("abcdefghijklmno", PORT_XDP, "abcdefghijklmno");
	good("veth-0", PORT_XDP, "veth-0");
	assert_int_equal(spec.queue, -1);
}

static void captures_have_one_comma_at_most(void **state)
{
	(void)state;
	good("pcap:a b=[c]", PORT_PCAP, "");
	assert_string_equal(spec.in, "a b=[c]");
	assert_string_equal(spec.out, "");
	good("pcap:,out", PORT_PCAP, "");
	assert_string_equal(spec.in, "");
	assert_string_equal(spec.out, "out");
	good("pcap:in:2,out", PORT_PCAP, "");
	assert_string_equal(spec.in, "in:2");
}

static void memif_listens_if_told(void **state)
{
	(void)state;
	good("memif:/run/x", PORT_MEMIF, "");
	assert_string_equal(spec.in, "/run/x");
	assert_false(spec.server);
	good("memif:/run/x,server", PORT_MEMIF, "");
	assert_string_equal(spec.in, "/run/x");
	assert_true(spec.server);
}

static void netmap_names_pick_an_interface_and_a_queue(void **state)
{
	(void)state;
	good("netmap:eth0", PORT_XDP, "eth0");
	assert_int_equal(spec.queue, -1);
	assert_true(spec.chosen);
	good("netmap:eth0-3", PORT_XDP, "eth0");
	assert_int_equal(spec.queue, 3);
	good("netmap:br-lan-0", PORT_XDP, "br-lan");
	assert_int_equal(spec.queue, 0);
	good("netmap:br-lan", PORT_XDP, "br-lan");
	assert_int_equal(spec.queue, -1);
}

static void what_is_no_port_is_refused_in_words(void **state)
{
	static const char *const bad[] = {"", "mem:", "mem:a/b", "mem:a,b",
		"mem:1234567890123456789012345", "pcap:", "pcap:,", "pcap:in,", "pcap:a,b,c",
		"memif:", "memif:,server", "memif:a,b", "memif:a=b", "memif:a b", "xdp:", "xdp:..",
		"xdp:.", "xdp:a,start_queue=1", "xdp:a=b", "xdp:a b", "xdp:a\x80",
		"xdp:abcdefghijklmnop", "live:", "live:a/b", "afpacket:a[b", "tap:a/b", "tap:a%d",
		"null:", "netmap:", "netmap:-1", "netmap:eth0^", "netmap:eth0*", "netmap:a{1",
		"netmap:a}1", "netmap:a@1", "netmap:a/x", "netmap:a-1024",
		"netmap:a-99999999999999999999", "netmap:abcdefghijklmnop-1", "vale0:1", "foo:bar",
		"0000:00:20.0", "00:00.8", "eth0,queue_count=3", "abcdefghijklmnop"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = {0};

		if (port_spec_parse(bad[i], &spec, &err) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
		assert_non_null(strstr(err.msg, bad[i]));
		assert_null(strchr(err.msg, '\n'));
	}
	// In a sentence control characters are not as they were.
	assert_int_equal(port_spec_parse("xdp:a\tb", &spec, NULL), -EINVAL);
	assert_int_equal(port_spec_parse("xdp:a\n", &spec, NULL), -EINVAL);
}

static void an_endless_path_is_refused(void **state)
{
	static char text[SPEC_PATH_MAX + 64];
	struct err err = {0};

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	memcpy(text, "pcap:", 5);
	assert_int_equal(port_spec_parse(text, &spec, &err), -EINVAL);
	memcpy(text, "pcap:,", 6);
	assert_int_equal(port_spec_parse(text, &spec, &err), -EINVAL);
	memcpy(text, "memif:", 6);
	assert_int_equal(port_spec_parse(text, &spec, &err), -EINVAL);
	text[6 + 108] = '\0';
	assert_int_equal(port_spec_parse(text, &spec, &err), -EINVAL);
	text[6 + 107] = '\0';
	assert_int_equal(port_spec_parse(text, &spec, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_has_its_form),
		cmocka_unit_test(captures_have_one_comma_at_most),
		cmocka_unit_test(memif_listens_if_told),
		cmocka_unit_test(netmap_names_pick_an_interface_and_a_queue),
		cmocka_unit_test(what_is_no_port_is_refused_in_words),
		cmocka_unit_test(an_endless_path_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "check.h"

#include "base/text.h"

#include <errno.h>
#include <string.h>

static int nibble(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c != '\0' ? strchr(digits, c) : NULL;

	return at != NULL ? (int)(at - digits) : -1;
}

// The bytes of a word of hex digits; false: it is none, or longer than any frame.
static bool read_hex(const char *word, uint8_t out[ADAPTER_FRAME_MAX], size_t *len)
{
	size_t n = strlen(word) / 2;

	if (strlen(word) % 2 != 0 || n > ADAPTER_FRAME_MAX)
		return false;
	for (size_t i = 0; i < n; i++) {
		int high = nibble(word[2 * i]), low = nibble(word[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		out[i] = (uint8_t)(high << 4 | low);
	}
	*len = n;
	return true;
}

json_t *check_object(const struct adapter_verdict *v)
{
	json_t *o = json_pack(
		"{s:s, s:s}", "type", "verdict", "verdict", adapter_action_name(v->action));

	json_object_set_new(o, "idx", v->met ? json_integer(v->idx) : json_null());
	json_object_set_new(o, "hash", json_boolean(v->hash));
	json_object_set_new(o, "prio", json_boolean(v->prio));
	return o;
}

int check_answer(const struct adapter *card, int argc, char **argv, struct ctl_reply *reply)
{
	uint8_t frame[ADAPTER_FRAME_MAX];
	struct adapter_verdict v;
	struct err err = {0};
	uint64_t port;
	size_t len;

	if (argc < 3)
		return ctl_fail(reply, EINVAL, "check: a port and frames are needed");
	if (text_u64(argv[1], UINT32_MAX, &port, &err) != 0)
		return ctl_fail(reply, EINVAL, "check: %s", err.msg);
	for (int i = 2; i < argc; i++) {
		if (!read_hex(argv[i], frame, &len))
			return ctl_fail(reply, EINVAL,
				"check: '%.40s' is no frame: an even number of the digits 0-9 and a-f, at "
				"most %d",
				argv[i], 2 * ADAPTER_FRAME_MAX);
		if (adapter_verdict(card, (unsigned)port, frame, len, &v, &err) != 0)
			return ctl_fail(reply, err.code, "check: %s", err.msg);
		ctl_reply(reply, check_object(&v));
	}
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
// weir adapter check: the frames of a capture, and what a card's rules say of each.
#include "check.h"

#include "client.h"

#include "base/text.h"
#include "packet/pcap.h"
#include "xdp/xdp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char program[] = "weir adapter";

// Of one request: a frame has two digits a byte, and the longest one fits.
enum { REQUEST_WORDS = 512, REQUEST_CHARS = CTL_LINE_MAX - 64 };
_Static_assert(2 * ADAPTER_FRAME_MAX < REQUEST_CHARS, "each frame fits a request");

struct check {
	const char *name, *path;
	uint32_t port;
	bool json;
	struct pcapfile file;
	uint32_t told; // frames
};

static int misused(const char *word, const char *text)
{
	fprintf(stderr, "%s: check: %s%s; `%s --help` tells how it is used\n", program, word, text,
		program);
	return 2;
}

static int parse(struct check *c, int argc, char **argv)
{
	struct err err = {0};
	const char *word = "0";
	uint64_t port;

	*c = (struct check){0};
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--json") == 0)
			c->json = true;
		else if (strcmp(argv[i], "--port") == 0 && i + 1 == argc)
			return misused("--port", ": a number is missing");
		else if (strcmp(argv[i], "--port") == 0)
			word = argv[++i];
		else if (argv[i][0] == '-')
			return misused(argv[i], " is not an option of check");
		else if (c->name == NULL)
			c->name = argv[i];
		else if (c->path == NULL)
			c->path = argv[i];
		else
			return misused(argv[i], " is one word too many");
	}
	if (c->path == NULL)
		return misused("", "the name of a card and a capture are needed");
	if (text_u64(word, ADAPTER_PORTS_MAX - 1, &port, &err) != 0) {
		fprintf(stderr, "%s: check: --port: %s\n", program, err.msg);
		return 2;
	}
	c->port = (uint32_t)port;
	return 0;
}

// Before the first one is asked about.
static int check_frames(const struct check *c, struct err *err)
{
	if (c->file.n == 0)
		return err_set(err, EINVAL, "%s: holds no frame", c->path);
	for (uint32_t i = 0; i < c->file.n; i++) {
		const struct pcapfile_frame *f = &c->file.frames[i];

		if (f->len != f->wire_len)
			return err_set(err, EINVAL,
				"%s: frame %u: only %u of its %u bytes were captured, and what rules "
				"say depends on its length (tcpdump -s 0 captures all)",
				c->path, i + 1, f->len, f->wire_len);
		if (f->len < ADAPTER_FRAME_MIN)
			return err_set(err, EINVAL,
				"%s: frame %u: %u bytes, and an Ethernet header alone has %d",
				c->path, i + 1, f->len, ADAPTER_FRAME_MIN);
		if (f->len > ADAPTER_FRAME_MAX)
			return err_set(err, EINVAL,
				"%s: frame %u: %u bytes, and at most %d can be tried", c->path,
				i + 1, f->len, ADAPTER_FRAME_MAX);
	}
	return 0;
}

static void print_verdict(void *arg, json_t *o)
{
	struct check *c = arg;
	const json_t *idx = json_object_get(o, "idx");
	const char *region = json_is_true(json_object_get(o, "hash"))   ? " hash"
			     : json_is_true(json_object_get(o, "prio")) ? " prio"
									: "";

	c->told++;
	if (c->json) {
		json_object_set_new(o, "frame", json_integer(c->told));
		client_print_json(NULL, o);
		return;
	}
	printf("%u %s ", c->told, json_string_value(json_object_get(o, "verdict")));
	if (json_is_integer(idx))
		printf("%lld%s\n", (long long)json_integer_value(idx), region);
	else
		puts("-");
}

static void put_hex(const struct pcapfile_frame *f, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (uint32_t i = 0; i < f->len; i++) {
		*out++ = digits[f->data[i] >> 4];
		*out++ = digits[f->data[i] & 15];
	}
	*out = '\0';
}

// Asks about as many of the frames from `first` as one request holds; *n: how many those are.
static int ask(struct check *c, uint32_t first, uint32_t *n)
{
	static char text[REQUEST_CHARS];
	char port[12], *words[REQUEST_WORDS + 2] = {(char *)"check", port};
	size_t used = 0;

	snprintf(port, sizeof(port), "%u", c->port);
	for (*n = 0; *n < REQUEST_WORDS && first + *n < c->file.n; ++*n) {
		const struct pcapfile_frame *f = &c->file.frames[first + *n];

		if (used + 2 * f->len + 1 > sizeof(text))
			break;
		words[2 + *n] = text + used;
		put_hex(f, text + used);
		used += 2 * f->len + 1;
	}
	return client_request(program, c->name, (int)*n + 2, words, print_verdict, c);
}

static int ask_router(struct check *c)
{
	int status = 0;

	for (uint32_t at = 0, n; at < c->file.n && status == 0; at += n)
		status = ask(c, at, &n);
	return status;
}

// All of them by one program, for the kernel takes half a second to verify it.
static int ask_kernel(struct check *c)
{
	struct err err = {0};
	struct xdp_card *card = xdp_card_open(c->name, &err);
	struct adapter_verdict v;
	int rc = card != NULL ? 0 : -err.code;

	for (uint32_t i = 0; i < c->file.n && rc == 0; i++) {
		const struct pcapfile_frame *f = &c->file.frames[i];
		json_t *o;

		rc = adapter_verdict(xdp_card_adapter(card), c->port, f->data, f->len, &v, &err);
		if (rc != 0)
			break;
		o = check_object(&v);
		print_verdict(c, o);
		json_decref(o);
	}
	xdp_card_close(card);
	fflush(stdout);
	return client_complain(program, c->name, rc, &err);
}

int check_command(int argc, char **argv)
{
	struct check c;
	struct err err = {0};
	int status = parse(&c, argc, argv);

	if (status != 0)
		return status;
	if (pcapfile_read(c.path, &c.file, &err) != 0 || check_frames(&c, &err) != 0) {
		fprintf(stderr, "%s: %s\n", program, err.msg);
		pcapfile_free(&c.file);
		return 1;
	}
	status = xdp_card_exists(c.name) ? ask_kernel(&c) : ask_router(&c);
	pcapfile_free(&c.file);
	return status;
}

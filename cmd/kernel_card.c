// SPDX-License-Identifier: BSD-2-Clause
// weir adapter create, attach, delete: cards in the kernel.
#include "kernel.h"

#include "card.h"

#include "ctl/ctl.h"
#include "xdp/xdp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char program[] = "weir adapter";

struct create {
	struct xdp_card_conf conf;
	char *ifaces[ADAPTER_PORTS_MAX];
	const char *rules; // a script, or NULL
};

static void tell(void *arg, const char *text)
{
	(void)arg;
	fprintf(stderr, "%s: %s\n", program, text);
}

static int complain(const struct err *err)
{
	fprintf(stderr, "%s: %s\n", program, err->msg);
	return 1;
}

static int misused(const char *text, const char *word)
{
	fprintf(stderr, "%s: %s%s; `%s --help` tells how it is used\n", program, word, text,
		program);
	return 2;
}

static int mode_of(const char *word, enum xdp_mode *out)
{
	for (enum xdp_mode m = XDP_NATIVE; m <= XDP_SKB; m++)
		if (strcmp(word, xdp_mode_name(m)) == 0) {
			*out = m;
			return 0;
		}
	fprintf(stderr, "%s: --mode: '%s' is neither native nor skb\n", program, word);
	return 2;
}

static int parse_create(struct create *o, int argc, char **argv)
{
	*o = (struct create){.conf = {.say = tell}};
	for (int i = 1; i < argc; i++) {
		bool mode = strcmp(argv[i], "--mode") == 0, rules = strcmp(argv[i], "--rules") == 0;

		if (strcmp(argv[i], "--forward") == 0) {
			o->conf.forward = true;
			continue;
		}
		if ((mode || rules) && i + 1 == argc)
			return misused(": a value is missing", argv[i]);
		if ((mode && o->conf.mode != XDP_ANY) || (rules && o->rules != NULL))
			return misused(": it is given twice", argv[i]);
		if (mode) {
			if (mode_of(argv[++i], &o->conf.mode) != 0)
				return 2;
		} else if (rules) {
			o->rules = argv[++i];
		} else if (argv[i][0] == '-') {
			return misused(" is not an option of create", argv[i]);
		} else if (o->conf.name == NULL) {
			o->conf.name = argv[i];
		} else if (o->conf.n_ports == ADAPTER_PORTS_MAX) {
			return misused(": a card has four ports at most", argv[i]);
		} else {
			o->ifaces[o->conf.n_ports++] = argv[i];
		}
	}
	o->conf.ifaces = o->ifaces;
	if (o->conf.n_ports == 0)
		return misused(": a name and an interface are needed", "create");
	return 0;
}

int kernel_script(struct xdp_card *c, const char *path, struct err *err)
{
	const struct card_far card = card_near(xdp_card_adapter(c));

	return card_script(&card, program, path, err);
}

// A router of that name would be what cxgbetool no longer finds.
static int check_router(const char *name, struct err *err)
{
	char *info[] = {(char *)"info"};

	if (ctl_request(name, 1, info, NULL, NULL, NULL) != 0)
		return 0;
	return err_set(
		err, EEXIST, "a running router has a card '%s': give this one another name", name);
}

int kernel_create(int argc, char **argv)
{
	struct err err = {0}, left = {0};
	struct create o;
	struct xdp_card *c = NULL;
	int rc = parse_create(&o, argc, argv);

	if (rc != 0)
		return rc;
	rc = adapter_name_check(o.conf.name, &err);
	if (rc == 0)
		rc = check_router(o.conf.name, &err);
	if (rc == 0) {
		c = xdp_card_create(&o.conf, &err);
		rc = c != NULL ? 0 : -err.code;
	}
	if (rc == 0 && o.rules != NULL)
		rc = kernel_script(c, o.rules, &err);
	if (rc == 0 && o.rules != NULL)
		rc = xdp_card_publish(c, &err);
	if (rc == 0)
		rc = xdp_card_attach(c, tell, NULL, &err);
	if (rc == 0)
		xdp_card_warn(c, tell, NULL);
	if (c != NULL && rc != 0 && xdp_card_undo(c, &left) != 0)
		complain(&left);
	xdp_card_close(c);
	return rc == 0 ? 0 : complain(&err);
}

int kernel_attach(int argc, char **argv)
{
	struct err err = {0};
	struct xdp_card *c;
	int rc;

	if (argc != 2)
		return misused(": needs the name of a card, and nothing else", "attach");
	c = xdp_card_open(argv[1], &err);
	rc = c != NULL ? xdp_card_attach(c, tell, NULL, &err) : -err.code;
	xdp_card_close(c);
	return rc == 0 ? 0 : complain(&err);
}

int kernel_delete(int argc, char **argv)
{
	struct err err = {0};

	if (argc != 2)
		return misused(": needs the name of a card, and nothing else", "delete");
	return xdp_card_delete(argv[1], &err) == 0 ? 0 : complain(&err);
}

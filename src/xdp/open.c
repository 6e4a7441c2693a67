// SPDX-License-Identifier: BSD-2-Clause
// open.c - a card taken up again from what is pinned.
#include "xdp/caps.h"
#include "xdp/card.h"

#include "base/heap.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int card_fail(struct err *err, int e, const char *name, const char *what)
{
	const char *cap = caps_missing();

	if ((e == EPERM || e == EACCES) && cap != NULL)
		return err_set(err, EPERM,
			"%s: %s: cards in the kernel need root, or CAP_BPF, CAP_NET_ADMIN and "
			"CAP_PERFMON: %s is missing",
			name, what, cap);
	return err_set(err, e, "%s: %s: %s", name, what, strerror(e));
}

const char *xdp_mode_name(enum xdp_mode mode)
{
	static const char *const names[] = {
		[XDP_ANY] = "any", [XDP_NATIVE] = "native", [XDP_SKB] = "skb"};

	return names[mode];
}

struct xdp_card *card_new(const char *name, struct err *err)
{
	struct xdp_card *c;
	int cpus = libbpf_num_possible_cpus();

	if (adapter_name_check(name, err) != 0)
		return NULL;
	if (cpus <= 0) {
		card_fail(err, -cpus, name, "counting CPUs");
		return NULL;
	}
	c = calloc(1, sizeof(*c));
	if (c != NULL) {
		strcpy(c->name, name); // adapter_name_check() has looked at the length
		c->lock = c->about_fd = c->sets = c->hits = c->ports = -1;
		c->n_cpus = (unsigned)cpus;
		c->next = calloc(1, sizeof(*c->next));
		c->counts = calloc(c->n_cpus, sizeof(*c->counts));
		if (c->next != NULL && c->counts != NULL)
			return c;
	}
	err_set(err, ENOMEM, "%s: no memory for a card", name);
	xdp_card_close(c);
	return NULL;
}

int card_adapter(struct xdp_card *c, struct err *err)
{
	struct adapter_conf conf = {.name = c->name, .n_ports = c->about.n_ports};

	card_place(c, &conf.place);
	c->a = adapter_new(&conf, err);
	return c->a != NULL ? 0 : -err->code;
}

int card_about_write(const struct xdp_card *c, struct err *err)
{
	uint32_t zero = 0;

	if (bpf_map_update_elem(c->about_fd, &zero, &c->about, 0) != 0)
		return card_fail(err, errno, c->name, "about");
	return 0;
}

int card_pin(const struct xdp_card *c, int fd, const char *file, struct err *err)
{
	char path[PIN_PATH_MAX];

	if (bpf_obj_pin(fd, pin_path(path, c->dir, file)) != 0)
		return card_fail(err, errno, c->name, path);
	return 0;
}

static int open_pin(const struct xdp_card *c, const char *file, int *fd, struct err *err)
{
	char path[PIN_PATH_MAX];

	*fd = bpf_obj_get(pin_path(path, c->dir, file));
	return *fd >= 0 ? 0 : card_fail(err, errno, c->name, path);
}

static bool holds(int fd, size_t bytes)
{
	struct bpf_map_info info = {0};
	uint32_t len = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &len) == 0 && info.value_size == bytes;
}

static int read_about(struct xdp_card *c, struct err *err)
{
	struct bpf_map_info info = {0};
	uint32_t len = sizeof(info), zero = 0;
	struct card_about *about;
	int rc = 0;

	if (bpf_obj_get_info_by_fd(c->about_fd, &info, &len) != 0)
		return card_fail(err, errno, c->name, "about");
	about = calloc(1, info.value_size + sizeof(*about));
	if (about == NULL)
		return err_set(err, ENOMEM, "%s: no memory", c->name);
	if (bpf_map_lookup_elem(c->about_fd, &zero, about) != 0)
		rc = card_fail(err, errno, c->name, "about");
	else if (about->format != CARD_FORMAT || info.value_size != sizeof(*about))
		rc = err_set(err, EPROTO,
			"%s: the card was made by weir %.*s, and this is weir %s, which keeps rules in "
			"another form: delete it (weir adapter delete %s) and create it anew",
			c->name, (int)sizeof(about->version), about->version, WEIR_VERSION,
			c->name);
	else
		c->about = *about;
	free(about);
	return rc;
}

// What the card's table and building the programs' anew take from malloc.
enum { BYTES_A_RULE = 1536 };

static int open_card(struct xdp_card *c, struct err *err)
{
	char root[PIN_PATH_MAX];
	int rc = pin_root(false, root, NULL, err);

	if (rc == 0) {
		pin_path(c->dir, root, c->name);
		c->lock = pin_lock(c->dir, true);
		rc = c->lock < 0 ? c->lock : 0;
	}
	if (rc == -ENOENT)
		return err_set(err, ENOENT, "there is no card '%s' in the kernel", c->name);
	if (rc != 0)
		return card_fail(err, -rc, c->name, "opening the card");
	rc = open_pin(c, "about", &c->about_fd, err);
	if (rc == 0)
		rc = read_about(c, err);
	if (rc == 0)
		rc = open_pin(c, "sets", &c->sets, err);
	if (rc == 0)
		rc = open_pin(c, "hits", &c->hits, err);
	if (rc == 0)
		rc = open_pin(c, "ports", &c->ports, err);
	if (rc == 0 && !holds(c->ports, sizeof(struct card_port)))
		rc = err_set(err, EPROTO, "%s: its maps are not those of this weir", c->name);
	if (rc == 0)
		rc = card_read(c, err);
	if (rc == 0)
		rc = card_adapter(c, err);
	if (rc == 0)
		heap_ready(c->next->n_rules * (size_t)BYTES_A_RULE);
	if (rc == 0)
		rc = adapter_restore(c->a, &c->settings, c->next->rule, c->next->n_rules, err);
	return rc;
}

struct xdp_card *xdp_card_open(const char *name, struct err *err)
{
	struct xdp_card *c = card_new(name, err);

	if (c == NULL || open_card(c, err) == 0)
		return c;
	xdp_card_close(c);
	return NULL;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void xdp_card_close(struct xdp_card *c)
{
	if (c == NULL)
		return;
	if (c->fresh)
		pin_remove(c->dir);
	adapter_free(c->a);
	for (unsigned i = 0; i < CARD_PORTS; i++)
		xdp_run_close(c->run[i]);
	close_fd(c->about_fd);
	close_fd(c->sets);
	close_fd(c->hits);
	close_fd(c->ports);
	close_fd(c->lock);
	free(c->next);
	free(c->counts);
	free(c);
}

struct adapter *xdp_card_adapter(struct xdp_card *c)
{
	return c->a;
}

uint64_t xdp_card_made_ns(const struct xdp_card *c)
{
	return c->about.made_ns;
}

bool xdp_card_exists(const char *name)
{
	char root[PIN_PATH_MAX], path[PIN_PATH_MAX];
	struct stat st;

	return adapter_name_check(name, NULL) == 0 && pin_root(false, root, NULL, NULL) == 0 &&
	       stat(pin_path(path, root, name), &st) == 0;
}

int xdp_card_each(void (*each)(void *arg, const char *name), void *arg, struct err *err)
{
	char root[PIN_PATH_MAX];
	struct dirent **list;
	int n;

	if (pin_root(false, root, NULL, NULL) != 0)
		return 0;
	n = scandir(root, &list, NULL, alphasort);
	if (n < 0 && (errno == ENOENT || errno == EACCES))
		return 0;
	if (n < 0)
		return err_set(err, errno, "%s: %s", root, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (adapter_name_check(list[i]->d_name, NULL) == 0)
			each(arg, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
// place.c - a card's place in the kernel: rules are gathered, and come in force by one update of `sets`.
//
// A set is the tables, what its rules do, and what both were made of, so these can never differ.  The
// update returns after a grace period: from then on no program looks at the old set, and it may be filled
// anew for the next change.  That is also why a slot may be zeroed before a rule that gets it is in force:
// the rule that had it went with an earlier update.
#include "xdp/card.h"
#include "xdp/set.h"

#include "base/heap.h"
#include "classify/classify.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Where an order stands among the rules, or would.
static uint32_t find(const struct card_kept *k, uint32_t order)
{
	uint32_t from = 0, to = k->n_rules;

	while (from < to) {
		uint32_t mid = (from + to) / 2;

		if (k->rule[mid].order < order)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static bool resizes(const struct card_act *act)
{
	return act->action == CARD_SWITCH &&
	       (act->vlan == CARD_VLAN_INSERT || act->vlan == CARD_VLAN_REMOVE);
}

bool card_resizes(const struct xdp_card *c)
{
	struct card_act act;

	for (uint32_t i = 0; i < c->next->n_rules; i++)
		if (card_act_make(&c->next->rule[i].f, 0, &act, NULL) == 0 && resizes(&act))
			return true;
	return false;
}

static int check_length(const struct xdp_card *c, const struct card_act *act, struct err *err)
{
	for (unsigned i = 0; resizes(act) && i < c->about.n_ports; i++)
		if (c->about.port[i].fixed != 0)
			return err_set(err, EOPNOTSUPP,
				"vlan: %s has its program in libxdp's dispatcher, where this "
				"kernel lets none insert or remove a tag",
				c->about.port[i].iface);
	return 0;
}

static int add(
	void *state, uint32_t slot, uint32_t order, const struct adapter_filter *f, struct err *err)
{
	struct xdp_card *c = state;
	struct card_kept *k = c->next;
	uint32_t at = find(k, order);
	struct card_act act;
	int rc;

	if (k->n_rules == FLAT_RULES || slot >= CARD_SLOTS)
		return err_set(err, ENOMEM,
			"a card in the kernel holds %d rules, hash rules among them, and no more",
			FLAT_RULES);
	rc = card_act_make(f, slot, &act, err);
	if (rc == 0)
		rc = check_length(c, &act, err);
	if (rc != 0)
		return rc;
	memmove(&k->rule[at + 1], &k->rule[at], (k->n_rules - at) * sizeof(k->rule[0]));
	k->rule[at] = (struct adapter_kept){.f = *f, .slot = slot, .order = order};
	k->n_rules++;
	c->changed = true;
	if (f->action == ADAPTER_SWITCH)
		c->new_exits |= 1u << f->eport;
	return 0;
}

static int take_out(void *state, uint32_t slot, uint32_t order, struct err *err)
{
	struct xdp_card *c = state;
	struct card_kept *k = c->next;
	uint32_t at = find(k, order);

	if (at == k->n_rules || k->rule[at].order != order || k->rule[at].slot != slot)
		return err_set(err, ENOENT, "%s: there is no rule of order %u", c->name, order);
	k->n_rules--;
	memmove(&k->rule[at], &k->rule[at + 1], (k->n_rules - at) * sizeof(k->rule[0]));
	c->changed = true;
	return 0;
}

static uint64_t hits(void *state, uint32_t slot)
{
	struct xdp_card *c = state;
	uint64_t sum = 0;

	if (slot >= CARD_SLOTS || !c->in_force[slot] ||
		bpf_map_lookup_elem(c->hits, &slot, c->counts) != 0)
		return 0;
	for (unsigned i = 0; i < c->n_cpus; i++)
		sum += c->counts[i];
	return sum;
}

// The programs do not count for ports: what the interface counts is taken off from now on.
static int clear_stats(void *state, unsigned port, struct err *err)
{
	struct xdp_card *c = state;
	uint64_t now[XDP_COUNTS];
	int rc = xdp_card_stats(c, port, now, err);

	if (rc != 0)
		return rc;
	for (unsigned i = 0; i < XDP_COUNTS; i++)
		c->about.port[port].base[i] += now[i];
	return card_about_write(c, err);
}

void card_place(struct xdp_card *c, struct adapter_place *out)
{
	*out = (struct adapter_place){.state = c,
		.add = add,
		.remove = take_out,
		.hits = hits,
		.clear_stats = clear_stats,
		.verdict = card_verdict};
}

// The id of a map that holds a set; 0: it is none.
static uint32_t set_id(int fd)
{
	struct bpf_map_info info = {0};
	uint32_t len = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &len) == 0 &&
			       info.value_size == sizeof(struct card_set)
		       ? info.id
		       : 0;
}

// The set in force, by the name that leads to it.  -1: neither does.
static int set_in_force(const struct xdp_card *c, uint32_t id)
{
	static const char *const files[] = {"set", "next"};
	char path[PIN_PATH_MAX], to[PIN_PATH_MAX];

	for (unsigned i = 0; i < 2; i++) {
		int fd = bpf_obj_get(pin_path(path, c->dir, files[i]));

		if (fd < 0)
			continue;
		if (set_id(fd) == id) {
			if (i == 1)
				rename(path, pin_path(to, c->dir, files[0]));
			return fd;
		}
		close(fd);
	}
	errno = ENOENT;
	return -1;
}

static void note_in_force(struct xdp_card *c)
{
	memset(c->in_force, 0, sizeof(c->in_force));
	for (uint32_t i = 0; i < c->next->n_rules; i++)
		c->in_force[c->next->rule[i].slot] = true;
	c->settings = c->next->settings;
	c->held = c->next->held != 0;
	c->next->held = 0; // what comes next is another set
	c->changed = c->all_new = false;
}

int card_set_fd(const struct xdp_card *c, struct err *err)
{
	uint32_t zero = 0, id;
	int fd = bpf_map_lookup_elem(c->sets, &zero, &id) == 0 ? set_in_force(c, id) : -1;

	return fd >= 0 ? fd : card_fail(err, errno, c->name, "the rules in force");
}

static size_t kept_bytes(uint32_t n_rules)
{
	return offsetof(struct card_kept, rule) + n_rules * sizeof(struct adapter_kept);
}

// As much of what the set keeps as its n rules are.
static const struct card_kept *map_kept(
	const struct xdp_card *c, int set_fd, uint32_t n, struct err *err)
{
	const struct card_kept *kept = mmap(NULL, kept_bytes(n), PROT_READ, MAP_SHARED, set_fd,
		offsetof(struct card_set, kept));

	if (kept != MAP_FAILED)
		return kept;
	card_fail(err, errno, c->name, "the rules in force");
	return NULL;
}

static int take_rules(struct xdp_card *c, const struct card_kept *kept, struct err *err)
{
	heap_touch(c->next->rule, kept->n_rules * sizeof(kept->rule[0]));
	memcpy(c->next->rule, kept->rule, kept->n_rules * sizeof(kept->rule[0]));
	for (uint32_t i = 0; i < c->next->n_rules; i++)
		if (c->next->rule[i].slot >= CARD_SLOTS)
			return err_set(err, EPROTO, "%s: it says that a rule has slot %u", c->name,
				c->next->rule[i].slot);
	return 0;
}

int card_take(struct xdp_card *c, int set_fd, struct err *err)
{
	const struct card_kept *kept = map_kept(c, set_fd, 0, err);
	int rc = 0;

	if (kept == NULL)
		return -err->code;
	c->next->settings = kept->settings;
	c->next->n_rules = kept->n_rules;
	c->next->held = kept->held;
	c->next->tables_bytes = kept->tables_bytes;
	munmap((void *)(uintptr_t)kept, kept_bytes(0));
	if (c->next->n_rules > FLAT_RULES)
		return err_set(
			err, EPROTO, "%s: it says that it has %u rules", c->name, c->next->n_rules);
	kept = map_kept(c, set_fd, c->next->n_rules, err);
	if (kept == NULL)
		return -err->code;
	rc = take_rules(c, kept, err);
	munmap((void *)(uintptr_t)kept, kept_bytes(c->next->n_rules));
	return rc;
}

int card_read(struct xdp_card *c, struct err *err)
{
	int fd = card_set_fd(c, err), rc;

	if (fd < 0)
		return fd;
	rc = card_take(c, fd, err);
	close(fd);
	if (rc == 0)
		note_in_force(c);
	return rc;
}

enum { TABLES_MORE = 384 << 10 }; // two fields that no rule looked at yet

static int fill(struct card_kept *k, struct card_set *set, size_t tables_bytes, struct err *err)
{
	struct classify_rule *rules = calloc(k->n_rules + 1, sizeof(*rules));
	int rc = 0;

	if (rules == NULL)
		return err_set(err, ENOMEM, "no memory for %u rules", k->n_rules);
	for (uint32_t i = 0; rc == 0 && i < k->n_rules; i++) {
		struct card_act act;

		adapter_rule(&k->rule[i].f, &rules[i]);
		rules[i].order = rules[i].id = i;
		rc = card_act_make(&k->rule[i].f, k->rule[i].slot, &act, err);
		heap_renew(&set->act[i], &act, sizeof(act));
	}
	if (rc == 0)
		rc = classify_flat(rules, k->n_rules, set->tables, tables_bytes, err);
	free(rules);
	if (rc == 0) {
		k->tables_bytes = ((const struct flat_head *)set->tables)->bytes;
		heap_renew(set->kept, k, kept_bytes(k->n_rules));
	}
	return rc;
}

static int map_and_fill(struct xdp_card *c, int fd, size_t tables_bytes, struct err *err)
{
	uint32_t n = c->next->n_rules;
	struct card_set *set = card_set_fill(fd, n, kept_bytes(n), tables_bytes, err);
	int rc = set != NULL ? fill(c->next, set, tables_bytes, err)
			     : err_context(err, "%s", c->name);

	card_set_unmap(set);
	return rc;
}

// The spare set; -1: there is none.
static int spare_set(const struct xdp_card *c)
{
	char path[PIN_PATH_MAX];
	int fd = bpf_obj_get(pin_path(path, c->dir, "spare"));
	uint32_t zero = 0, id, in_force;

	if (fd < 0)
		return -1;
	id = set_id(fd);
	if (id != 0 && bpf_map_lookup_elem(c->sets, &zero, &in_force) == 0 && id != in_force)
		return fd;
	close(fd);
	return -1;
}

// A map with the set that is to come; -errno.  *spare: it is the spare one.
static int make_set(struct xdp_card *c, bool *spare, struct err *err)
{
	int fd = spare_set(c), rc = 0;
	// The tables are seldom much larger than those before.
	size_t likely = c->next->tables_bytes + c->next->tables_bytes / 8 + TABLES_MORE;

	*spare = fd >= 0;
	if (fd < 0)
		fd = card_set_new(err);
	if (fd < 0)
		return err_context(err, "%s", c->name);
	if (likely < FLAT_SIZE)
		rc = map_and_fill(c, fd, likely, err);
	if (likely >= FLAT_SIZE || rc == -E2BIG)
		rc = map_and_fill(c, fd, FLAT_SIZE, err);
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

static int zero_new_slots(struct xdp_card *c, struct err *err)
{
	memset(c->counts, 0, c->n_cpus * sizeof(*c->counts));
	for (uint32_t i = 0; i < c->next->n_rules; i++) {
		uint32_t slot = c->next->rule[i].slot;

		if ((c->all_new || !c->in_force[slot]) &&
			bpf_map_update_elem(c->hits, &slot, c->counts, 0) != 0)
			return card_fail(err, errno, c->name, "a hit counter");
	}
	return 0;
}

// Killed before the update, the command leaves a `next` that means nothing; behind it, one that is in
// force and says so by its id.
static int swap(struct xdp_card *c, int fd, bool spare, struct err *err)
{
	char next[PIN_PATH_MAX], set[PIN_PATH_MAX], old[PIN_PATH_MAX];
	uint32_t zero = 0;

	pin_path(next, c->dir, "next");
	pin_path(set, c->dir, "set");
	pin_path(old, c->dir, "spare");
	unlink(next);
	if ((spare ? rename(old, next) : bpf_obj_pin(fd, next)) != 0)
		return card_fail(err, errno, c->name, "pinning the rules");
	if (bpf_map_update_elem(c->sets, &zero, &fd, 0) != 0)
		return card_fail(err, errno, c->name, "putting the rules in force");
	if (!c->held)
		rename(set, old);
	rename(next, set); // the next command does it, if this fails
	return 0;
}

int card_force(struct xdp_card *c, int set_fd, bool spare, struct err *err)
{
	int rc = zero_new_slots(c, err);

	if (rc == 0)
		rc = swap(c, set_fd, spare, err);
	if (rc == 0)
		note_in_force(c);
	return rc;
}

int xdp_card_publish(struct xdp_card *c, struct err *err)
{
	int rc = adapter_settings(c->a, &c->next->settings, err), fd;
	bool spare;

	if (rc != 0)
		return rc;
	if (!c->changed && memcmp(&c->next->settings, &c->settings, sizeof(c->settings)) == 0)
		return 0;
	fd = make_set(c, &spare, err);
	if (fd < 0)
		return fd;
	rc = card_force(c, fd, spare, err);
	close(fd);
	return rc;
}

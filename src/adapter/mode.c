// SPDX-License-Identifier: BSD-2-Clause
// mode.c - `filter mode` and `hashfilter mode`: the match fields that rules may use.
//
// Fields cost bits of a tuple of 36.  The outer VLAN and PF/VF share a place; which of the two it stands
// for can change only while it is not in the mode.
#include "adapter/words.h"

#include "adapter/names.h"

#include <errno.h>
#include <string.h>

enum { TUPLE_BITS = 36 };

static const struct {
	const char *name;
	unsigned bits;
} criteria[C_COUNT] = {
	[C_FCOE] = {"fcoe", 1},
	[C_IPORT] = {"iport", 3},
	[C_VNIC] = {"ovlan", 17}, // or vnic_id
	[C_VLAN] = {"vlan", 17},
	[C_TOS] = {"tos", 8},
	[C_PROTO] = {"proto", 8},
	[C_ETHTYPE] = {"ethtype", 16},
	[C_MACIDX] = {"macidx", 9},
	[C_MATCHTYPE] = {"matchtype", 3},
	[C_FRAG] = {"frag", 1},
};

static const char *const always[] = {"ipv4", "ipv6", "sip", "dip", "sport", "dport"};

uint32_t mode_default(void)
{
	return 1u << C_FRAG | 1u << C_MATCHTYPE | 1u << C_PROTO | 1u << C_VLAN | 1u << C_IPORT |
	       1u << C_FCOE;
}

uint32_t mode_hash_default(unsigned chip)
{
	return chip >= 6 ? 1u << C_PROTO : 1u << C_PROTO | 1u << C_FCOE;
}

const char *mode_criterion(enum criterion c, bool function)
{
	return c == C_VNIC && function ? "vnic_id" : criteria[c].name;
}

void mode_words(const struct adapter *a, bool hash, char *out, size_t size)
{
	uint32_t mode = hash ? a->hash_mask : a->mode;
	struct line l = {out, size, 0};

	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		line_put(&l, "%s ", always[i]);
	for (unsigned i = C_COUNT; i-- > 0;)
		if ((mode & 1u << i) != 0)
			line_put(&l, "%s ", mode_criterion(i, a->vnic_is_function));
}

int mode_show(const struct adapter *a, bool hash, const struct adapter_out *out)
{
	char text[256];

	mode_words(a, hash, text, sizeof(text));
	say(out, "%s", text);
	return 0;
}

// false: no such name.
static bool word_read(const char *word, uint32_t *mode, bool *function, bool *ovlan)
{
	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		if (strcmp(word, always[i]) == 0)
			return true;
	if (strcmp(word, "vnic_id") == 0) {
		*function = true;
		*mode |= 1u << C_VNIC;
		return true;
	}
	for (unsigned i = 0; i < C_COUNT; i++)
		if (strcmp(word, criteria[i].name) == 0) {
			*ovlan |= i == C_VNIC;
			*mode |= 1u << i;
			return true;
		}
	return false;
}

static int mode_change(struct adapter *a, uint32_t mode, bool function, struct err *err)
{
	unsigned bits = 0;

	if ((mode & a->mode & 1u << C_VNIC) != 0 && function != a->vnic_is_function)
		return err_set(err, EBUSY, HINT "%s becomes %s by way of a mode without either",
			mode_criterion(C_VNIC, !function), mode_criterion(C_VNIC, function));
	if (a->tcam.count + a->prio.count + a->hash.count > 0)
		return err_set(err, EBUSY, HINT "the mode cannot change while there are rules");
	for (unsigned i = 0; i < C_COUNT; i++)
		if ((mode & 1u << i) != 0)
			bits += criteria[i].bits;
	if (bits > TUPLE_BITS)
		return err_set(err, EINVAL, HINT "these cost %u bits, of which there are %d", bits,
			TUPLE_BITS);
	a->mode = mode;
	a->vnic_is_function = function;
	a->hash_mask &= mode;
	return 0;
}

static int hash_mask_change(struct adapter *a, uint32_t mask, bool function, struct err *err)
{
	uint32_t lacking = mask & ~a->mode;

	if (a->chip == 4)
		return err_set(err, EOPNOTSUPP, HINT "a T4 has no hash rules");
	if (a->hash.count > 0)
		return err_set(
			err, EBUSY, HINT "the mode cannot change while there are hash rules");
	if ((mask & 1u << C_VNIC) != 0 && function != a->vnic_is_function)
		lacking |= 1u << C_VNIC;
	if (lacking != 0)
		return err_set(err, EINVAL, HINT "`filter mode` lacks %s",
			mode_criterion((enum criterion)__builtin_ctz(lacking), function));
	a->hash_mask = mask;
	return 0;
}

int mode_set(
	struct adapter *a, bool hash, int argc, char *const *argv, const struct adapter_out *out)
{
	bool function = false, ovlan = false, valid = true;
	struct err err = {0};
	uint32_t mode = 0;
	int rc;

	for (int i = 0; i < argc; i++)
		if (!word_read(argv[i], &mode, &function, &ovlan)) {
			say_error(out, "\"%s\" is not valid while setting filter mode.", argv[i]);
			valid = false;
		}
	if (function && ovlan) {
		say_error(out, "\"vnic_id\" and \"ovlan\" are mutually exclusive.");
		valid = false;
	}
	if (!valid)
		return EINVAL;
	rc = hash ? hash_mask_change(a, mode, function, &err)
		  : mode_change(a, mode, function, &err);
	return rc == 0 ? 0
		       : say_refused(out, hash ? "SET_FILTER_MASK" : "SET_FILTER_MODE", -rc, &err);
}

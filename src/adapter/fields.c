// SPDX-License-Identifier: BSD-2-Clause
// fields.c - the numbers that rules match: their names, widths and places.
#include "adapter/table.h"
#include "base/load.h"

#include <stddef.h>
#include <string.h>

#define AT(member) offsetof(struct classify_key, member), sizeof(((struct classify_key *)0)->member)

// In the order in which adapter_words() writes them.
const struct field fields[] = {
	{"iport", AT(iport), 3, 0, 0, C_IPORT},
	{"fcoe", AT(fcoe), 1, 0, 0, C_FCOE},
	{"frag", AT(frag), 1, 0, 0, C_FRAG},
	{"matchtype", AT(matchtype), 3, 0, 0, C_MATCHTYPE},
	{"macidx", AT(macidx), 9, 0, 0, C_MACIDX},
	{"ethtype", AT(ethertype), 16, 0, 0, C_ETHTYPE},
	{"ovlan", AT(ovlan), 16, 0, CLASSIFY_HAS_OVLAN, C_VNIC},
	{"pf", AT(vnic), 3, 13, CLASSIFY_HAS_VNIC, C_VNIC},
	{"vf", AT(vnic), 13, 0, CLASSIFY_HAS_VNIC, C_VNIC},
	{"ivlan", AT(ivlan), 16, 0, CLASSIFY_HAS_IVLAN, C_VLAN},
	{"tos", AT(tos), 8, 0, 0, C_TOS},
	{"sport", AT(sport), 16, 0, 0, C_ALWAYS},
	{"dport", AT(dport), 16, 0, 0, C_ALWAYS},
	{"proto", AT(proto), 8, 0, 0, C_PROTO},
};
const unsigned n_fields = sizeof(fields) / sizeof(fields[0]);

static uint32_t word(const struct classify_key *k, const struct field *f)
{
	const uint8_t *p = (const uint8_t *)k + f->at;

	return f->bytes == 1 ? *p : load16(p);
}

uint32_t field_get(const struct classify_key *k, const struct field *f)
{
	return word(k, f) >> f->shift & field_max(f);
}

void field_set(struct classify_key *k, const struct field *f, uint32_t value)
{
	uint8_t *p = (uint8_t *)k + f->at;
	uint16_t v = (uint16_t)((word(k, f) & ~(field_max(f) << f->shift)) | (value & field_max(f))
										     << f->shift);

	if (f->bytes == 1)
		*p = (uint8_t)v;
	else
		memcpy(p, &v, sizeof(v));
}

bool field_given(const struct adapter_filter *f, const struct field *fd)
{
	if (field_get(&f->value, fd) != 0 || field_get(&f->mask, fd) != 0)
		return true;
	if ((f->mask.vlan_valid & fd->has) == 0)
		return false;
	// Presence alone: of PF and VF it is PF that says so.
	return fd->has != CLASSIFY_HAS_VNIC ||
	       (fd->shift != 0 && f->value.vnic == 0 && f->mask.vnic == 0);
}

uint32_t filter_criteria(const struct adapter_filter *f)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < n_fields; i++)
		if (fields[i].criterion != C_ALWAYS && field_given(f, &fields[i]))
			bits |= 1u << fields[i].criterion;
	return bits;
}

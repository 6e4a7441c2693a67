// SPDX-License-Identifier: BSD-2-Clause
// lab_filter.c - filter scripts of conditions as rules with an expected outcome, and as text for nft.
//
// The script fills a card that no packet meets; what the card then holds is what the lab's probes are
// made from, and what is carried over to nftables.
#include "lab_filter.h"

#include "card.h"

#include "adapter/adapter.h"
#include "base/text.h"
#include "lab/dut_linux.h"
#include "lab/topo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SCRIPT_MAX = 16 << 20 };

struct filling {
	struct lab_filter *to;
	unsigned room;
	bool failed;
};

static void add_rule(void *arg, uint32_t idx, const struct adapter_filter *f, uint64_t hits)
{
	static const enum lab_rule_action actions[] = {[ADAPTER_PASS] = LAB_RULE_PASS,
		[ADAPTER_DROP] = LAB_RULE_DROP,
		[ADAPTER_SWITCH] = LAB_RULE_OTHER};
	struct filling *s = arg;
	struct lab_rule *r;

	(void)hits;
	if (s->to->n == s->room) {
		unsigned room = s->room > 0 ? 2 * s->room : 64;
		struct lab_rule *more = realloc(s->to->rule, room * sizeof(*more));

		if (more == NULL) {
			s->failed = true;
			return;
		}
		s->to->rule = more;
		s->room = room;
	}
	r = &s->to->rule[s->to->n++];
	*r = (struct lab_rule){.idx = idx, .action = actions[f->action], .counted = f->count_hits};
	adapter_rule(f, &r->match);
	adapter_words(f, r->words, sizeof(r->words));
}

// --- nftables ------------------------------------------------------------------------------------

struct exporting {
	FILE *text;
	char complaint[320];
};

static void export_line(void *arg, bool to_stderr, const char *text)
{
	struct exporting *x = arg;

	if (!to_stderr)
		fprintf(x->text, "%s\n", text);
	else if (x->complaint[0] == '\0')
		snprintf(x->complaint, sizeof(x->complaint), "%s", text);
}

static int export_nft(const struct adapter *a, const struct lab_condition *c,
	const struct lab_traffic *t, char **out, struct err *err)
{
	char names[2][IFACE_NAME_SIZE], *ifaces[] = {names[0], names[1], NULL};
	struct exporting x = {0};
	const struct adapter_out to = {export_line, &x};
	struct lab_topo topo;
	size_t size = 0;
	int rc = lab_topo(&c->conf, t, &topo, err);

	if (rc != 0)
		return rc;
	dut_linux_iface(&c->conf, topo.in, names[lab_topo_iport(&topo, false)]);
	dut_linux_iface(&c->conf, topo.out, names[lab_topo_iport(&topo, true)]);
	x.text = open_memstream(out, &size);
	if (x.text == NULL)
		return err_set(err, ENOMEM, "no memory for nftables' rules");
	rc = adapter_export(a, EXPORT_NFT, ifaces, &to);
	if (fclose(x.text) != 0)
		return err_set(err, ENOMEM, "no memory for nftables' rules");
	if (rc != 0)
		return err_set(err, ENOTSUP, "%s: nftables cannot carry it: %s", c->filter.path,
			x.complaint);
	return 0;
}

// --- the script ----------------------------------------------------------------------------------

// What errors call the script.
const char *lab_filter_name(const struct lab_condition *c)
{
	return c->filter.path[0] != '\0' ? c->filter.path : c->name;
}

static int commands(struct adapter *a, struct lab_condition *c, struct err *err)
{
	struct conf_script *s = &c->filter.commands;
	const char *name = lab_filter_name(c);
	int rc = conf_script_text(name, c->filter.script, s, err);

	for (unsigned i = 0; i < s->n && rc == 0; i++) {
		char said[ERR_MSG_MAX];
		struct err why = {0};

		// Whatever the card has against it, it is the file that is wrong.
		if (card_command(a, name, &s->commands[i], said, &why) != 0)
			rc = err_set(err, EINVAL, "%s", why.msg);
	}
	return rc;
}

// --- a condition ---------------------------------------------------------------------------------

static int load(const struct lab_cmd *cmd, struct lab_condition *c, struct err *err)
{
	const struct adapter_conf conf = {.name = LAB_CARD, .n_ports = 2, .place = adapter_nowhere};
	struct adapter *a = adapter_new(&conf, err);
	struct filling s = {.to = &c->filter};
	const struct lab_traffic *t = &cmd->traffic[0];
	int rc;

	if (a == NULL)
		return -err->code;
	if (cmd->o.n_traffic > 1 && c->family == 6)
		t = &cmd->traffic[1];
	rc = commands(a, c, err);
	if (rc == 0)
		adapter_walk(a, add_rule, &s);
	if (rc == 0 && s.failed)
		rc = err_set(err, ENOMEM, "no memory for the rules of %s", c->name);
	if (rc == 0 && cmd->device == DEVICE_LINUX)
		rc = export_nft(a, c, t, &c->filter.nft, err);
	adapter_free(a);
	return rc;
}

int lab_filter_load(const struct lab_cmd *cmd, struct lab_conditions *c, struct err *err)
{
	int rc = 0;

	for (unsigned i = 0; i < c->n && rc == 0; i++) {
		struct lab_condition *k = &c->list[i];

		if (k->filter.path[0] != '\0') {
			if (cmd->device == DEVICE_WIRE && k->setup[0] == '\0')
				return err_set(err, ENOTSUP,
					"%s: a box takes no rules from files; a setup.sh beside it "
					"must tell it those, and this says what to expect",
					k->filter.path);
			k->filter.script = text_read_file(k->filter.path, SCRIPT_MAX, NULL, err);
			if (k->filter.script == NULL)
				return -err->code;
		}
		if (k->filter.script != NULL)
			rc = load(cmd, k, err);
	}
	return rc;
}

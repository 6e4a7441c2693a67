// SPDX-License-Identifier: BSD-2-Clause
#include "lab/files.h"

#include "lab/sha256.h"

#include "base/text.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CONF_FILE_MAX = 1 << 20, CONF_DEPTH_MAX = 6, CONF_FILES_MAX = 500 };

// Writes a text, frees it, and notes its hash in list if that is not NULL.
static int put(struct folder *f, const char *rel, char *text, json_t *list, struct err *err)
{
	char hash[SHA256_TEXT];
	json_t *entry;
	int rc;

	if (text == NULL)
		return err_set(err, ENOMEM, "no memory for %s", rel);
	rc = f == NULL ? 0 : folder_write(f, rel, text, strlen(text), err);
	if (rc == 0 && list != NULL) {
		entry = json_object();
		json_object_set_new(entry, "path", json_string(rel));
		json_object_set_new(
			entry, "sha256", json_string(sha256_text(text, strlen(text), hash)));
		json_array_append_new(list, entry);
	}
	free(text);
	return rc;
}

static int copy_tree(struct folder *f, const char *from, const char *to, unsigned depth,
	json_t *list, struct err *err)
{
	DIR *d = opendir(from);
	struct dirent *e;
	int rc = 0;

	if (d == NULL)
		return err_set(err, errno, "%s: %s", from, strerror(errno));
	while (rc == 0 && (e = readdir(d)) != NULL) {
		char path[PATH_MAX], rel[PATH_MAX];
		struct stat st;

		if (e->d_name[0] == '.')
			continue;
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", from, e->d_name) >=
				sizeof(path) ||
			(size_t)snprintf(rel, sizeof(rel), "%s/%s", to, e->d_name) >= sizeof(rel))
			rc = err_set(
				err, ENAMETOOLONG, "%s/%s: the name is too long", from, e->d_name);
		else if (stat(path, &st) != 0)
			rc = err_set(err, errno, "%s: %s", path, strerror(errno));
		else if (json_array_size(list) >= CONF_FILES_MAX || depth > CONF_DEPTH_MAX)
			rc = err_set(err, E2BIG, "%s: more files than a condition can have", path);
		else if (S_ISDIR(st.st_mode))
			rc = copy_tree(f, path, rel, depth + 1, list, err);
		else if (S_ISREG(st.st_mode)) {
			char *text = text_read_file(path, CONF_FILE_MAX, NULL, err);

			rc = text == NULL ? -err->code : put(f, rel, text, list, err);
		}
	}
	closedir(d);
	return rc;
}

int lab_files_conf(struct folder *f, const struct lab_conditions *c, void *list, struct err *err)
{
	for (unsigned i = 0; i < c->n; i++) {
		const struct lab_condition *k = &c->list[i];
		char rel[LAB_NAME_MAX + 32], base[PATH_MAX];
		struct stat st;
		int rc;

		snprintf(rel, sizeof(rel), "conf/%s", k->name);
		if (k->dir[0] == '\0') {
			snprintf(rel, sizeof(rel), "conf/%s/rc.conf", k->name);
			rc = put(f, rel, strdup(lab_builtin_rc), list, err);
			snprintf(rel, sizeof(rel), "conf/%s/sysctl.conf", k->name);
			if (rc == 0)
				rc = put(f, rel, strdup(lab_builtin_sysctl), list, err);
			snprintf(rel, sizeof(rel), "conf/%s/%s", k->name, CONF_SCRIPT);
			if (rc == 0 && k->filter.script != NULL)
				rc = put(f, rel, strdup(k->filter.script), list, err);
		} else {
			rc = copy_tree(f, k->dir, rel, 0, list, err);
			snprintf(base, sizeof(base), "%.*s/base",
				(int)(strlen(k->dir) - strlen(k->name) - 1), k->dir);
			if (rc == 0 && i == 0 && stat(base, &st) == 0)
				rc = copy_tree(f, base, "conf/base", 0, list, err);
		}
		if (rc != 0)
			return rc;
	}
	return 0;
}

int lab_files_check(const struct lab_conditions *c, struct err *err)
{
	json_t *list = json_array();
	int rc = list == NULL ? err_set(err, ENOMEM, "no memory for the list of files")
			      : lab_files_conf(NULL, c, list, err);

	json_decref(list);
	return rc;
}

static json_t *traffic(const struct lab_options *o)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < o->n_traffic; i++) {
		const struct gen_conf *g = &o->traffic[i].gen;
		char text[GEN_RANGE_TEXT_MAX];
		json_t *t = json_object();

		json_object_set_new(t, "family", json_integer(o->traffic[i].family));
		json_object_set_new(t, "src", json_string(gen_range_text(&g->src, text)));
		json_object_set_new(t, "dst", json_string(gen_range_text(&g->dst, text)));
		json_object_set_new(t, "len_bytes_without_crc", json_integer(g->len));
		json_object_set_new(t, "rate_pps", json_integer((json_int_t)g->rate_pps));
		json_object_set_new(t, "flows", json_integer((json_int_t)gen_conf_flows(g)));
		json_array_append_new(a, t);
	}
	return a;
}

// The plan and the hashes of all that was put in.
static char *manifest(const struct lab_results *r, const struct lab_options *o, json_t *files)
{
	json_t *m = json_object(), *arms = json_array(), *rules = json_object();
	char seed[24], *text;

	snprintf(seed, sizeof(seed), "0x%" PRIx64, r->seed);
	for (unsigned i = 0; i < r->n_arms; i++)
		json_array_append_new(arms, json_string(r->arm[i].name));
	json_object_set_new(m, "schema", json_integer(LAB_SCHEMA));
	json_object_set_new(m, "name", json_string(r->name));
	json_object_set_new(m, "utc", json_string(r->utc));
	json_object_set_new(m, "weir", json_string(r->version));
	json_object_set_new(m, "command", json_string(r->command));
	json_object_set_new(m, "device", json_string(r->dut));
	json_object_set_new(m, "tester", json_string(r->tester));
	json_object_set_new(m, "environment", json_string(r->env));
	json_object_set_new(m, "processor", json_string(r->machine.model));
	json_object_set_new(m, "kernel", json_string(r->machine.kernel));
	json_object_set_new(m, "distribution", json_string(r->machine.distro));
	json_object_set_new(m, "seed", json_string(seed));
	json_object_set_new(m, "runs_per_arm", json_integer(o->n_runs));
	json_object_set_new(m, "order",
		json_string("blocks of one run of every arm in random order, every second block "
			    "the one before in reverse"));
	json_object_set_new(m, "arms", arms);
	for (unsigned i = 0; i < r->n_filters; i++)
		json_object_set_new(
			rules, r->arm[r->filter[i].arm].name, json_integer(r->filter[i].n_rules));
	json_object_set_new(m, "filter_rules", rules);
	json_object_set_new(m, "warm_up_s", json_real(o->warm_s));
	json_object_set_new(m, "run_s", json_real(r->run_seconds));
	json_object_set_new(m, "interval_s", json_real(r->window_seconds));
	json_object_set_new(m, "margin", json_real(r->margin));
	json_object_set_new(m, "traffic", traffic(o));
	json_object_set(m, "files", files);
	text = json_dumps(m, JSON_INDENT(1) | JSON_REAL_PRECISION(10));
	json_decref(m);
	return text;
}

static int put_pps(struct folder *f, const struct lab_results *r, json_t *list, struct err *err)
{
	int rc = 0;

	for (unsigned i = 0; i < r->n_arms && rc == 0; i++) {
		char rel[LAB_NAME_MAX + 8];

		snprintf(rel, sizeof(rel), "%s.pps", r->arm[i].name);
		for (char *p = rel; *p != '\0'; p++)
			if (isspace((unsigned char)*p) || *p == '/')
				*p = '-';
		for (char *p; (p = strchr(rel, ',')) != NULL;) // "15 rules, first"
			memmove(p, p + 1, strlen(p));
		rc = put(f, rel, lab_pps_text(r, i), list, err);
	}
	return rc;
}

int lab_files(struct folder *f, const struct lab_results *r, const struct lab_conditions *c,
	const struct lab_options *o, struct err *err)
{
	json_t *list = json_array();
	int rc = list == NULL ? err_set(err, ENOMEM, "no memory for the manifest") : 0;

	if (rc == 0)
		rc = lab_files_conf(f, c, list, err);
	if (rc == 0)
		rc = put(f, "results.json", lab_results_json(r), list, err);
	if (rc == 0)
		rc = put(f, "samples.jsonl", lab_samples_text(r), list, err);
	if (rc == 0)
		rc = put(f, "results.csv", lab_csv_text(r), list, err);
	if (rc == 0)
		rc = put_pps(f, r, list, err);
	if (rc == 0)
		rc = put(f, "compare.ministat", lab_ministat_text(r), list, err);
	if (rc == 0)
		rc = put(f, "report.txt", lab_report_text(r), list, err);
	if (rc == 0)
		rc = put(f, "report.html", lab_report_html(r), NULL, err); // can be made again
	if (rc == 0)
		rc = put(f, "manifest.json", manifest(r, o, list), NULL, err);
	json_decref(list);
	return rc;
}

int lab_report_again(const char *folder, struct lab_results *r, struct err *err)
{
	char path[PATH_MAX];
	char *text[2];
	int rc;

	snprintf(path, sizeof(path), "%.*s/results.json", PATH_MAX - 32, folder);
	rc = lab_results_read(path, r, err);
	if (rc != 0)
		return rc;
	text[0] = lab_report_text(r);
	text[1] = lab_report_html(r);
	for (unsigned i = 0; i < 2 && rc == 0; i++) {
		snprintf(path, sizeof(path), "%.*s/report.%s", PATH_MAX - 32, folder,
			i == 0 ? "txt" : "html");
		rc = text[i] == NULL ? err_set(err, ENOMEM, "no memory for %s", path)
				     : text_write_file(path, text[i], strlen(text[i]), err);
	}
	free(text[0]);
	free(text[1]);
	if (rc != 0)
		lab_results_free(r);
	return rc;
}

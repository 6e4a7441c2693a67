// SPDX-License-Identifier: BSD-2-Clause
#include "lab/condition_hint.h"

#include "conf/conf.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool condition_named(const char *dir, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	if (name[0] == '.' || strcmp(name, "base") == 0)
		return false;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

// Whether the files of a condition, or of a base, are there.
static bool has_files(const char *dir)
{
	static const char *const names[] = {"rc.conf", "sysctl.conf", "loader.conf", "etc/rc.conf",
		"etc/sysctl.conf", "boot/loader.conf", "setup.sh", CONF_SCRIPT};
	char path[PATH_MAX];

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

// Whether a folder in it has them; etc and boot are parts of one condition.
static bool holds_conditions(const char *dir)
{
	DIR *d = opendir(dir);
	const struct dirent *e;
	bool found = false;

	while (d != NULL && !found && (e = readdir(d)) != NULL) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		found = condition_named(dir, e->d_name) && strcmp(e->d_name, "etc") != 0 &&
			strcmp(e->d_name, "boot") != 0 && has_files(path);
	}
	if (d != NULL)
		closedir(d);
	return found;
}

// The folders in dir that pass, with dir in front of each if with_dir.
static unsigned list(
	const char *dir, bool (*pass)(const char *), bool with_dir, char *out, unsigned size)
{
	struct dirent **entry = NULL;
	int n = scandir(dir, &entry, NULL, alphasort);
	unsigned at = 0, found = 0;

	out[0] = '\0';
	for (int i = 0; i < n; i++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/%s", dir, entry[i]->d_name);
		if (condition_named(dir, entry[i]->d_name) && (pass == NULL || pass(path)) &&
			at < size) {
			at += (unsigned)snprintf(out + at, size - at, "%s%s",
				found++ > 0 ? ", " : "", with_dir ? path : entry[i]->d_name);
		}
		free(entry[i]);
	}
	free(entry);
	return found;
}

const char *condition_names(const char *dir, char *out, unsigned size)
{
	if (list(dir, NULL, false, out, size) == 0)
		snprintf(out, size, "none");
	return out;
}

int condition_hint(const char *dir, struct err *err)
{
	char labs[320];

	if (holds_conditions(dir))
		return -err->code;
	if (has_files(dir))
		return err_set(err, EINVAL,
			"%s: is the folder of one condition; the folder above it, which holds all "
			"that are to be compared, is what is asked for",
			dir);
	if (list(dir, holds_conditions, true, labs, sizeof(labs)) > 0)
		return err_set(err, EINVAL,
			"%s: no folder in it is a condition, but these hold some, give one of them: %s",
			dir, labs);
	return -err->code;
}

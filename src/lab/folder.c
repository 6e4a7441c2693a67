// SPDX-License-Identifier: BSD-2-Clause
#include "lab/folder.h"

#include "base/text.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NUMBER_MAX = 1000 };

static const char hidden[] = ".weir-partial-";

// The folder that holds the path: "runs/x" -> "runs", "x" -> ".", "/x" -> "/".
static void parent_of(const char *path, char out[PATH_MAX])
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		snprintf(out, PATH_MAX, ".");
	else if (slash == path)
		snprintf(out, PATH_MAX, "/");
	else
		snprintf(out, PATH_MAX, "%.*s", (int)(slash - path), path);
}

static void number(struct folder *f, unsigned n)
{
	snprintf(f->final + f->stem, sizeof(f->final) - f->stem, "-%u", n);
}

int folder_choose(
	struct folder *f, const char *want, const char *utc, const char *name, struct err *err)
{
	char parent[PATH_MAX], above[PATH_MAX];
	struct stat st;
	size_t len;

	*f = (struct folder){.lock = -1};
	if (want != NULL) {
		if (want[0] == '\0' || strlen(want) + sizeof(hidden) + 32 > PATH_MAX)
			return err_set(err, EINVAL, "'%s' cannot be a folder's name", want);
		snprintf(f->final, sizeof(f->final), "%s", want);
	} else {
		snprintf(f->final, sizeof(f->final), "runs/%s-%s", utc, name);
		for (char *p = f->final + strlen("runs/"); *p != '\0'; p++)
			if (!isalnum((unsigned char)*p) && strchr("-_.+", *p) == NULL)
				*p = '-';
	}
	for (len = strlen(f->final); len > 1 && f->final[len - 1] == '/'; len--)
		f->final[len - 1] = '\0';
	f->stem = want == NULL ? len : 0;
	for (unsigned n = 2; f->stem > 0 && n < NUMBER_MAX && lstat(f->final, &st) == 0; n++)
		number(f, n);
	if (lstat(f->final, &st) == 0)
		return err_set(
			err, EEXIST, "%s: already there; results never replace others", f->final);
	parent_of(f->final, parent);
	if (access(parent, W_OK | X_OK) == 0)
		return 0;
	parent_of(parent, above);
	if (errno == ENOENT && access(above, W_OK | X_OK) == 0)
		return 0;
	return err_set(
		err, errno, "%s: results cannot be written there: %s", f->final, strerror(errno));
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_tree(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

// Hidden folders nobody holds the lock of.
static void sweep(const char *parent)
{
	DIR *d = opendir(parent);
	struct dirent *e;
	char path[PATH_MAX];

	if (d == NULL)
		return;
	while ((e = readdir(d)) != NULL) {
		int fd;

		if (strncmp(e->d_name, hidden, strlen(hidden)) != 0 ||
			strlen(parent) + strlen(e->d_name) + 2 > sizeof(path))
			continue;
		snprintf(path, sizeof(path), "%s/%s", parent, e->d_name);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (fd < 0)
			continue;
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			remove_tree(path);
		close(fd);
	}
	closedir(d);
}

// A fresh hidden folder, locked.  Between making and locking it another process may sweep it away;
// then the next one is tried.
static int make_locked(struct folder *f, const char *parent, struct err *err)
{
	for (unsigned i = 0; i < 100; i++) {
		struct stat a, b;

		snprintf(f->partial, sizeof(f->partial), "%.*s/%s%d-%u", PATH_MAX - 64, parent,
			hidden, (int)getpid(), i);
		if (mkdir(f->partial, 0755) != 0) {
			if (errno == EEXIST)
				continue;
			break;
		}
		f->lock = open(f->partial, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (f->lock >= 0 && flock(f->lock, LOCK_EX | LOCK_NB) == 0 &&
			fstat(f->lock, &a) == 0 && stat(f->partial, &b) == 0 &&
			a.st_ino == b.st_ino)
			return 0;
		if (f->lock >= 0)
			close(f->lock);
		f->lock = -1;
	}
	f->partial[0] = '\0';
	return err_set(
		err, errno, "%s: a folder cannot be made there: %s", parent, strerror(errno));
}

int folder_begin(struct folder *f, struct err *err)
{
	char parent[PATH_MAX];
	int rc;

	parent_of(f->final, parent);
	if (mkdir(parent, 0755) == 0)
		f->made_parent = true;
	else if (errno != EEXIST)
		return err_set(err, errno, "%s: %s", parent, strerror(errno));
	sweep(parent);
	rc = make_locked(f, parent, err);
	if (rc != 0)
		folder_abort(f);
	return rc;
}

int folder_write(struct folder *f, const char *rel, const void *data, size_t len, struct err *err)
{
	char path[PATH_MAX];
	size_t top = strlen(f->partial) + 1;

	if (top + strlen(rel) >= sizeof(path))
		return err_set(err, ENAMETOOLONG, "%s: the name is too long", rel);
	snprintf(path, sizeof(path), "%s/%s", f->partial, rel);
	for (char *p = path + top; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		if (mkdir(path, 0755) != 0 && errno != EEXIST)
			return err_set(err, errno, "%s: %s", path, strerror(errno));
		*p = '/';
	}
	return text_write_file(path, data, len, err);
}

int folder_commit(struct folder *f, struct err *err)
{
	unsigned n = 2;

	while (renameat2(AT_FDCWD, f->partial, AT_FDCWD, f->final, RENAME_NOREPLACE) != 0) {
		if (errno == EEXIST && f->stem > 0 && n < NUMBER_MAX) {
			number(f, n++);
			continue;
		}
		err_set(err, errno, "%s: %s", f->final, strerror(errno));
		folder_abort(f);
		return -err->code;
	}
	close(f->lock);
	f->lock = -1;
	f->partial[0] = '\0';
	f->made_parent = false;
	return 0;
}

void folder_abort(struct folder *f)
{
	char parent[PATH_MAX];

	if (f->partial[0] != '\0')
		remove_tree(f->partial);
	if (f->lock >= 0)
		close(f->lock);
	f->partial[0] = '\0';
	f->lock = -1;
	if (f->made_parent) {
		parent_of(f->final, parent);
		rmdir(parent); // fails, as it should, if others have put something there
	}
	f->made_parent = false;
}

// SPDX-License-Identifier: BSD-2-Clause
// The socket's way into its folder and out of it.  Both happen under a lock on the folder: of two
// programs that start at once and find the same dead socket, only one replaces it.
#include "ctl/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BACKLOG = 64 };

static int refuse_taken(const char *name, const char *path, struct err *err)
{
	struct err why = {0};
	char unused[CTL_PATH_MAX];
	int fd = ctl_connect(name, unused, sizeof(unused), &why);

	if (fd >= 0) {
		close(fd);
		return err_set(err, EADDRINUSE,
			"a running program is called '%s' (it listens on %s)", name, path);
	}
	return why.code == ENOENT ? 0 : err_set(err, why.code, "%s", why.msg);
}

static int bind_at(const char *path, struct err *err)
{
	struct sockaddr_un at;
	struct stat st;
	int fd, e = ctl_address(path, &at, err);

	if (e != 0)
		return e;
	if (lstat(path, &st) == 0 && !S_ISSOCK(st.st_mode))
		return err_set(err, EEXIST, "%s: is there, and is no socket", path);
	unlink(path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	// The mode before bind is the mode of the file that bind makes.
	if (fd >= 0 && fchmod(fd, 0600) == 0 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 &&
		listen(fd, BACKLOG) == 0)
		return fd;
	e = errno;
	if (fd >= 0)
		close(fd);
	return err_set(err, e, "%s: %s", path, strerror(e));
}

int listen_open(struct listen *l, const char *name, struct err *err)
{
	char folder[CTL_PATH_MAX];
	struct stat st;
	int rc = ctl_path(name, l->path, sizeof(l->path), err), fd = -1;

	if (rc != 0)
		return rc;
	l->folder = ctl_folder_open(folder, sizeof(folder), err);
	if (l->folder < 0)
		return l->folder;
	flock(l->folder, LOCK_EX);
	rc = refuse_taken(name, l->path, err);
	if (rc == 0)
		rc = fd = bind_at(l->path, err);
	if (rc >= 0 && stat(l->path, &st) != 0)
		rc = err_set(err, errno, "%s: %s", l->path, strerror(errno));
	flock(l->folder, LOCK_UN);
	if (rc < 0) {
		if (fd >= 0)
			close(fd);
		close(l->folder);
		return rc;
	}
	l->dev = st.st_dev;
	l->ino = st.st_ino;
	l->fd = fd;
	return 0;
}

void listen_close(struct listen *l)
{
	struct stat st;

	flock(l->folder, LOCK_EX);
	if (stat(l->path, &st) == 0 && st.st_dev == l->dev && st.st_ino == l->ino)
		unlink(l->path);
	flock(l->folder, LOCK_UN);
	close(l->fd);
	close(l->folder);
}

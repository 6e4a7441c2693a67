// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static const char prefix[] = "weir-", suffix[] = ".sock";

int ctl_folder(char *out, size_t size, struct err *err)
{
	const char *own = getenv("WEIR_RUNTIME_DIR"), *xdg = getenv("XDG_RUNTIME_DIR");
	int n;

	if (own != NULL && own[0] != '\0')
		n = snprintf(out, size, "%s", own);
	else if (geteuid() == 0)
		n = snprintf(out, size, "/run/weir");
	else if (xdg != NULL && xdg[0] != '\0')
		n = snprintf(out, size, "%s/weir", xdg);
	else
		n = snprintf(out, size, "/tmp/weir-%u", (unsigned)geteuid());
	if (n < 0 || (size_t)n >= size)
		return err_set(err, ENAMETOOLONG, "the runtime folder's name is too long");
	return 0;
}

int ctl_path(const char *name, char *out, size_t size, struct err *err)
{
	int rc = ctl_folder(out, size, err), n;
	size_t at;

	if (rc != 0)
		return rc;
	if (name[0] == '\0' || name[0] == '.' || strchr(name, '/') != NULL ||
		strlen(name) > CTL_NAME_MAX)
		return err_set(err, EINVAL, "'%.80s' is no name of a running program", name);
	at = strlen(out);
	n = snprintf(out + at, size - at, "/%s%s%s", prefix, name, suffix);
	if (n < 0 || (size_t)n >= size - at)
		return err_set(err, ENAMETOOLONG, "the socket's path is too long: %.100s...", out);
	return 0;
}

int ctl_address(const char *path, struct sockaddr_un *out, struct err *err)
{
	*out = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof(out->sun_path))
		return err_set(err, ENAMETOOLONG,
			"%s: longer than the %zu bytes of a socket's path", path,
			sizeof(out->sun_path) - 1);
	memcpy(out->sun_path, path, strlen(path));
	return 0;
}

// In a folder that anybody can make (/tmp/weir-UID), who listens may be an impostor.  Root goes where
// it is told to.
static bool is_stranger(int fd)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) != 0)
		return true;
	return geteuid() != 0 && who.uid != 0 && who.uid != geteuid();
}

int ctl_connect(const char *name, char *path, size_t size, struct err *err)
{
	struct sockaddr_un to;
	int rc = ctl_path(name, path, size, err), fd, safe;

	if (rc == 0)
		rc = ctl_address(path, &to, err);
	if (rc != 0)
		return rc;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	// A program started with its standard output closed must not print into the socket.
	if (fd >= 0 && fd <= STDERR_FILENO) {
		safe = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		close(fd);
		fd = safe;
	}
	if (fd < 0)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0) {
		if (!is_stranger(fd))
			return fd;
		close(fd);
		return err_set(
			err, EPERM, "%s: the program that listens there is another user's", path);
	}
	rc = errno == ECONNREFUSED || errno == ENOTDIR ? ENOENT : errno;
	close(fd);
	if (rc == ENOENT)
		return err_set(err, ENOENT,
			"no running program is called '%s' (nobody listens on %s)", name, path);
	return err_set(err, rc, "%s: %s", path, strerror(rc));
}

int ctl_folder_open(char *folder, size_t size, struct err *err)
{
	int rc = ctl_folder(folder, size, err), fd;
	struct stat st;

	if (rc != 0)
		return rc;
	if (mkdir(folder, 0700) != 0 && errno != EEXIST)
		return err_set(err, errno, "%s: %s (WEIR_RUNTIME_DIR names another folder)", folder,
			strerror(errno));
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0) {
		rc = err_set(err, errno, "%s: %s", folder, strerror(errno));
		if (fd >= 0)
			close(fd);
		return rc;
	}
	if (st.st_uid == geteuid() && (st.st_mode & 077) == 0)
		return fd;
	close(fd);
	return err_set(err, EPERM,
		"%s: the folder for control sockets must be yours alone (owner uid %u, mode 0700), "
		"not of uid %u, mode %04o",
		folder, (unsigned)geteuid(), (unsigned)st.st_uid, (unsigned)st.st_mode & 07777);
}

// The name in "weir-NAME.sock".
static bool name_of(const char *file, char *out, size_t size)
{
	size_t len = strlen(file), edge = sizeof(prefix) - 1 + sizeof(suffix) - 1;

	if (len <= edge || len - edge >= size || strncmp(file, prefix, sizeof(prefix) - 1) != 0 ||
		strcmp(file + len - (sizeof(suffix) - 1), suffix) != 0)
		return false;
	memcpy(out, file + sizeof(prefix) - 1, len - edge);
	out[len - edge] = '\0';
	return true;
}

int ctl_each_name(void (*each)(void *arg, const char *name), void *arg, struct err *err)
{
	char folder[CTL_PATH_MAX], name[CTL_NAME_MAX + 1], path[CTL_PATH_MAX];
	struct dirent **list;
	int rc = ctl_folder(folder, sizeof(folder), err), n;

	if (rc != 0)
		return rc;
	n = scandir(folder, &list, NULL, alphasort);
	if (n < 0 && errno == ENOENT)
		return 0;
	if (n < 0)
		return err_set(err, errno, "%s: %s", folder, strerror(errno));
	for (int i = 0; i < n; i++) {
		int fd = name_of(list[i]->d_name, name, sizeof(name))
				 ? ctl_connect(name, path, sizeof(path), NULL)
				 : -1;

		free(list[i]);
		if (fd < 0)
			continue;
		close(fd);
		each(arg, name);
	}
	free(list);
	return 0;
}

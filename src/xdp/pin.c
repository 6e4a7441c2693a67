// SPDX-License-Identifier: BSD-2-Clause
#include "xdp/pin.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

static const char own[] = "/sys/fs/bpf";
// `ip netns exec` mounts a /sys of its own over the one that everybody sees.
static const char init_own[] = "/proc/1/root/sys/fs/bpf";

static bool is_bpffs(const char *path)
{
	struct statfs fs;

	return statfs(path, &fs) == 0 && (unsigned long)fs.f_type == BPF_FS_MAGIC;
}

static bool same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

// Whether what is mounted here outlives the command: in the mount namespace of process 1, or where we may not
// ask for that, of whoever started us.
static bool mounts_stay(void)
{
	struct stat self, other;
	char parent[32];

	if (stat("/proc/self/ns/mnt", &self) != 0)
		return true;
	if (stat("/proc/1/ns/mnt", &other) == 0)
		return same(&self, &other);
	snprintf(parent, sizeof(parent), "/proc/%d/ns/mnt", (int)getppid());
	return stat(parent, &other) != 0 || same(&self, &other);
}

static int mount_bpffs(struct err *err)
{
	if (!mounts_stay())
		return err_set(err, ENOENT,
			"no bpffs is mounted on %s, and one mounted from here would go with this "
			"command's mount namespace: mount -t bpf bpf %s, outside of it",
			own, own);
	if (mount("bpf", own, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0700") != 0)
		return err_set(err, errno, "mounting bpffs on %s: %s", own, strerror(errno));
	return 0;
}

int pin_root(bool make, char out[PIN_PATH_MAX], bool *mounted, struct err *err)
{
	const char *at = is_bpffs(own) ? own : is_bpffs(init_own) ? init_own : NULL;
	int rc;

	if (mounted != NULL)
		*mounted = false;
	if (at == NULL) {
		if (!make)
			return -ENOENT;
		rc = mount_bpffs(err);
		if (rc != 0)
			return rc;
		at = own;
		if (mounted != NULL)
			*mounted = true;
	}
	snprintf(out, PIN_PATH_MAX, "%s/weir", at);
	if (make && mkdir(out, 0700) != 0 && errno != EEXIST)
		return err_set(err, errno, "%s: %s", out, strerror(errno));
	return 0;
}

const char *pin_path(char out[PIN_PATH_MAX], const char *dir, const char *file)
{
	snprintf(out, PIN_PATH_MAX, "%s/%s", dir, file);
	return out;
}

int pin_lock(const char *dir, bool wait)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;
	struct stat locked, there;

	if (fd < 0)
		return -errno;
	do
		rc = flock(fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB);
	while (rc != 0 && errno == EINTR);
	if (rc != 0) {
		rc = -errno;
	} else if (fstat(fd, &locked) != 0 || stat(dir, &there) != 0 || !same(&locked, &there)) {
		rc = -ENOENT;
	}
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

int pin_remove(const char *dir)
{
	char path[PIN_PATH_MAX];
	DIR *d = opendir(dir);
	struct dirent *e;
	int rc = 0;

	if (d == NULL)
		return errno == ENOENT ? 0 : -errno;
	while ((e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (unlink(pin_path(path, dir, e->d_name)) != 0 && rc == 0)
			rc = -errno;
	}
	closedir(d);
	if (rmdir(dir) != 0 && rc == 0)
		rc = -errno;
	return rc;
}

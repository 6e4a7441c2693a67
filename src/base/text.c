// SPDX-License-Identifier: BSD-2-Clause
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int text_u64(const char *text, uint64_t max, uint64_t *out, struct err *err)
{
	uint64_t v = 0;

	if (*text == '\0')
		return err_set(err, EINVAL, "a number is missing");
	for (const char *p = text; *p != '\0'; p++) {
		if (*p < '0' || *p > '9')
			return err_set(err, EINVAL, "'%s' is not a whole number", text);
		if (__builtin_mul_overflow(v, 10, &v) ||
			__builtin_add_overflow(v, (uint64_t)(*p - '0'), &v) || v > max)
			return err_set(
				err, ERANGE, "%s is more than %llu", text, (unsigned long long)max);
	}
	*out = v;
	return 0;
}

double text_shown(double v, unsigned decimals)
{
	double half = 0.5;

	while (decimals-- > 0)
		half /= 10;
	return v <= 0 && v >= -half ? 0 : v;
}

// A pipe without a writer is refused instead of waited for.
static FILE *open_text(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	FILE *f;

	if (fd >= 0 && fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))) {
		close(fd);
		err_set(err, EINVAL, "%s: not a regular file", path);
		return NULL;
	}
	f = fd < 0 ? NULL : fdopen(fd, "r");
	if (f == NULL) {
		err_set(err, errno, "%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
	}
	return f;
}

char *text_read_file(const char *path, size_t max, size_t *len, struct err *err)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : open_text(path, err);
	char *buf = NULL, *more;
	size_t n = 0, room = 0;

	if (f == NULL)
		return NULL;
	for (;;) {
		if (room - n < 2) {
			room = room == 0 ? 4096 : room * 2;
			more = realloc(buf, room);
			if (more == NULL) {
				err_set(err, ENOMEM, "%s: out of memory", path);
				goto fail;
			}
			buf = more;
		}
		size_t got = fread(buf + n, 1, room - n - 1, f);

		n += got;
		if (n > max) {
			err_set(err, EFBIG, "%s: larger than %zu bytes", path, max);
			goto fail;
		}
		if (got == 0)
			break;
	}
	if (ferror(f)) {
		err_set(err, errno, "%s: %s", path, strerror(errno));
		goto fail;
	}
	if (memchr(buf, '\0', n) != NULL) {
		err_set(err, EINVAL, "%s: holds a NUL byte, so it is not a text file", path);
		goto fail;
	}
	buf[n] = '\0';
	if (len != NULL)
		*len = n;
	if (f != stdin)
		fclose(f);
	return buf;
fail:
	free(buf);
	if (f != stdin)
		fclose(f);
	return NULL;
}

int text_write_file(const char *path, const void *data, size_t len, struct err *err)
{
	char tmp[4096];
	int fd, e;
	size_t done = 0;
	struct stat old;
	// A file that some cannot read stays so.
	mode_t mode = lstat(path, &old) == 0 && S_ISREG(old.st_mode) ? old.st_mode & 0777 : 0644;

	if (snprintf(tmp, sizeof(tmp), "%s.XXXXXX", path) >= (int)sizeof(tmp))
		return err_set(err, ENAMETOOLONG, "%s: the path is too long", path);
	fd = mkstemp(tmp);
	if (fd < 0)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	while (done < len) {
		ssize_t n = write(fd, (const char *)data + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			goto fail;
		done += (size_t)n;
	}
	if (fchmod(fd, mode) != 0 || fsync(fd) != 0)
		goto fail;
	if (close(fd) != 0 || rename(tmp, path) != 0) {
		e = errno;
		unlink(tmp);
		return err_set(err, e, "%s: %s", path, strerror(e));
	}
	return 0;
fail:
	e = errno;
	close(fd);
	unlink(tmp);
	return err_set(err, e, "%s: %s", path, strerror(e));
}

// SPDX-License-Identifier: BSD-2-Clause
// pcap.h - capture files: a whole one into memory, and writing one.
// Classic pcap with microseconds or nanoseconds, and pcapng, as far as libpcap reads them;
// Ethernet only.
#pragma once

#include "base/err.h"

#include <stdint.h>

struct pcapfile_frame {
	uint64_t t_ns;       // since 1970, or since whatever the file's writer counted from
	uint32_t len;        // bytes at data
	uint32_t wire_len;   // the frame's length on the wire, above len where the capture cut it
	const uint8_t *data; // belongs to the struct pcapfile
};

struct pcapfile {
	uint32_t n;
	struct pcapfile_frame *frames; // in the file's order
	void *bytes;                   // what the frames' data point into
};

// Reads the capture at path.  Success with n = 0 if it holds no frame.  -errno of the system,
// -EINVAL: not a capture, another link type, or cut off in the middle; the sentence names the file
// and for a bad frame its number, from 1.  *out is untouched on failure.
int pcapfile_read(const char *path, struct pcapfile *out, struct err *err);

// The same from len bytes of memory; `name` is for the sentences.
int pcapfile_read_memory(const char *name, const void *data, unsigned long len,
	struct pcapfile *out, struct err *err);

void pcapfile_free(struct pcapfile *p);

struct pcapfile_writer;

// Makes or empties the file at path; timestamps are written in nanoseconds.  NULL with *err set.
struct pcapfile_writer *pcapfile_create(const char *path, struct err *err);

// Appends a frame.  A failed write is reported by pcapfile_close.
void pcapfile_put(struct pcapfile_writer *w, uint64_t t_ns, const void *frame, uint32_t len);

// Writes out what is buffered and closes; w is freed in any case.  0 or -errno: the file then
// lacks frames.
int pcapfile_close(struct pcapfile_writer *w, struct err *err);

// SPDX-License-Identifier: BSD-2-Clause
// sha256.h - FIPS 180-4, for the manifest's file hashes.
#pragma once

#include <stddef.h>

enum { SHA256_TEXT = 65 };

// The hash of len bytes as 64 hex digits and a NUL, into out, which it returns.
const char *sha256_text(const void *data, size_t len, char *out);

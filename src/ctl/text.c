// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/ctl.h"

#include <stdlib.h>
#include <string.h>

// Each byte as the character of its number; malloc'd.
static char *widen(const char *text)
{
	char *wide = malloc(strlen(text) * 2 + 1), *out = wide;

	if (wide == NULL)
		return NULL;
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;

		if (c >= 0x80) {
			*out++ = (char)(0xc0 | c >> 6);
			c = 0x80 | (c & 0x3f);
		}
		*out++ = (char)c;
	}
	*out = '\0';
	return wide;
}

void ctl_text_set(json_t *object, const char *key, const char *text)
{
	json_t *s = json_string(text);
	char *wide;

	if (s == NULL && (wide = widen(text)) != NULL) {
		s = json_string(wide);
		free(wide);
		json_object_set_new(object, "bytes", json_true());
	}
	json_object_set_new(object, key, s);
}

char *ctl_text_get(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));
	char *text = s != NULL ? strdup(s) : NULL, *out = text;

	if (text == NULL || !json_is_true(json_object_get(object, "bytes")))
		return text;
	for (; *s != '\0'; s++) {
		unsigned char c = (unsigned char)*s;

		if (c >= 0xc0 && s[1] != '\0')
			c = (unsigned char)(c << 6 | (*++s & 0x3f));
		*out++ = (char)c;
	}
	*out = '\0';
	return text;
}

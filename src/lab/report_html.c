// SPDX-License-Identifier: BSD-2-Clause
#include "lab/report.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

// The character at p, and its length in bytes; 0 as length if there is no valid one (RFC 3629).
static unsigned utf8(const unsigned char *p, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned n = *p < 0x80                 ? 1
		     : *p >= 0xc2 && *p < 0xe0 ? 2
		     : (*p & 0xf0) == 0xe0     ? 3
		     : *p >= 0xf0 && *p < 0xf5 ? 4
					       : 0;

	if (n < 2) {
		*code = *p;
		return n;
	}
	*code = *p & (0x7fu >> n);
	for (unsigned i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (p[i] & 0x3fu);
	}
	if (*code < least[n] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return n;
}

static bool is_harmful(uint32_t c)
{
	return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0) ||
	       (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x200e ||
	       c == 0x200f;
}

static void escaped(FILE *f, const char *text, size_t len)
{
	const unsigned char *p = (const unsigned char *)text, *end = p + len;

	while (p < end) {
		uint32_t c;
		unsigned n = utf8(p, &c);

		if (n == 0 || is_harmful(c))
			fputs("\xef\xbf\xbd", f);
		else if (c == '&')
			fputs("&amp;", f);
		else if (c == '<')
			fputs("&lt;", f);
		else if (c == '>')
			fputs("&gt;", f);
		else if (c == '"')
			fputs("&quot;", f);
		else if (c == '\'')
			fputs("&#39;", f);
		else
			fwrite(p, 1, n, f);
		p += n == 0 ? 1 : n;
	}
}

void html_text(FILE *f, const char *text)
{
	escaped(f, text, strlen(text));
}

void html_shell_word(FILE *f, const char *text)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				   "_-./:=,+@%";
	const char *quote;

	if (text[0] != '\0' && strspn(text, safe) == strlen(text)) {
		html_text(f, text);
		return;
	}
	fputs("&#39;", f);
	for (; (quote = strchr(text, '\'')) != NULL; text = quote + 1) {
		escaped(f, text, (size_t)(quote - text));
		fputs("&#39;\\&#39;&#39;", f);
	}
	html_text(f, text);
	fputs("&#39;", f);
}

void html_count(FILE *f, uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);

	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			fputs("\xe2\x80\xaf", f); // narrow no-break space
		putc(digits[i], f);
	}
}

void html_number(FILE *f, double v, int decimals)
{
	if (isfinite(v))
		fprintf(f, "%.*f", decimals, v);
	else
		fputs("n/a", f);
}

void html_percent(FILE *f, double share, int decimals)
{
	if (isfinite(share))
		fprintf(f, "%.*f\xc2\xa0%%", decimals, share * 100);
	else
		fputs("n/a", f);
}

void html_percent_short(FILE *f, double share)
{
	if (isfinite(share))
		fprintf(f, "%g\xc2\xa0%%", share * 100);
	else
		fputs("n/a", f);
}

void html_change(FILE *f, double share)
{
	if (isfinite(share))
		fprintf(f, "%s%.2f\xc2\xa0%%",
			text_shown(share * 100, 2) < 0 ? "\xe2\x88\x92" : "+", fabs(share) * 100);
	else
		fputs("n/a", f);
}

void html_seconds(FILE *f, double s)
{
	if (!isfinite(s))
		fputs("n/a", f);
	else if (s < 60)
		fprintf(f, "%.3g s", s);
	else
		fprintf(f, "%.0f min %.0f s", floor(s / 60), s - 60 * floor(s / 60));
}

const char *html_s(uint64_t n)
{
	return n == 1 ? "" : "s";
}

// SPDX-License-Identifier: BSD-2-Clause
#include "lab/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// NIST's example values for SHA-256.
static void known_messages_give_the_published_hashes(void **state)
{
	static const struct {
		const char *text, *hash;
	} cases[] = {
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
			"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	};
	char out[SHA256_TEXT], *million = malloc(1000000);

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(
			sha256_text(cases[i].text, strlen(cases[i].text), out), cases[i].hash);
	assert_non_null(million);
	memset(million, 'a', 1000000);
	assert_string_equal(sha256_text(million, 1000000, out),
		"cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(million);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_messages_give_the_published_hashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A walk over damaged files of all formats, the same each time: nothing crashes, what
 * is refused is told why, and what is taken holds what a result must hold. Worth most
 * under SAN=address.
 */
#include "mutate.h"
#include "read_holds.h"
#include "tap.h"

#include <dirent.h>

#include "../../ingest/format.h"

#define FOLDER "tests/data/formats"
#define ROUNDS 3000		/* FUZZ_ROUNDS=... for more, FUZZ_FILES=FOLDER for other files */
#define BYTES_MAX 32768

static struct arena *a;
/* One file, damaged again and again: as its own format, as what it looks like, as any other. */
static void damage(const char *name, const char *seed)
{
	static const char bytes[] = "0123456789.-+,;:|\"'#()[]{}%/= \t\r\n\x1b\xc2\xb5naNe*&!";
	char *text = arena_alloc(a, BYTES_MAX);
	const struct format *own = format_sniff(seed, strlen(seed));
	int rounds = getenv("FUZZ_ROUNDS") ? atoi(getenv("FUZZ_ROUNDS")) : ROUNDS;
	size_t n_formats = 0, good = 0;
	int bad = 0;

	while (format_table[n_formats].name)
		n_formats++;
	for (int i = 0; i < rounds && !bad; i++) {
		struct arena *round = arena_new(), *all = a;
		const char *format = "auto";
		bool taken;

		snprintf(text, BYTES_MAX, "%s", seed);
		for (int m = 1 + rand_r(&mutate_seed) % 6; m; m--)
			mutate(text, BYTES_MAX, bytes);
		if (i % 3 == 1 && own)
			format = own->name;
		else if (i % 30 == 2)
			format = format_table[1 + (size_t)rand_r(&mutate_seed) % (n_formats - 1)].name;
		a = round;
		if (!read_holds(a, text, strlen(text), format, &taken)) {
			printf("# %s as %s: %s\n%s\n", name, format, complaint, text);
			bad++;
		}
		a = all;
		good += taken;
		arena_free(round);
	}
	ok(!bad && good > (size_t)rounds / 100, "%s, damaged %d times: nothing crashes, all is told; %zu were good still", name,
	   rounds, good);
}

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

int main(void)
{
	struct dirent **files;
	const char *folder = getenv("FUZZ_FILES") ? getenv("FUZZ_FILES") : FOLDER;
	int n = scandir(folder, &files, visible, alphasort);

	a = arena_new();
	ok(n > 0, "%d files to damage", n);
	for (int i = 0; i < n; i++) {
		size_t len;
		char *seed = read_file(a, arena_printf(a, "%s/%s", folder, files[i]->d_name), &len);

		if (seed)
			damage(files[i]->d_name, seed);
		free(files[i]);
	}
	free(files);
	arena_free(a);
	return done();
}

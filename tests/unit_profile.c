/* Communication profiles: memory, files, and what is refused. */
#include "base/status.h"
#include "profile/profile.h"
#include "tests/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define HEAD \
	"# rollbench-profile-1\n# np: 4\n# complete: yes\nphase,kind,source,destination,count,bytes,size\n"

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

static void put(const char *name, const char *bytes, size_t size)
{
	FILE *to = fopen(path_of(name), "w");

	assert_non_null(to);
	assert_int_equal(fwrite(bytes, 1, size, to), size);
	assert_int_equal(fclose(to), 0);
}

static char *get(const char *name, size_t *size)
{
	FILE *from = fopen(path_of(name), "r");
	char *bytes = malloc(1 << 16);

	assert_non_null(from);
	*size = fread(bytes, 1, 1 << 16, from);
	assert_true(*size < 1 << 16);
	fclose(from);
	return bytes;
}

static struct profile example(void)
{
	struct profile p;

	profile_init(&p, 4);
	assert_int_equal(profile_set(&p, "program", "nothing"), RB_OK);
	assert_int_equal(profile_set(&p, "program", "a\nb: c"), RB_OK);
	assert_int_equal(profile_add_channel(&p, &(struct profile_channel){ 1, 3, 0, 2, 10 }),
			 RB_OK);
	assert_int_equal(profile_add_channel(&p, &(struct profile_channel){ 0, 0, 0, 1, 0 }),
			 RB_OK);
	assert_int_equal(profile_add_channel(&p, &(struct profile_channel){ 1, 3, 0, 1, 5 }),
			 RB_OK);
	assert_int_equal(
		profile_add_channel(&p, &(struct profile_channel){ -1, 2, 1, 1, 1L << 40 }), RB_OK);
	assert_int_equal(profile_add_channel(&p, &(struct profile_channel){ 0, 3, 0, 1, 5 }),
			 RB_OK);
	assert_int_equal(
		profile_add_collective(&p, &(struct profile_collective){ 0, 1, 4, "bcast", 1, 0 }),
		RB_OK);
	assert_int_equal(
		profile_add_collective(&p, &(struct profile_collective){ 0, 1, 2, "bcast", 1, 7 }),
		RB_OK);
	assert_int_equal(
		profile_add_collective(&p, &(struct profile_collective){ 0, 1, 4, "bcast", 2, 8 }),
		RB_OK);
	assert_int_equal(profile_add_collective(
				 &p, &(struct profile_collective){ 0, 3, 4, "alltoall", 1, 9 }),
			 RB_OK);
	profile_sort(&p);
	return p;
}

static const char expected[] =
	"# rollbench-profile-1\n# np: 4\n# program: a b: c\n# complete: yes\n"
	"phase,kind,source,destination,count,bytes,size\n"
	"-1,p2p,2,1,1,1099511627776,\n"
	"0,p2p,0,0,1,0,\n"
	"0,p2p,3,0,1,5,\n"
	"0,alltoall,3,,1,9,4\n"
	"0,bcast,1,,1,7,2\n"
	"0,bcast,1,,3,8,4\n"
	"1,p2p,3,0,3,15,\n"
	"# end of 7 rows\n";

static void assert_same(const struct profile *a, const struct profile *b)
{
	char *text[2];
	size_t size[2];

	for (int i = 0; i < 2; i++) {
		FILE *to = open_memstream(&text[i], &size[i]);

		profile_print(i ? b : a, to);
		fclose(to);
	}
	assert_string_equal(text[0], text[1]);
	free(text[0]);
	free(text[1]);
}

static void a_file_is_what_was_written(void **state)
{
	struct profile p = example(), back;
	struct rb_error err;
	size_t size;
	char *text;

	(void)state;
	for (int compressed = 0; compressed < 2; compressed++) {
		const char *name = compressed ? "p.csv.gz" : "p.csv";

		assert_int_equal(profile_write(&p, path_of(name), &err), RB_OK);
		assert_int_equal(profile_read(&back, path_of(name), 4, &err), RB_OK);
		assert_string_equal(profile_get(&back, "program"), "a b: c");
		assert_null(profile_get(&back, "host"));
		assert_null(back.incomplete);
		assert_same(&p, &back);
		profile_free(&back);
	}
	text = get("p.csv", &size);
	text[size] = '\0';
	assert_string_equal(text, expected);
	free(text);
	text = get("p.csv.gz", &size);
	assert_int_equal((unsigned char)text[0], 0x1f);
	free(text);
	profile_free(&p);
}

static void what_is_missing_is_told(void **state)
{
	struct profile p = example(), back;
	struct rb_error err;

	(void)state;
	assert_int_equal(profile_set_incomplete(&p, "rank 3 called MPI_Abort"), RB_OK);
	assert_int_equal(profile_write(&p, path_of("i.csv"), &err), RB_OK);
	assert_int_equal(profile_read(&back, path_of("i.csv"), 0, &err), RB_OK);
	assert_string_equal(back.incomplete, "rank 3 called MPI_Abort");
	profile_free(&back);
	profile_free(&p);
}

static void phases_are_added_up_or_chosen(void **state)
{
	struct profile p = example(), one = example();
	struct rb_error err;

	(void)state;
	profile_sum_phases(&p);
	assert_int_equal(p.channels, 3);
	assert_int_equal(p.collectives, 3);
	assert_int_equal(p.channel[2].source, 3);
	assert_int_equal(p.channel[2].count, 4);
	assert_int_equal(p.channel[2].bytes, 20);
	assert_int_equal(profile_keep_phase(&one, 1, &err), RB_OK);
	assert_int_equal(one.channels, 1);
	assert_int_equal(one.collectives, 0);
	assert_int_equal(profile_keep_phase(&one, 2, &err), RB_EINVAL);
	profile_free(&p);
	profile_free(&one);
}

/* Each part of a file that is not the whole of it is refused, as text and compressed, and so is a
 * damaged one. */
static void truncated_files_are_refused(void **state)
{
	struct profile p = example(), back;
	struct rb_error err;
	size_t size;
	char *bytes;

	(void)state;
	for (int compressed = 0; compressed < 2; compressed++) {
		const char *name = compressed ? "t.csv.gz" : "t.csv";

		assert_int_equal(profile_write(&p, path_of(name), &err), RB_OK);
		bytes = get(name, &size);
		for (size_t n = 0; n < size; n++) {
			put("part", bytes, n);
			assert_int_equal(profile_read(&back, path_of("part"), 0, &err), RB_EINVAL);
			profile_free(&back);
		}
		put("part", bytes, size);
		assert_int_equal(profile_read(&back, path_of("part"), 0, &err), RB_OK);
		profile_free(&back);
		bytes[size / 2] ^= 4;
		put("part", bytes, size);
		if (compressed)
			assert_int_equal(profile_read(&back, path_of("part"), 0, &err), RB_EINVAL);
		if (compressed)
			profile_free(&back);
		free(bytes);
	}
	profile_free(&p);
}

/* Two members, one behind the other, are one file. */
static void members_are_joined(void **state)
{
	struct profile p = example(), back;
	struct rb_error err;
	char command[512];

	(void)state;
	assert_int_equal(profile_write(&p, path_of("m.csv"), &err), RB_OK);
	snprintf(command, sizeof command,
		 "cd '%s' && { head -c 50 m.csv | gzip; tail -c +51 m.csv | gzip; } >m.csv.gz",
		 dir);
	assert_int_equal(system(command), 0);
	assert_int_equal(profile_read(&back, path_of("m.csv.gz"), 0, &err), RB_OK);
	assert_same(&p, &back);
	profile_free(&back);
	profile_free(&p);
}

static void bad_files_are_refused(void **state)
{
	static const struct {
		const char *text, *told;
		int np;
	} bad[] = {
		{ "", "bad:1: not a profile", 0 },
		{ "role,bytes\n", "bad:1: not a profile", 0 },
		{ "# rollbench-profile-2\n",
		  "bad:1: version 2: this Rollbench reads version 1 only", 0 },
		{ "# rollbench-profile-1\n# np: 0\n",
		  "bad:2: np 0: expected a number of ranks from 1", 0 },
		{ "# rollbench-profile-1\n# complete: perhaps\n", "bad:2: complete: expected", 0 },
		{ "# rollbench-profile-1\n# np: 4\nphase,kind,source,destination,count,bytes,size\n",
		  "bad:3: a line", 0 },
		{ "# rollbench-profile-1\n# np: 4\n# complete: yes\nsource,destination\n",
		  "bad:4: expected the columns", 0 },
		{ HEAD "0,p2p,0,1,1,8,\n",
		  "bad:5: the line `# end of N rows` is missing: the file is truncated", 0 },
		{ HEAD "0,p2p,0,1,1,8,\n# end of 2 rows\n", "bad:6: 2 rows expected, 1 found", 0 },
		{ HEAD "# end of 0 rows\n0,p2p,0,1,1,8,\n", "bad:6: there is a row behind the end",
		  0 },
		{ HEAD "# end of 0 rows\n", "bad: a profile of 4 ranks, but 5 are asked for", 5 },
		{ HEAD "0,p2p,4,1,1,8,\n", "bad:5: source 4: expected a rank from 0 to 3", 0 },
		{ HEAD "0,p2p,0,4,1,8,\n", "bad:5: destination 4: expected a rank from 0 to 3", 0 },
		{ HEAD "0,p2p,0,-1,1,8,\n", "bad:5: destination -1: expected a rank from 0 to 3",
		  0 },
		{ HEAD "0,p2p,0,1,0,8,\n", "bad:5: count 0: expected a whole number from 1", 0 },
		{ HEAD "0,p2p,0,1,1,-8,\n", "bad:5: bytes -8: expected a whole number from 0", 0 },
		{ HEAD "0,p2p,0,1,1,8.5,\n", "bad:5: bytes 8.5: expected a whole number", 0 },
		{ HEAD "0,p2p,0,1,1,99999999999999999999,\n",
		  "bad:5: bytes 99999999999999999999: expected", 0 },
		{ HEAD "x,p2p,0,1,1,8,\n", "bad:5: phase x: expected a whole number", 0 },
		{ HEAD "0,p2p,0,1,1,8,4\n", "bad:5: size: expected nothing for kind p2p", 0 },
		{ HEAD "0,bcast,0,1,1,8,4\n",
		  "bad:5: destination: expected nothing for a collective", 0 },
		{ HEAD "0,bcast,0,,1,8,0\n", "bad:5: size 0: expected a whole number from 1", 0 },
		{ HEAD "0,B cast,0,,1,8,4\n", "bad:5: kind B cast: expected p2p or", 0 },
		{ HEAD "0,p2p,0,1,1,8\n", "bad:5: expected 7 columns", 0 },
		{ HEAD "0,p2p,0,1,1,8,,\n", "bad:5: expected 7 columns", 0 },
		{ HEAD "0,p2p,0,1,1,8,\n0,p2p,0,1,1,8,\n",
		  "bad:6: the row is not behind the one above it", 0 },
		{ HEAD "0,p2p,1,1,1,8,\n0,p2p,0,1,1,8,\n", "bad:6: the row is not behind", 0 },
		{ HEAD "1,p2p,0,1,1,8,\n0,p2p,1,1,1,8,\n", "bad:6: the row is not behind", 0 },
		{ HEAD "0,bcast,0,,1,8,4\n0,p2p,1,1,1,8,\n", "bad:6: the row is not behind", 0 },
		{ HEAD "1,p2p,0,1,1,8,\n0,bcast,0,,1,8,4\n", "bad:6: the row is not behind", 0 },
		{ HEAD "0,scan,0,,1,8,4\n0,bcast,1,,1,8,4\n", "bad:6: the row is not behind", 0 },
		{ HEAD "0,bcast,0,,1,8,4\n0,bcast,0,,1,8,2\n", "bad:6: the row is not behind", 0 },
	};
	struct profile p;
	struct rb_error err;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		put("bad", bad[i].text, strlen(bad[i].text));
		assert_int_equal(profile_read(&p, path_of("bad"), bad[i].np, &err), RB_EINVAL);
		if (!strstr(err.text, bad[i].told))
			fail_msg("case %zu: %s\nhas no: %s", i, err.text, bad[i].told);
		profile_free(&p);
	}
	assert_int_equal(profile_read(&p, path_of("nowhere"), 0, &err), RB_EIO);
	profile_free(&p);
}

static void what_cannot_be_written_is_told(void **state)
{
	struct profile p = example();
	struct rb_error err;

	(void)state;
	assert_int_equal(profile_write(&p, path_of("no/folder.csv"), &err), RB_EIO);
	assert_non_null(strstr(err.text, "no/folder.csv: No such file or directory"));
	profile_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_what_was_written),
		cmocka_unit_test(what_is_missing_is_told),
		cmocka_unit_test(phases_are_added_up_or_chosen),
		cmocka_unit_test(truncated_files_are_refused),
		cmocka_unit_test(members_are_joined),
		cmocka_unit_test(bad_files_are_refused),
		cmocka_unit_test(what_cannot_be_written_is_told),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

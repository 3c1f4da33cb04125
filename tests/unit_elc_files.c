/* Event-logging checkpoints: files of a line and its commit, damaged and of others. */
#include "elc/files/clean.h"
#include "elc/files/commit.h"
#include "elc/files/report.h"
#include "tests/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const struct elc_owner who = { "program", "events", 7, 2, 1 };

static void write_line(uint32_t *crc)
{
	char why[ELC_TEXT];

	assert_int_equal(elc_file_write(dir, &who, ELC_FILE_STATE,
					(struct elc_piece[]){ { "abc", 3 }, { "de", 2 } }, 2, crc,
					why),
			 0);
	assert_int_equal(elc_commit_write(dir, &who,
					  (struct elc_sums_of_rank[]){ { 1, 2 }, { *crc, 3 } },
					  why),
			 0);
}

/* Nothing but what was refused remains. */
static void remove_line(void)
{
	char why[ELC_TEXT];
	struct stat st;

	assert_int_equal(elc_clean(dir, 0, -1, why), 0);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_nlink, 2); /* no folder in it */
	assert_int_equal(elc_commit_newest(dir, INT64_MAX), 0);
	assert_int_equal(elc_commit_refuse(dir, 8), -1);
}

/* Change byte `at` of a file; at == bytes: cut off the last one. */
static void damage(const char *path, size_t at)
{
	size_t bytes;
	char *data = elc_read_whole(path, &bytes);

	assert_non_null(data);
	if (at < bytes)
		data[at] ^= 1;
	else
		bytes--;
	assert_int_equal(elc_write_durably(path, &(struct elc_piece){ data, bytes }, 1), 0);
	free(data);
}

static void each_damaged_byte_is_found(void **state)
{
	uint32_t crc;
	struct elc_sums_of_rank sums[2];
	char path[ELC_PATH], why[ELC_TEXT];
	size_t bytes, n;
	char *data;

	(void)state;
	write_line(&crc);
	data = elc_file_read(dir, &who, ELC_FILE_STATE, crc, &n, why);
	assert_non_null(data);
	assert_int_equal(n, 5);
	assert_memory_equal(data, "abcde", 5);
	free(data);
	for (int commit = 0; commit < 2; commit++) {
		if (commit)
			snprintf(path, sizeof path, "%s/line-7.commit", dir);
		else
			elc_file_path(path, dir, &who, ELC_FILE_STATE);
		free(elc_read_whole(path, &bytes));
		for (size_t at = 0; at <= bytes; at++) {
			char *whole = elc_read_whole(path, &n);

			damage(path, at);
			why[0] = '\0';
			if (commit)
				assert_int_equal(elc_commit_read(dir, &who, sums, why), -1);
			else
				assert_null(elc_file_read(dir, &who, ELC_FILE_STATE, crc, &n, why));
			assert_non_null(strstr(why, path));
			assert_int_equal(
				elc_write_durably(path, &(struct elc_piece){ whole, bytes }, 1), 0);
			free(whole);
		}
	}
	assert_int_equal(elc_commit_read(dir, &who, sums, why), 0);
	assert_int_equal(sums[1].state, crc);
	remove_line();
}

static void files_of_others_are_refused(void **state)
{
	struct elc_owner other = who;
	struct elc_sums_of_rank sums[3];
	char why[ELC_TEXT];
	uint32_t crc;
	size_t n;

	(void)state;
	write_line(&crc);
	assert_null(elc_file_read(dir, &who, ELC_FILE_STATE, crc + 1, &n, why));
	assert_non_null(strstr(why, "not the one that was committed"));
	strcpy(other.program, "another");
	assert_null(elc_file_read(dir, &other, ELC_FILE_STATE, crc, &n, why));
	assert_non_null(strstr(why, "another program"));
	assert_int_equal(elc_commit_read(dir, &other, sums, why), -1);
	assert_non_null(strstr(why, "another program"));
	other = who;
	other.np = 3;
	assert_null(elc_file_read(dir, &other, ELC_FILE_STATE, crc, &n, why));
	assert_non_null(strstr(why, "another number of processes"));
	assert_int_equal(elc_commit_read(dir, &other, sums, why), -1);
	assert_non_null(strstr(why, "another number of processes"));
	other = who;
	strcpy(other.protocol, "tagging");
	assert_null(elc_file_read(dir, &other, ELC_FILE_STATE, crc, &n, why));
	assert_non_null(strstr(why, "another protocol"));
	assert_int_equal(elc_commit_read(dir, &other, sums, why), -1);
	assert_non_null(
		strstr(why, "with ELC_PROTOCOL=events, and this one has ELC_PROTOCOL=tagging"));
	remove_line();
}

static void other_versions_are_refused_by_name(void **state)
{
	struct elc_sums_of_rank sums[2];
	char path[ELC_PATH], why[ELC_TEXT];
	uint32_t crc;
	size_t n;
	char *data;

	(void)state;
	write_line(&crc);
	snprintf(path, sizeof path, "%s/line-7.commit", dir);
	data = elc_read_whole(path, &n);
	data[strlen("elc-commit ")]++;
	assert_int_equal(elc_write_durably(path, &(struct elc_piece){ data, n }, 1), 0);
	free(data);
	assert_int_equal(elc_commit_read(dir, &who, sums, why), -1);
	assert_non_null(strstr(why, "is of version 6 of these files"));
	elc_file_path(path, dir, &who, ELC_FILE_STATE);
	data = elc_read_whole(path, &n);
	data[8]--; /* behind the 8 letters */
	assert_int_equal(elc_write_durably(path, &(struct elc_piece){ data, n }, 1), 0);
	free(data);
	assert_null(elc_file_read(dir, &who, ELC_FILE_STATE, crc, &n, why));
	assert_non_null(strstr(why, "is of version 4 of these files"));
	remove_line();
}

static void newest_commit_is_found(void **state)
{
	struct elc_owner next = who;
	char why[ELC_TEXT];
	uint32_t crc;

	(void)state;
	write_line(&crc);
	next.line = 8;
	assert_int_equal(elc_commit_write(dir, &next,
					  (struct elc_sums_of_rank[]){ { 1, 2 }, { 3, 4 } }, why),
			 0);
	assert_int_equal(elc_commit_newest(dir, INT64_MAX), 8);
	assert_int_equal(elc_commit_newest(dir, 8), 7);
	assert_int_equal(elc_commit_newest(dir, 7), 0);
	assert_int_equal(elc_commit_newest("no such folder", 7), -1);
	assert_int_equal(elc_commit_refuse(dir, 8), 0);
	assert_int_equal(elc_commit_newest(dir, INT64_MAX), 7);
	assert_int_equal(elc_clean(dir, 7, 8, why), 0);
	assert_int_equal(elc_commit_newest(dir, INT64_MAX), 7);
	remove_line();
}

static void reports_are_json_whatever_their_text_has(void **state)
{
	const struct elc_report r = { .np = 1,
				      .protocol = "events",
				      .log = "counted",
				      .refused = "a\"b\\c\n\xc3\xbc\xed\xa0\x80\xe2\x82",
				      .restored = -1,
				      .line = 7 };
	char prefix[ELC_PATH], path[ELC_PATH], why[ELC_TEXT];
	size_t n;
	char *text;

	(void)state;
	snprintf(prefix, sizeof prefix, "%s/report-", dir);
	assert_int_equal(elc_report_write(prefix, &r, why), 0);
	snprintf(path, sizeof path, "%s/report-0.json", dir);
	text = elc_read_whole(path, &n);
	assert_non_null(text);
	assert_non_null(strstr(text,
			       "\"killed\": null, \"refused\": \"a\\\"b\\\\c?\xc3\xbc?????\", "
			       "\"restored\": null, \"line\": 7, "));
	free(text);
	unlink(path);
	assert_int_equal(elc_report_write("/nowhere/", &r, why), -1);
	assert_non_null(strstr(why, "ELC_REPORT=/nowhere/: the report cannot be written"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_damaged_byte_is_found, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(files_of_others_are_refused, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(other_versions_are_refused_by_name, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(newest_commit_is_found, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(reports_are_json_whatever_their_text_has, make_dir,
						remove_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

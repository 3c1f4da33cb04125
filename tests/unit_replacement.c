/* Files that are written whole or not at all: what is replaced, what is written into, and that a
 * look before changes nothing. */
#include "base/replacement.h"
#include "base/whole.h"
#include "tests/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

static char paths[4][96];

static const char *in_dir(int i, const char *name)
{
	snprintf(paths[i], sizeof paths[i], "%s/%s", dir, name);
	return paths[i];
}

static void make(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void contains(const char *path, const char *text)
{
	char found[64];
	const int fd = open(path, O_RDONLY);
	ssize_t n;

	assert_true(fd >= 0);
	n = read(fd, found, sizeof found - 1);
	close(fd);
	assert_true(n >= 0);
	found[n] = '\0';
	assert_string_equal(found, text);
}

static mode_t kind(const char *path)
{
	struct stat is;

	assert_int_equal(lstat(path, &is), 0);
	return is.st_mode & S_IFMT;
}

static void replace(const char *path, const char *text)
{
	struct replacement r;

	assert_int_equal(replacement_open(&r, path), 0);
	assert_true(write_whole(r.fd, text, strlen(text)));
	assert_int_equal(replacement_close(&r), 0);
	assert_int_equal(replacement_place(&r), 0);
}

/* The folder has these files and no others. */
static void files(int expected)
{
	char command[128], line[16] = "";
	FILE *f;

	snprintf(command, sizeof command, "ls -A '%s' | wc -l", dir);
	f = popen(command, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof line, f));
	pclose(f);
	assert_int_equal(atoi(line), expected);
}

static void a_regular_file_is_replaced_when_all_is_written(void **state)
{
	const char *path = in_dir(0, "a");
	struct replacement r;
	struct stat is;

	(void)state;
	make(path, "old");
	chmod(path, 0640);
	assert_int_equal(replacement_open(&r, path), 0);
	assert_true(write_whole(r.fd, "new", 3));
	contains(path, "old");
	assert_int_equal(replacement_close(&r), 0);
	contains(path, "old");
	assert_int_equal(replacement_place(&r), 0);
	contains(path, "new");
	assert_int_equal(stat(path, &is), 0);
	assert_int_equal(is.st_mode & 0777, 0640);
	assert_int_equal(replacement_open(&r, path), 0);
	assert_true(write_whole(r.fd, "half", 4));
	replacement_discard(&r);
	contains(path, "new");
	files(1);
}

static void links_stay_links(void **state)
{
	(void)state;
	assert_int_equal(mkdir(in_dir(0, "there"), 0777), 0);
	make(in_dir(1, "there/a"), "old");
	assert_int_equal(symlink("there/a", in_dir(2, "first")), 0);
	assert_int_equal(symlink("first", in_dir(3, "second")), 0);
	replace(paths[3], "new");
	contains(paths[1], "new");
	assert_int_equal(kind(paths[3]), S_IFLNK);
	assert_int_equal(kind(paths[2]), S_IFLNK);
	/* nothing is there yet */
	assert_int_equal(unlink(paths[1]), 0);
	replace(paths[3], "again");
	contains(paths[1], "again");
	assert_int_equal(kind(paths[3]), S_IFLNK);
	files(3);
}

static void a_fifo_is_written_into(void **state)
{
	const char *path = in_dir(0, "fifo");
	int fd;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(replacement_probe(path), 0); /* waits for no reader */
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	replace(path, "text");
	contains(path, "text");
	close(fd);
	assert_int_equal(kind(path), S_IFIFO);
	files(1);
}

static void a_device_is_written_into(void **state)
{
	const char *path = in_dir(0, "null");

	(void)state;
	if (mknod(path, S_IFCHR | 0666, makedev(1, 3)) != 0 || access("/dev/null", W_OK) != 0)
		skip();
	if (open(path, O_WRONLY) < 0) /* a file system without devices */
		skip();
	assert_int_equal(replacement_probe(path), 0);
	replace(path, "text");
	assert_int_equal(kind(path), S_IFCHR);
}

/* Under whatever name: what was written before stays, and what comes later follows. */
static void standard_output_is_written_into(void **state)
{
	const char *path = in_dir(0, "out");
	const int before = dup(1), fd = open(path, O_WRONLY | O_CREAT, 0666);

	(void)state;
	fflush(stdout);
	assert_true(before >= 0 && fd >= 0);
	assert_int_equal(dup2(fd, 1), 1);
	fputs("one ", stdout);
	replace("/dev/stdout", "two ");
	replace(path, "three ");
	assert_int_equal(replacement_probe("/dev/stdout"), 0);
	fputs("four", stdout);
	fflush(stdout);
	dup2(before, 1);
	close(before);
	close(fd);
	contains(path, "one two three four");
	files(1);
}

static void a_look_changes_nothing(void **state)
{
	struct replacement r;

	(void)state;
	make(in_dir(0, "a"), "old");
	assert_int_equal(replacement_probe(paths[0]), 0);
	contains(paths[0], "old");
	assert_int_equal(replacement_probe(in_dir(1, "b")), 0);
	assert_int_equal(access(paths[1], F_OK), -1);
	assert_int_equal(replacement_probe(dir), -1);
	assert_int_equal(errno, EISDIR);
	assert_int_equal(replacement_open(&r, in_dir(2, "no/folder")), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(symlink("round", in_dir(3, "round")), 0);
	assert_int_equal(replacement_open(&r, paths[3]), -1);
	assert_int_equal(errno, ELOOP);
	files(2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_regular_file_is_replaced_when_all_is_written),
		TEST(links_stay_links),
		TEST(a_fifo_is_written_into),
		TEST(a_device_is_written_into),
		TEST(standard_output_is_written_into),
		TEST(a_look_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A checkpoint is accepted only if every bit of it is right; a failed write loses nothing. */
#include "base/status.h"
#include "ft/line/checkpoint.h"
#include "tests/folder.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <signal.h>

#include <cmocka.h>

static double vector[1000];
static int64_t counters[3];
static const struct kernel_region regions[] = {
	{ "vector", vector, sizeof vector },
	{ "counters", counters, sizeof counters },
};
static const struct image_id id = {
	.kernel = "cg", .params = "class=S", .np = 4, .role = 2, .iter = 25
};
static struct rb_error err;

static void fill(int seed)
{
	for (int i = 0; i < 1000; i++)
		vector[i] = seed + i / 3.0;
	counters[0] = counters[1] = counters[2] = seed;
}

static struct image image;

static int write_it(void)
{
	assert_int_equal(image_take(&image, &id, regions, 2), RB_OK);
	return checkpoint_write(dir, id.role, id.iter, &image, NULL, NULL, &err);
}

static int read_as(const struct image_id *who)
{
	int rc = checkpoint_read(dir, who, &image, &err);

	return rc == RB_OK ? image_load(&image, regions, 2, "image", &err) : rc;
}

static int read_it(void)
{
	return read_as(&id);
}

static void what_was_written_comes_back(void **state)
{
	(void)state;
	fill(1);
	assert_int_equal(write_it(), RB_OK);
	fill(2);
	assert_int_equal(read_it(), RB_OK);
	assert_int_equal(counters[2], 1);
	assert_memory_equal(&vector[999], &(double){ 1 + 999 / 3.0 }, sizeof(double));
}

static void absent_is_an_error_with_the_path(void **state)
{
	struct image_id other = id;

	(void)state;
	other.iter = 50;
	assert_int_equal(read_as(&other), RB_EIO);
	assert_non_null(strstr(err.text, "role.2.iter.50.ckpt"));
}

static void of_another_run_is_refused(void **state)
{
	char from[4096], to[4096];
	struct image_id other = id;

	(void)state;
	assert_int_equal(write_it(), RB_OK);
	snprintf(other.params, sizeof other.params, "class=W");
	assert_int_equal(read_as(&other), RB_ECORRUPT);
	other = id;
	other.role = 3;
	checkpoint_path(dir, 2, 25, from, sizeof from);
	checkpoint_path(dir, 3, 25, to, sizeof to);
	assert_int_equal(link(from, to), 0);
	assert_int_equal(read_as(&other), RB_ECORRUPT);
	unlink(to);
}

static void other_regions_are_refused(void **state)
{
	struct kernel_region other[2] = { regions[0], regions[1] };

	(void)state;
	assert_int_equal(write_it(), RB_OK);
	assert_int_equal(image_load(&image, regions, 1, "image", &err), RB_ECORRUPT);
	other[1].bytes -= 8;
	assert_int_equal(image_load(&image, other, 2, "image", &err), RB_ECORRUPT);
	other[1] = regions[1];
	other[0].name = "matrix";
	assert_int_equal(image_load(&image, other, 2, "image", &err), RB_ECORRUPT);
}

/* The header of version 1 was shorter, so only its first words can be read. */
static void another_version_is_refused_by_name(void **state)
{
	uint32_t words[64] = { IMAGE_MAGIC, 1 };
	size_t bytes;

	(void)state;
	assert_int_equal(image_room(&image, sizeof words), RB_OK);
	memcpy(image.data, words, sizeof words);
	assert_int_equal(image_check(&image, &id, false, "image", &err), RB_ECORRUPT);
	assert_non_null(
		strstr(err.text, "image: written as version 1 of images, and this is version 2"));
	assert_int_equal(image_take(&image, &id, regions, 2), RB_OK);
	bytes = image.bytes;
	((struct image_header *)(void *)image.data)->version = IMAGE_VERSION + 1;
	assert_int_equal(image_check(&image, &id, false, "image", &err), RB_ECORRUPT);
	assert_non_null(strstr(err.text, "version 3"));
	image.bytes = 7;
	assert_int_equal(image_check(&image, &id, false, "image", &err), RB_ECORRUPT);
	assert_non_null(strstr(err.text, "truncated"));
	image.bytes = bytes;
}

/* The status of channels is not a region of the kernel, and an image without it says so. */
static void the_status_of_channels_is_apart(void **state)
{
	char status[13] = "twelve bytes";
	const struct kernel_region three[] = { regions[0],
					       regions[1],
					       { IMAGE_STATUS, status, sizeof status } };
	size_t bytes[KERNEL_MAX_REGIONS], length = 0;
	const void *found;

	(void)state;
	for (size_t count = 2; count <= 3; count++) {
		fill(1);
		assert_int_equal(image_take(&image, &id, three, count), RB_OK);
		assert_int_equal(checkpoint_write(dir, id.role, id.iter, &image, NULL, NULL, &err),
				 RB_OK);
		fill(2);
		assert_int_equal(read_it(), RB_OK);
		assert_int_equal(counters[2], 1);
		assert_int_equal(image_sizes(&image, bytes), 2);
		found = image_status(&image, &length);
		assert_int_equal(found != NULL, count == 3);
	}
	assert_int_equal(length, sizeof status);
	assert_memory_equal(found, status, sizeof status);
	assert_int_equal(
		image_take(&image, &id, (struct kernel_region[]){ { IMAGE_STATUS, status, 0 } }, 1),
		RB_OK);
	assert_int_equal(image_check(&image, &id, false, "image", &err), RB_OK);
	assert_true(image_status(&image, &length) && length == 0);
}

/* As an image arrives from another role: in whole lines. */
static void padding_is_cut_but_no_more(void **state)
{
	size_t bytes;

	(void)state;
	fill(1);
	assert_int_equal(image_take(&image, &id, regions, 2), RB_OK);
	bytes = image.bytes;
	assert_true(bytes % IMAGE_LINE != 0);
	image.bytes = image_lines(bytes) * IMAGE_LINE;
	assert_int_equal(image_check(&image, &id, false, "image", &err), RB_ECORRUPT);
	assert_int_equal(image_check(&image, &id, true, "image", &err), RB_OK);
	assert_int_equal(image.bytes, bytes);
	assert_int_equal(image_grow(&image, bytes + IMAGE_LINE), RB_OK);
	assert_int_equal(image_check(&image, &id, true, "image", &err), RB_ECORRUPT);
}

static void the_newest_file_is_found(void **state)
{
	char path[4096];

	(void)state;
	assert_int_equal(write_it(), RB_OK);
	assert_int_equal(checkpoint_newest(dir, 2, 1000), 25);
	assert_int_equal(checkpoint_newest(dir, 2, 25), 25);
	assert_int_equal(checkpoint_newest(dir, 2, 24), 0);
	assert_int_equal(checkpoint_newest(dir, 22, 1000), 0);
	checkpoint_path(dir, 2, 30, path, sizeof path);
	strcat(path, ".tmp"); /* half a file */
	fclose(fopen(path, "w"));
	assert_int_equal(checkpoint_newest(dir, 2, 1000), 25);
	unlink(path);
}

static void flip(const char *path, off_t byte, int bit)
{
	int fd = open(path, O_RDWR);
	unsigned char c;

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &c, 1, byte), 1);
	c ^= (unsigned char)(1 << bit);
	assert_int_equal(pwrite(fd, &c, 1, byte), 1);
	close(fd);
}

static void every_flipped_bit_is_found(void **state)
{
	char path[4096];
	struct stat st;

	(void)state;
	fill(1);
	assert_int_equal(write_it(), RB_OK);
	checkpoint_path(dir, 2, 25, path, sizeof path);
	assert_int_equal(stat(path, &st), 0);
	srand(7);
	for (int i = 0; i < 10000; i++) {
		off_t byte = rand() % st.st_size;
		int bit = rand() % 8;

		flip(path, byte, bit);
		assert_int_equal(read_it(), RB_ECORRUPT);
		flip(path, byte, bit);
	}
	assert_int_equal(read_it(), RB_OK);
}

static void every_wrong_length_is_found(void **state)
{
	char path[4096];
	struct stat st;

	(void)state;
	checkpoint_path(dir, 2, 25, path, sizeof path);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(write_it(), RB_OK);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(truncate(path, i == 0 ? st.st_size + 1 : rand() % st.st_size), 0);
		assert_int_equal(read_it(), RB_ECORRUPT);
	}
}

/* RLIMIT_FSIZE makes write() fail in the middle, as a full disk does. */
static void a_failed_write_keeps_the_old_file(void **state)
{
	struct rlimit old, tiny;

	(void)state;
	fill(1);
	assert_int_equal(write_it(), RB_OK);
	getrlimit(RLIMIT_FSIZE, &old);
	tiny = old;
	tiny.rlim_cur = 5000;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &tiny);
	fill(2);
	assert_int_equal(write_it(), RB_EIO);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(read_it(), RB_OK);
	assert_int_equal(counters[0], 1);
}

static int remove_empty_dir(void **state)
{
	(void)state;
	checkpoint_remove(dir, 2, 25);
	return rmdir(dir); /* fails if a temporary file was left behind */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_comes_back),
		cmocka_unit_test(absent_is_an_error_with_the_path),
		cmocka_unit_test(of_another_run_is_refused),
		cmocka_unit_test(other_regions_are_refused),
		cmocka_unit_test(another_version_is_refused_by_name),
		cmocka_unit_test(the_status_of_channels_is_apart),
		cmocka_unit_test(padding_is_cut_but_no_more),
		cmocka_unit_test(the_newest_file_is_found),
		cmocka_unit_test(every_flipped_bit_is_found),
		cmocka_unit_test(every_wrong_length_is_found),
		cmocka_unit_test(a_failed_write_keeps_the_old_file),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_empty_dir);
}

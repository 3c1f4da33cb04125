#include "harness/torture/load.h"

#include "base/end_with_parent.h"
#include "base/status.h"
#include "base/text.h"
#include "harness/job/reap.h"
#include "harness/job/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEMORY = 256 << 20, LINE = 64, BLOCK = 4 << 20, BLOCKS = 16, LOWEST = 19 };

static const char *const names[LOAD_KINDS] = {
	[LOAD_CPU] = "cpu", [LOAD_NICE] = "nice", [LOAD_MEMORY] = "memory", [LOAD_DISK] = "disk"
};

static int total(const struct load *load)
{
	int sum = 0;

	for (int k = 0; k < LOAD_KINDS; k++)
		sum += load->count[k];
	return sum;
}

/* One KIND[:N] of `length` characters. */
static bool parse_kind(struct load *load, const char *word, size_t length)
{
	size_t name = strcspn(word, ":,");
	int64_t count = 1;
	char digits[8];

	if (name < length) {
		snprintf(digits, sizeof digits, "%.*s", (int)(length - name - 1), word + name + 1);
		if (length - name - 1 >= sizeof digits ||
		    !text_integer(digits, 1, LOAD_MAX, &count))
			return false;
	}
	for (int k = 0; k < LOAD_KINDS; k++)
		if (strlen(names[k]) == name && strncmp(word, names[k], name) == 0 &&
		    load->count[k] == 0) {
			load->count[k] = (int)count;
			return total(load) <= LOAD_MAX;
		}
	return false;
}

int load_parse(struct load *load, const char *text, struct rb_error *err)
{
	memset(load->count, 0, sizeof load->count);
	for (const char *word = text;; word++) {
		size_t length = strcspn(word, ",");

		if (!parse_kind(load, word, length))
			return rb_fail(
				err, RB_EINVAL,
				"--load %.60s: expected kinds among cpu, nice, memory and disk, "
				"each once, with or without a number of processes (at most %d in "
				"all), for instance cpu:2,disk",
				text, LOAD_MAX);
		word += length;
		if (!*word)
			return RB_OK;
	}
}

void load_format(const struct load *load, char out[LOAD_TEXT])
{
	size_t used = 0;

	snprintf(out, LOAD_TEXT, "none");
	for (int k = 0; k < LOAD_KINDS; k++)
		if (load->count[k] > 0)
			used += (size_t)snprintf(out + used, LOAD_TEXT - used,
						 load->count[k] > 1 ? "%s%s:%d" : "%s%s",
						 used ? "," : "", names[k], load->count[k]);
}

static void compute(void)
{
	for (volatile uint64_t x = 1;;)
		x = x * 6364136223846793005u + 1442695040888963407u;
}

static void walk(volatile char *memory)
{
	for (;;)
		for (size_t i = 0; i < MEMORY; i += LINE)
			memory[i]++;
}

static void write_disk(int file, const char *block)
{
	for (int i = 0;; i = (i + 1) % BLOCKS)
		if (pwrite(file, block, BLOCK, (off_t)i * BLOCK) != BLOCK || fdatasync(file) != 0) {
			fprintf(stderr, "rollbench torture: --load disk: %s\n", strerror(errno));
			_exit(1);
		}
}

/* A file without a name. */
static int nameless(const char *workdir)
{
	char path[4096];
	int fd;

	workdir = scratch_parent(workdir);
	fd = open(workdir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0 ||
	    snprintf(path, sizeof path, "%s/rollbench-load-XXXXXX", workdir) >= (int)sizeof path)
		return fd;
	fd = mkostemp(path, O_CLOEXEC); /* on file systems that have only files with names */
	if (fd >= 0)
		unlink(path);
	return fd;
}

static void fail(const char *kind)
{
	fprintf(stderr, "rollbench torture: --load %s: %s\n", kind, strerror(errno));
	_exit(1);
}

/* In the child: prepare what may fail, tell the parent, and work until a SIGKILL comes. */
static void work(enum load_kind kind, const char *workdir, int ready)
{
	char *memory = MAP_FAILED;
	int file = -1;

	if (kind == LOAD_MEMORY || kind == LOAD_DISK)
		memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);
	if ((kind == LOAD_MEMORY || kind == LOAD_DISK) && memory == MAP_FAILED)
		fail(names[kind]);
	if (kind == LOAD_DISK && (file = nameless(workdir)) < 0)
		fail(names[kind]);
	if (kind == LOAD_NICE && (errno = 0, nice(LOWEST) == -1 && errno != 0))
		fail(names[kind]);
	if (write(ready, "", 1) != 1)
		fail(names[kind]);
	close(ready);
	if (kind == LOAD_MEMORY)
		walk(memory);
	if (kind == LOAD_DISK)
		write_disk(file, memory);
	compute();
}

/* The child keeps no lock and no pipe of the harness open, and leaves Ctrl-C to it. */
static void begin(enum load_kind kind, const char *workdir, int ready, pid_t parent)
{
	const int mine = STDERR_FILENO + 1;

	end_with_parent(parent);
	prctl(PR_SET_NAME, LOAD_NAME);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_IGN);
	if (ready != mine && dup2(ready, mine) < 0)
		_exit(1);
	closefrom(mine + 1);
	work(kind, workdir, mine);
	_exit(1);
}

static int start_one(struct load *load, enum load_kind kind, const char *workdir,
		     struct rb_error *err)
{
	struct load_process *p = &load->process[load->started];
	pid_t self = getpid();
	int ends[2];
	char byte;
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return rb_fail(err, RB_EIO, "--load: %s", strerror(errno));
	p->kind = kind;
	p->pid = fork();
	if (p->pid == 0)
		begin(kind, workdir, ends[1], self);
	close(ends[1]);
	if (p->pid < 0) {
		close(ends[0]);
		return rb_fail(err, RB_EIO, "--load: cannot start a process: %s", strerror(errno));
	}
	p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	load->started++;
	n = read(ends[0], &byte, 1); /* Ctrl-C ends this, since the workdir may never answer */
	close(ends[0]);
	if (p->pidfd < 0)
		return rb_fail(err, RB_EIO, "--load: pidfd_open: this needs Linux 5.3 or newer");
	return n == 1 ? RB_OK
		      : rb_fail(err, RB_EIO, "--load %s: the process has ended (see above)",
				names[kind]);
}

int load_start(struct load *load, const char *workdir, struct rb_error *err)
{
	for (int k = 0; k < LOAD_KINDS; k++)
		for (int i = 0; i < load->count[k]; i++) {
			int rc = start_one(load, (enum load_kind)k, workdir, err);

			if (rc != RB_OK) {
				load_stop(load);
				return rc;
			}
		}
	return RB_OK;
}

int load_check(const struct load *load, struct rb_error *err)
{
	for (int i = 0; i < load->started; i++) {
		struct pollfd ended = { .fd = load->process[i].pidfd, .events = POLLIN };

		if (poll(&ended, 1, 0) > 0)
			return rb_fail(
				err, RB_EIO,
				"--load %s: its process has ended by itself or was killed, so the "
				"machine is no longer loaded as asked for",
				names[load->process[i].kind]);
	}
	return RB_OK;
}

void load_stop(struct load *load)
{
	for (int i = 0; i < load->started; i++) {
		if (load->process[i].pidfd >= 0) {
			syscall(SYS_pidfd_send_signal, load->process[i].pidfd, SIGKILL, NULL, 0);
			close(load->process[i].pidfd);
		} else {
			/* not waited for yet, so it is this process */
			kill(load->process[i].pid, SIGKILL);
		}
		waitpid(load->process[i].pid, NULL, 0);
	}
	load->started = 0;
}

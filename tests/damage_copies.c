/* Damage the copies of a role's checkpoint in the memory of the process that keeps them, like a bit
 * flip.
 *
 * usage: damage_copies RUN ITERATION KEEPER ROLE [KEEPER ROLE ...]
 *
 * Waits until the checkpoint of ITERATION counts by the ledger of each role KEEPER in the run
 * folder RUN, stops their processes, overwrites a few bytes in each image of ROLE and ITERATION
 * that a KEEPER holds, and lets them go on. Prints how many keepers had an image; exit status 1 if
 * one had none, or the checkpoint does not count within a minute or no longer. */
#include "base/status.h"
#include "ft/ledger.h"
#include "ft/line/image.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { LOOKS = 12000, LOOK_US = 5000, AREA_MAX = 1 << 28, INSIDE = 100, TARGETS_MAX = 8 };

static pid_t keeper_when_it_counts(const char *run, int keeper, int64_t iteration)
{
	static struct ledger l;
	struct rb_error err;

	l.line = 0;
	for (int i = 0; i < LOOKS && l.line <= iteration; i++) {
		if (ledger_read(run, keeper, &l, &err) == RB_OK && l.line == iteration)
			return (pid_t)l.pid;
		usleep(LOOK_US);
	}
	fprintf(stderr, "damage_copies: the checkpoint of iteration %lld does not count\n",
		(long long)iteration);
	exit(1);
}

static bool is_image_of(const char *at, size_t left, int role, int64_t iteration)
{
	struct image_header h;

	if (left < sizeof h + 2 * INSIDE)
		return false;
	memcpy(&h, at, sizeof h);
	return h.magic == IMAGE_MAGIC && h.version == IMAGE_VERSION && h.id.role == role &&
	       h.id.iter == iteration;
}

/* Images in one area of the process's memory. */
static int damage_area(int memory, off_t begin, size_t size, int role, int64_t iteration)
{
	static const char damage[] = "damage";
	char *copy = malloc(size);
	ssize_t got = copy ? pread(memory, copy, size, begin) : -1;
	int found = 0;

	for (ssize_t at = 0; at + (ssize_t)sizeof(uint32_t) <= got; at += 8) {
		off_t inside = begin + at + (off_t)sizeof(struct image_header) + INSIDE;

		if (is_image_of(copy + at, (size_t)(got - at), role, iteration))
			found += pwrite(memory, damage, sizeof damage, inside) == sizeof damage;
	}
	free(copy);
	return found;
}

static int damage_process(pid_t pid, int role, int64_t iteration)
{
	char path[64], line[512], mode[8];
	unsigned long begin, end;
	int memory, found = 0;
	FILE *maps;

	snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
	memory = open(path, O_RDWR | O_CLOEXEC);
	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	while (memory >= 0 && maps && fgets(line, sizeof line, maps))
		if (sscanf(line, "%lx-%lx %7s", &begin, &end, mode) == 3 &&
		    strcmp(mode, "rw-p") == 0 && end - begin <= AREA_MAX)
			found += damage_area(memory, (off_t)begin, end - begin, role, iteration);
	if (maps)
		fclose(maps);
	close(memory);
	return found;
}

/* A process that keeps images of a role. */
struct target {
	int keeper, role;
	pid_t pid;
};

static int damage_all(const char *run, int64_t iteration, struct target *target, int count)
{
	int damaged = 0;

	for (int i = 0; i < count; i++)
		target[i].pid = keeper_when_it_counts(run, target[i].keeper, iteration);
	for (int i = 0; i < count; i++)
		kill(target[i].pid, SIGSTOP); /* so that the failure waits for the damage */
	for (int i = 0; i < count; i++)
		damaged += damage_process(target[i].pid, target[i].role, iteration) > 0;
	for (int i = 0; i < count; i++)
		kill(target[i].pid, SIGCONT);
	return damaged;
}

int main(int argc, char **argv)
{
	struct target target[TARGETS_MAX];
	int count = (argc - 3) / 2, damaged;

	if (argc < 5 || argc % 2 == 0 || count > TARGETS_MAX) {
		fprintf(stderr,
			"usage: damage_copies RUN ITERATION KEEPER ROLE [KEEPER ROLE ...]\n");
		return 2;
	}
	for (int i = 0; i < count; i++) {
		target[i].keeper = atoi(argv[3 + 2 * i]);
		target[i].role = atoi(argv[4 + 2 * i]);
	}
	damaged = damage_all(argv[1], atoll(argv[2]), target, count);
	printf("%d of %d\n", damaged, count);
	return damaged == count ? 0 : 1;
}

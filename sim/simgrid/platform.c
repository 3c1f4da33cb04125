#include "sim/simgrid/world.h"

#include "base/status.h"

#include <errno.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A host does one unit of work and a link carries one byte in a tick. So the amount of work or bytes is the number of ticks,
 * and a quotient by a power of two is exact. Each host has a link to all others and one from all others. Links are never shared
 * (FATPIPE). */
static void write_zone(FILE *f, int np)
{
	fprintf(f, "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
		"<platform version=\"4.1\">\n<zone id=\"machine\" routing=\"Cluster\">\n");
	for (int r = 0; r < np; r++) {
		fprintf(f, "<host id=\"role%d\" speed=\"%.0ff\"/>\n", r, TICKS_PER_SECOND);
		for (int down = 0; down < 2; down++)
			fprintf(f, "<link id=\"%s%d\" bandwidth=\"%.0fBps\" latency=\"0s\" sharing_policy=\"FATPIPE\"/>\n",
				down ? "down" : "up", r, TICKS_PER_SECOND);
	}
	for (int r = 0; r < np; r++)
		fprintf(f, "<host_link id=\"role%d\" up=\"up%d\" down=\"down%d\"/>\n", r, r, r);
	fprintf(f, "</zone>\n</platform>\n");
}

static int write_platform(char *path, size_t size, int np)
{
	const char *folder = getenv("TMPDIR");
	FILE *f;
	int file;

	snprintf(path, size, "%s/rollbench-platform-XXXXXX.xml", folder && *folder ? folder : "/tmp");
	file = mkstemps(path, 4);
	if (file < 0)
		return RB_EIO;
	f = fdopen(file, "w");
	if (!f) {
		close(file);
		return RB_EIO;
	}
	write_zone(f, np);
	return fclose(f) == 0 ? RB_OK : RB_EIO;
}

int platform_load(int np, struct rb_error *err)
{
	enum { PATH = 4096 };
	char path[PATH];
	/* The times of messages and work are the model's own: no factors, and no rounding to 1e-9 s. */
	char *settings[] = { "rollbench", "--log=root.thresh:error", "--log=root.fmt:%m%n", "--cfg=precision/timing:1e-12",
			     "--cfg=precision/work-amount:1e-12", "--cfg=network/model:CM02", "--cfg=network/TCP-gamma:0",
			     "--cfg=network/crosstraffic:0", "--cfg=network/bandwidth-factor:1", "--cfg=network/latency-factor:1",
			     "--cfg=network/weight-S:0", NULL };
	int count = sizeof settings / sizeof *settings - 1;
	int rc = write_platform(path, sizeof path, np);

	if (rc != RB_OK)
		rb_fail(err, rc, "%s: %s", path, strerror(errno));
	else
		simgrid_init(&count, settings);
	if (rc == RB_OK)
		simgrid_load_platform(path);
	unlink(path);
	return rc;
}

sg_host_t platform_host(int role)
{
	char name[32];

	snprintf(name, sizeof name, "role%d", role);
	return sg_host_by_name(name);
}

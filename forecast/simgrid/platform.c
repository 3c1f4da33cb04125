#include "forecast/simgrid/world.h"

#include "base/status.h"

#include <errno.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/plugins/energy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A core does one unit of work and a link carries one byte in a tick. So the amount of work or
 * bytes is the number of ticks that it takes alone, and a quotient by a power of two is exact. */

/* The same for each state of power. */
static void write_speeds(FILE *f, const struct model *m, bool metered)
{
	const int states = metered ? energy_host_states(&m->platform) : 1;

	for (int i = 0; i < states; i++)
		fprintf(f, "%s%.0ff", i ? "," : "", TICKS_PER_SECOND);
}

/* Each host has a link to all others and one from all others. The switch between them is never
 * busy. FATPIPE: a link is never shared either. */
static void write_star(FILE *f, const struct model *m, bool metered)
{
	const struct platform *p = &m->platform;
	const int hosts = platform_hosts(p, m->pattern->np);
	const char *policy = p->network.kind == NETWORK_STAR ? "SHARED" : "FATPIPE";

	fprintf(f, "<zone id=\"machine\" routing=\"Cluster\">\n");
	for (int h = 0; h < hosts; h++) {
		fprintf(f, "<host id=\"host%d\" core=\"%d\" speed=\"", h, platform_cores(p));
		write_speeds(f, m, metered);
		fprintf(f, "\">\n");
		if (metered)
			energy_write(f, m);
		fprintf(f, "</host>\n");
		for (int down = 0; down < 2; down++)
			fprintf(f,
				"<link id=\"%s%d\" bandwidth=\"%.0fBps\" latency=\"%.17gs\" "
				"sharing_policy=\"%s\"/>\n",
				down ? "down" : "up", h, TICKS_PER_SECOND, p->network.hop_s,
				policy);
	}
	for (int h = 0; h < hosts; h++)
		fprintf(f, "<host_link id=\"host%d\" up=\"up%d\" down=\"down%d\"/>\n", h, h, h);
	fprintf(f, "</zone>\n");
}

static void write_lengths(FILE *f, const struct network *n, const int *length)
{
	for (int i = 0; i < n->levels; i++)
		fprintf(f, "%s%d", i ? "," : "", length[i]);
}

/* SimGrid looks for routes out of a torus only in the zone around it. SPLITDUPLEX: a link for each
 * direction of a cable. */
static void write_cluster(FILE *f, const struct model *m, bool metered)
{
	const struct platform *p = &m->platform;
	const struct network *n = &p->network;

	fprintf(f,
		"<zone id=\"machine\" routing=\"Full\">\n<cluster id=\"network\" prefix=\"host\" suffix=\"\" radical=\"0-%d\" core=\"%d\" bw=\"%.0fBps\" lat=\"%.17gs\" sharing_policy=\"SPLITDUPLEX\" speed=\"",
		platform_hosts(p, m->pattern->np) - 1, platform_cores(p), TICKS_PER_SECOND,
		n->hop_s);
	write_speeds(f, m, metered);
	if (n->kind == NETWORK_TORUS) {
		fprintf(f, "\" topology=\"TORUS\" topo_parameters=\"");
		write_lengths(f, n, n->down);
	} else {
		fprintf(f, "\" topology=\"FAT_TREE\" topo_parameters=\"%d;", n->levels);
		write_lengths(f, n, n->down);
		fprintf(f, ";");
		write_lengths(f, n, n->up);
		fprintf(f, ";");
		write_lengths(f, n, n->cables);
	}
	fprintf(f, "\">\n");
	if (metered)
		energy_write(f, m);
	fprintf(f, "</cluster>\n</zone>\n");
}

static int write_platform(char *path, size_t size, const struct model *m, bool metered)
{
	const char *folder = getenv("TMPDIR");
	const enum network_kind kind = m->platform.network.kind;
	FILE *f;
	int file;

	snprintf(path, size, "%s/rollbench-platform-XXXXXX.xml",
		 folder && *folder ? folder : "/tmp");
	file = mkstemps(path, 4);
	if (file < 0)
		return RB_EIO;
	f = fdopen(file, "w");
	if (!f) {
		close(file);
		return RB_EIO;
	}
	fprintf(f,
		"<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
		"<platform version=\"4.1\">\n");
	if (kind == NETWORK_TORUS || kind == NETWORK_FATTREE)
		write_cluster(f, m, metered);
	else
		write_star(f, m, metered);
	fprintf(f, "</platform>\n");
	return fclose(f) == 0 ? RB_OK : RB_EIO;
}

int platform_load(const struct model *m, bool metered, struct rb_error *err)
{
	enum { PATH = 4096 };
	char path[PATH];
	/* Also compared with sums of shares, where rounding may leave more than 1e-12. A millionth
	 * of a tick is nothing. */
	char *amount = platform_shares(&m->platform) ? "--cfg=precision/work-amount:1e-6"
						     : "--cfg=precision/work-amount:1e-12";
	/* The times of messages and work are the model's own: no factors, and no rounding to 1e-9
	 * s. */
	char *settings[] = { "rollbench",
			     "--log=root.thresh:error",
			     "--log=root.fmt:%m%n",
			     "--cfg=precision/timing:1e-12",
			     amount,
			     "--cfg=network/model:CM02",
			     "--cfg=network/TCP-gamma:0",
			     "--cfg=network/crosstraffic:0",
			     "--cfg=network/bandwidth-factor:1",
			     "--cfg=network/latency-factor:1",
			     "--cfg=network/weight-S:0",
			     NULL };
	int count = sizeof settings / sizeof *settings - 1;
	int rc = write_platform(path, sizeof path, m, metered);

	if (rc != RB_OK)
		rb_fail(err, rc, "%s: %s", path, strerror(errno));
	else
		simgrid_init(&count, settings);
	if (rc == RB_OK && metered)
		sg_host_energy_plugin_init();
	if (rc == RB_OK)
		simgrid_load_platform(path);
	unlink(path);
	return rc;
}

sg_host_t platform_host(int host)
{
	char name[32];

	snprintf(name, sizeof name, "host%d", host);
	return sg_host_by_name(name);
}

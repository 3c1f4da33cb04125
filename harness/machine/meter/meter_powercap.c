/* Energy from the kernel's powercap files. Zones intel-rapl:N are packages (or psys), and
 * intel-rapl:N:M are parts of them. AMD's zones have these names, too. intel-rapl-mmio:N is the
 * same package by another interface, so it is left out. The files stay open, so a reading is one
 * pread each. */
#include "harness/machine/meter/meter_inside.h"

#include "base/status.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct zone {
	char path[METER_PATH + 288];
	enum meter_domain domain;
	int package;
};

static int is_zone(const struct dirent *e)
{
	return strncmp(e->d_name, "intel-rapl:", 11) == 0;
}

static void join(const struct zone *z, const char *file, char *out, size_t size)
{
	snprintf(out, size, "%s/%s", z->path, file);
}

/* "package-1" and "package-1-die-0" are package 1. */
static bool package_name(const char *name, int *package)
{
	int64_t number;

	if (strncmp(name, "package-", 8) != 0)
		return false;
	name += 8;
	if (!text_digits(&name, &number) || (*name && strncmp(name, "-die-", 5) != 0))
		return false;
	*package = (int)number;
	return true;
}

static bool domain_of(const char *name, enum meter_domain *domain)
{
	for (int d = METER_CORE; d < METER_DOMAINS; d++) {
		if (strcmp(name, meter_domain_name((enum meter_domain)d)) == 0) {
			*domain = (enum meter_domain)d;
			return true;
		}
	}
	return false;
}

/* Find the package to which a part belongs: that of its parent intel-rapl:N. */
static bool parent_package(const char *folder, const char *entry, int *package)
{
	char path[METER_PATH + 320], name[64];
	const char *part = strchr(entry + 11, ':');

	if (!part)
		return false;
	snprintf(path, sizeof path, "%s/%.*s/name", folder, (int)(part - entry), entry);
	return meter_file_line(path, name, sizeof name) && package_name(name, package);
}

/* Find out by its names what a zone is. false, with a note, if the names are not known. */
static bool identify(struct meter *m, const char *folder, const char *entry, struct zone *z)
{
	char path[sizeof z->path + 16], name[64];

	snprintf(z->path, sizeof z->path, "%s/%.255s", folder, entry);
	join(z, "name", path, sizeof path);
	if (!meter_file_line(path, name, sizeof name)) {
		meter_note(m, METER_ABSENT, "zone %.64s: its name cannot be read: %s", entry,
			   strerror(errno));
		return false;
	}
	if (package_name(name, &z->package)) {
		z->domain = METER_PACKAGE;
		return true;
	}
	if (domain_of(name, &z->domain)) {
		z->package = METER_ALL;
		if (z->domain == METER_PSYS || parent_package(folder, entry, &z->package))
			return true;
	}
	meter_note(m, METER_ABSENT, "zone %.64s: named '%s', which is no domain we know", entry,
		   name);
	return false;
}

static void explain(struct meter *m, int i, const char *path, int reason)
{
	if (reason == EACCES || reason == EPERM)
		meter_lose(m, i, "%s; remedy, as root after each boot: chmod a+r %.180s",
			   strerror(reason), path);
	else
		meter_lose(m, i, "%.180s: %s", path, strerror(reason));
}

static void add_zone(struct meter *m, const struct zone *z)
{
	char path[sizeof z->path + 32], line[32];
	int i = meter_add(m, z->domain, z->package, strrchr(z->path, '/') + 1);
	struct counter_state *s = &m->state[i < 0 ? 0 : i];
	int64_t range;

	if (i < 0) {
		meter_note(m, METER_ABSENT, "zone %.128s: more zones than the %d we can keep",
			   strrchr(z->path, '/') + 1, METER_COUNTERS);
		return;
	}
	s->unit_j = 1e-6;
	join(z, "max_energy_range_uj", path, sizeof path);
	if (meter_file_line(path, line, sizeof line) && text_integer(line, 1, INT64_MAX, &range)) {
		s->range = (uint64_t)range;
		s->patience_s = (double)range * s->unit_j / METER_MAX_W;
	}
	join(z, "energy_uj", path, sizeof path);
	s->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0)
		explain(m, i, path, errno);
	else
		m->counter[i].why[0] = '\0';
}

/* Does this meter read the zone? psys belongs to the whole machine, so the reader of its first
 * package reads it. */
static bool is_ours(const struct meter *m, const struct zone *z)
{
	int first = m->package_count > 0 ? m->packages[0].number : 0;

	return z->domain == METER_PSYS ? meter_wants(m, first) : meter_wants(m, z->package);
}

static int powercap_open(struct meter *m, char *why)
{
	char folder[METER_PATH + 32];
	struct dirent **entry;
	int n;

	snprintf(folder, sizeof folder, "%s/sys/class/powercap", m->root);
	n = scandir(folder, &entry, is_zone, versionsort);
	for (int i = 0; i < n; i++) {
		struct zone z;

		if (identify(m, folder, entry[i]->d_name, &z) && is_ours(m, &z))
			add_zone(m, &z);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	if (m->counters > 0)
		return RB_OK;
	if (n > 0)
		snprintf(why, METER_TEXT, "%.100s has no zone of package %d", folder, m->package);
	else
		snprintf(why, METER_TEXT,
			 "%.100s: %s; remedy on a bare machine: modprobe "
			 "intel_rapl_msr (for AMD, too)",
			 folder, n < 0 ? strerror(errno) : "no zone intel-rapl:N in it");
	return RB_EIO;
}

/* Is the zone gone? The kernel then answers ENODEV. A plain file that was removed would give its
 * last number for ever. */
static bool is_gone(int fd)
{
	struct stat file;

	return fstat(fd, &file) == 0 && file.st_nlink == 0;
}

static void read_zone(struct meter *m, int i, uint64_t *raw)
{
	const char *where = m->counter[i].where;
	char text[32];
	int64_t number;
	ssize_t n = pread(m->state[i].fd, text, sizeof text - 1, 0);

	if (n < 0) {
		meter_lose(m, i, "%s/energy_uj: %s", where, strerror(errno));
		return;
	}
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (!text_integer(text, 0, INT64_MAX, &number)) {
		meter_lose(m, i, "%s/energy_uj: '%s' is no number", where, text);
		return;
	}
	*raw = (uint64_t)number;
	if (*raw == m->state[i].last && is_gone(m->state[i].fd))
		meter_lose(m, i, "%s/energy_uj: it is gone", where);
}

static void powercap_read(struct meter *m, uint64_t *raw)
{
	for (int i = 0; i < m->counters; i++) {
		if (!m->counter[i].why[0])
			read_zone(m, i, &raw[i]);
	}
}

static void powercap_close(struct meter *m)
{
	for (int i = 0; i < m->counters; i++) {
		if (m->state[i].fd >= 0)
			close(m->state[i].fd);
	}
}

const struct meter_source meter_source_powercap = {
	.name = "powercap",
	.of_root = true,
	.open = powercap_open,
	.read = powercap_read,
	.close = powercap_close,
};

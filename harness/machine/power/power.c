/* Power techniques: their names, and how one process uses one of them on its core. */
#include "harness/machine/power/power_inside.h"

#include "base/status.h"

#include <hwloc.h>
#include <hwloc/linux.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PATIENCE_MS = 300, STEP_MS = 5 };

static const char *const names[POWER_WORDS] = {
	[POWER_NONE] = "none", [POWER_SLEEP] = "sleep",     [POWER_DVFS] = "dvfs",
	[POWER_CM] = "cm",     [POWER_DVFS_CM] = "dvfs+cm", [POWER_SLOW_ALL] = "slow-all",
};

const struct power_lever *const power_lever[POWER_KINDS] = {
	[POWER_MAX_FREQ] = &power_dvfs,
	[POWER_CLOCK] = &power_cm,
};

struct power {
	struct power_file *file; /* of this process, with its guardian */
	bool reduced;
	char trouble[POWER_TEXT];
};

const char *power_name(enum power_technique technique)
{
	return names[technique];
}

bool power_sets_core(enum power_technique technique)
{
	return technique >= POWER_DVFS && technique < POWER_TECHNIQUES;
}

bool power_sleeps(enum power_technique technique)
{
	return technique == POWER_SLEEP || technique == POWER_SLOW_ALL;
}

static bool uses(enum power_technique technique, enum power_kind kind)
{
	return technique == POWER_DVFS_CM ||
	       technique == (kind == POWER_MAX_FREQ ? POWER_DVFS : POWER_CM);
}

/* Find all processing units of the core that this one belongs to. This does not load a whole
 * topology, since a spare asks for it in the middle of a recovery. */
static bool find_core(int cpu, cpu_set_t *core)
{
	char path[POWER_PATH];
	hwloc_bitmap_t units = hwloc_bitmap_alloc();

	CPU_ZERO(core);
	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings", cpu);
	if (units && hwloc_linux_read_path_as_cpumask(path, units) == 0)
		for (int i = 0; i < CPU_SETSIZE; i++)
			if (hwloc_bitmap_isset(units, (unsigned)i))
				CPU_SET(i, core);
	hwloc_bitmap_free(units);
	return CPU_ISSET(cpu, core);
}

/* Read the present settings of one processing unit. false: text says why this failed. */
static bool read_unit(enum power_technique technique, int cpu, const cpu_set_t *core,
		      struct power_setting *s, int *count, char text[POWER_TEXT])
{
	char part[POWER_TEXT];

	text[0] = '\0';
	for (int kind = 0; kind < POWER_KINDS; kind++) {
		size_t used = strlen(text);

		if (!uses(technique, (enum power_kind)kind))
			continue;
		if (!power_lever[kind]->read(cpu, core, &s[*count], part)) {
			snprintf(text, POWER_TEXT, "%s%s%.240s",
				 technique == POWER_DVFS_CM ? power_lever[kind]->name : "",
				 technique == POWER_DVFS_CM ? ": " : "", part);
			return false;
		}
		++*count;
		snprintf(text + used, POWER_TEXT - used, "%s%.200s", used ? "; " : "", part);
	}
	return true;
}

bool power_probe(enum power_technique technique, int cpu, char text[POWER_TEXT])
{
	struct power_setting s[POWER_KINDS];
	cpu_set_t core;
	int count = 0;

	if (!power_sets_core(technique)) {
		snprintf(text, POWER_TEXT, "%s",
			 technique == POWER_SLEEP ? "waits without spinning; needs no privilege"
						  : "waits in MPI, spinning");
		return true;
	}
	if (!find_core(cpu, &core)) {
		snprintf(text, POWER_TEXT,
			 "the kernel does not tell of which core processing unit %d is", cpu);
		return false;
	}
	return read_unit(technique, cpu, &core, s, &count, text);
}

bool power_range(enum power_technique technique, const cpu_set_t *units, struct power_range *out,
		 char text[POWER_TEXT])
{
	const enum power_kind kind = technique == POWER_DVFS ? POWER_MAX_FREQ : POWER_CLOCK;

	return power_lever[kind]->range(units, out, text);
}

/* The processing units that this process is bound to; they must belong to one core. */
static int find_own(cpu_set_t *own, cpu_set_t *core, struct rb_error *err)
{
	int first = 0;

	if (sched_getaffinity(0, sizeof *own, own) != 0)
		return rb_fail(err, RB_EIO, "the processing units of this process are not known");
	while (first < CPU_SETSIZE - 1 && !CPU_ISSET(first, own))
		first++;
	if (!find_core(first, core))
		return rb_fail(err, RB_EINVAL,
			       "the kernel does not tell of which core "
			       "processing unit %d is",
			       first);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, own) && !CPU_ISSET(i, core))
			return rb_fail(
				err, RB_EINVAL,
				"this process is not bound to one core, so it would slow down "
				"others; remedy: --power sleep");
	return RB_OK;
}

/* Write the present settings into the journal, and write the same values again to the files, to
 * check that this is allowed. */
static int record(enum power_technique technique, struct power_journal *j, const cpu_set_t *own,
		  const cpu_set_t *core, struct rb_error *err)
{
	struct power_setting s[POWER_SETTINGS + POWER_KINDS];
	char text[POWER_TEXT];
	int count = 0;

	for (int i = 0; i < CPU_SETSIZE && count <= POWER_SETTINGS; i++)
		if (CPU_ISSET(i, own) && !read_unit(technique, i, core, s, &count, text))
			return rb_fail(err, RB_EINVAL, "%s", text);
	if (count > POWER_SETTINGS)
		return rb_fail(err, RB_EINVAL, "the core has too many processing units");
	memcpy(j->setting, s, (size_t)count * sizeof *s);
	__atomic_store_n(&j->count, count, __ATOMIC_SEQ_CST);
	__atomic_store_n(&j->changed, 1, __ATOMIC_SEQ_CST);
	if (!power_write(j, false, text)) {
		j->changed = j->count = 0; /* nothing has been changed, whatever failed */
		return rb_fail(err, RB_EINVAL, "%s; run as root, and see `rollbench doctor`", text);
	}
	__atomic_store_n(&j->changed, 0, __ATOMIC_SEQ_CST);
	return RB_OK;
}

/* RB_LOST: another process has the core. This may end soon if it is the guardian of a process that
 * has just died. */
static int try_record(enum power_technique technique, struct power_file *f, struct rb_error *err)
{
	cpu_set_t own, core;
	int folder, rc;

	RB_TRY(find_own(&own, &core, err));
	folder = power_folder_enter(err);
	if (folder < 0)
		return folder;
	rc = power_folder_clear(folder, &own, f, err);
	if (rc == RB_OK)
		rc = record(technique, f->journal, &own, &core, err);
	power_folder_leave(folder);
	return rc;
}

static int open_on(enum power_technique technique, struct power_file *f, struct rb_error *err)
{
	const struct timespec pause = { 0, STEP_MS * 1000000L };
	int rc = RB_LOST;

	if (f->journal->count > 0)
		return rb_fail(err, RB_EINVAL, "it is open already in this process");
	for (int ms = 0; rc == RB_LOST && ms < PATIENCE_MS; ms += STEP_MS) {
		if (ms > 0)
			nanosleep(&pause, NULL);
		rc = try_record(technique, f, err);
	}
	return rc == RB_OK ? RB_OK : RB_EINVAL;
}

int power_open(enum power_technique technique, struct power **out, struct rb_error *err)
{
	struct power_file *f;
	struct rb_error why = { "" };
	struct power *p;

	*out = NULL;
	if (!power_sets_core(technique))
		return RB_OK;
	f = power_guarded(&why);
	if (!f || open_on(technique, f, &why) != RB_OK)
		return rb_fail(err, RB_EINVAL, "--power %s: %.450s", power_name(technique),
			       why.text);
	p = calloc(1, sizeof *p);
	if (!p)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	p->file = f;
	*out = p;
	return RB_OK;
}

bool power_reduce(struct power *p, bool on)
{
	struct power_journal *j;
	bool written;

	if (!p || p->reduced == on)
		return true;
	j = p->file->journal;
	p->reduced = on;
	if (on)
		/* before the first write, since this process may die at any time */
		__atomic_store_n(&j->changed, 1, __ATOMIC_SEQ_CST);
	written = power_write(j, on, p->trouble);
	if (written && !on)
		__atomic_store_n(&j->changed, 0, __ATOMIC_SEQ_CST);
	return written;
}

const char *power_trouble(const struct power *power)
{
	return power ? power->trouble : "";
}

void power_close(struct power *power)
{
	if (!power)
		return;
	power_reduce(power, false);
	if (!power->file->journal->changed) /* otherwise its guardian tries again */
		power->file->journal->count = 0;
	free(power);
}

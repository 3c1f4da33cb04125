/* The body of each process of a job under event-logging checkpoints, until it is the program
 * itself. */
#include "harness/kind/elc/elc_run.h"

#include "base/end_with_parent.h"
#include "base/json.h"
#include "harness/events/events.h"
#include "harness/machine/pin.h"
#include "harness/transport/settings.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BINDING = 256 };

extern char **environ;

/* What the user has set for the library does not count here; it is in no record. */
static void clear_environment(void)
{
	for (char **e = environ; *e;) {
		const char *const was = *e;
		char *name = strndup(was, strcspn(was, "="));

		if (name && strncmp(name, "ELC_", 4) == 0)
			unsetenv(name);
		free(name);
		e += *e == was; /* else the next one has taken its place */
	}
}

static void set_environment(const json_t *job)
{
	const char *name;
	json_t *value;

	clear_environment();
	json_object_foreach(json_object_get(job, "environment"), name, value)
		setenv(name, json_string_value(value), 1);
}

/* A number that the MPI tells its processes; 0 if it does not. */
static int told(const char *name)
{
	const char *text = getenv(name);

	return text ? atoi(text) : 0;
}

/* For the record: what this process is bound to, and the version of the MPI. */
static void describe(const char *dir)
{
	char text[BINDING];
	const int rank = told("OMPI_COMM_WORLD_RANK");
	json_t *settings;

	pin_self(told("OMPI_COMM_WORLD_LOCAL_RANK"), text, sizeof text);
	events_add(dir, "binding", json_pack("{s:i, s:o}", "rank", rank, "text", text_json(text)));
	if (rank > 0)
		return;
	settings = settings_in_force();
	settings_tell(settings, dir);
	json_decref(settings);
}

int elc_worker_main(const char *dir)
{
	char path[SCRATCH_PATH], self[SPEC_PATH + 80];
	const char *word[ELC_ARGUMENTS + 4] = { self };
	const json_t *list, *item;
	json_t *job;
	size_t i;

	end_with_parent(getppid());
	elc_job_path(dir, path);
	job = json_load_file(path, 0, NULL);
	list = json_object_get(job, "arguments");
	if (!job || json_array_size(list) > ELC_ARGUMENTS + 2) {
		fprintf(stderr, "rollbench worker: %s: cannot be read\n", path);
		return STATUS_ABORT;
	}
	set_environment(job);
	describe(dir);
	/* The cleaner knows the processes of a run by its folder in their command lines. */
	snprintf(self, sizeof self, "%s/%s", dir, json_string_value(json_object_get(job, "name")));
	json_array_foreach(list, i, item)
		word[1 + i] = json_string_value(item);
	execv(json_string_value(json_object_get(job, "path")), (char *const *)(uintptr_t)word);
	fprintf(stderr, "rollbench worker: %s: %s\n",
		json_string_value(json_object_get(job, "path")), strerror(errno));
	return STATUS_ABORT;
}

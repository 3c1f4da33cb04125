#include "harness/transport/settings.h"

#include "base/json.h"
#include "harness/events/events.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME = 256 };

union value {
	int number;
	unsigned natural;
	unsigned long large;
	unsigned long long larger;
	double real;
	_Bool flag;
};

static json_t *number_text(MPI_Datatype type, const union value *v)
{
	char text[64] = "";

	if (type == MPI_INT)
		snprintf(text, sizeof text, "%d", v->number);
	else if (type == MPI_UNSIGNED)
		snprintf(text, sizeof text, "%u", v->natural);
	else if (type == MPI_UNSIGNED_LONG)
		snprintf(text, sizeof text, "%lu", v->large);
	else if (type == MPI_UNSIGNED_LONG_LONG)
		snprintf(text, sizeof text, "%llu", v->larger);
	else if (type == MPI_DOUBLE)
		snprintf(text, sizeof text, "%g", v->real);
	else if (type == MPI_C_BOOL)
		snprintf(text, sizeof text, "%d", v->flag);
	return text[0] ? json_string(text) : NULL;
}

/* A number is one value, a text is an array of so many characters. */
static json_t *read_value(int index, MPI_Datatype type)
{
	json_t *found = NULL;
	MPI_T_cvar_handle handle;
	union value number = { 0 };
	int count;

	if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
		return NULL;
	if (type == MPI_CHAR) {
		char *text = calloc((size_t)count + 1, 1);

		if (text && MPI_T_cvar_read(handle, text) == MPI_SUCCESS)
			found = json_string(text);
		free(text);
	} else if (count == 1 && MPI_T_cvar_read(handle, &number) == MPI_SUCCESS) {
		found = number_text(type, &number);
	}
	MPI_T_cvar_handle_free(&handle);
	return found;
}

json_t *settings_in_force(void)
{
	json_t *all = json_object();
	int threads, count = 0;

	if (MPI_T_init_thread(MPI_THREAD_SINGLE, &threads) != MPI_SUCCESS)
		return all;
	MPI_T_cvar_get_num(&count);
	for (int i = 0; i < count; i++) {
		int length = NAME, verbosity, binding, scope, none = 0;
		MPI_Datatype type;
		char name[NAME];
		json_t *value;

		if (MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, NULL, NULL, &none,
					&binding, &scope) != MPI_SUCCESS ||
		    binding != MPI_T_BIND_NO_OBJECT)
			continue;
		value = read_value(i, type);
		if (value)
			json_object_set_new(all, name, value);
	}
	MPI_T_finalize();
	return all;
}

void settings_tell(const json_t *settings, const char *dir)
{
	char version[MPI_MAX_LIBRARY_VERSION_STRING];
	int length;

	MPI_Get_library_version(version, &length);
	events_add(dir, "mpi",
		   json_pack("{s:o, s:O}", "version", text_json(version), "settings", settings));
}

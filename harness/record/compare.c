#include "harness/record/compare.h"

#include "base/json.h"

#include <string.h>

static const char differs[] = "the final state differs from the failure-free run's";
static const char unexpected[] = "the final state differs from the expected one";
static const char alone[] = "there is no failure-free run to compare with";

struct run_reference run_reference_to(const char *how, const char *hash)
{
	struct run_reference reference = { .how = how, .seconds = -1, .wall_s = -1 };

	snprintf(reference.hash, sizeof reference.hash, "%s", hash);
	return reference;
}

bool compare_is_expected(const struct run_spec *spec, const json_t *record)
{
	const char *message = json_string_value(json_object_get(record, "message"));
	const char *status = json_string_value(json_object_get(record, "status"));

	if (!status || !spec_must_be_wrong(spec))
		return status && status_find(status) == STATUS_OK;
	return status_find(status) == STATUS_WRONG && !(message && strcmp(message, alone) == 0);
}

/* The status of the run without the comparison: a comparison can only turn a run that was ok into a
 * wrong one. */
static enum run_status forget(json_t *record)
{
	const char *message = json_string_value(json_object_get(record, "message"));
	const char *status = json_string_value(json_object_get(record, "status"));

	if (message && (strcmp(message, differs) == 0 || strcmp(message, unexpected) == 0 ||
			strcmp(message, alone) == 0)) {
		json_object_del(record, "message");
		json_object_set_new(record, "status", json_string(status_name(STATUS_OK)));
		return STATUS_OK;
	}
	return status ? status_find(status) : STATUS_ABORT;
}

static json_t *outcome(const json_t *record)
{
	return json_pack("[O?, O?, O?]", json_object_get(record, "status"),
			 json_object_get(record, "message"), json_object_get(record, "compared"));
}

enum run_status compare_with(json_t *record, const struct run_reference *reference, bool *changed)
{
	const char *own = json_string_value(json_object_get(record, "state_hash"));
	json_t *before = outcome(record), *after;
	enum run_status status = forget(record);
	const char *state = reference->hash;
	bool equal = own && *own && strcmp(own, state) == 0;
	const char *why = !*state                                      ? alone
			  : strcmp(reference->how, "--reference") == 0 ? unexpected
								       : differs;

	json_object_set_new(record, "compared",
			    json_pack("{s:s, s:s?, s:b, s:o, s:o}", "reference", reference->how,
				      "hash", *state ? state : NULL, "equal", equal, "seconds",
				      seconds_json(reference->seconds), "wall_s",
				      seconds_json(reference->wall_s)));
	if (status == STATUS_OK && !equal) {
		status = STATUS_WRONG;
		json_object_set_new(record, "status", json_string(status_name(status)));
		json_object_set_new(record, "message", json_string(why));
	}
	after = outcome(record);
	*changed = !json_equal(before, after);
	json_decref(before);
	json_decref(after);
	return status;
}

"""How long a death keeps the job, and the parts of it, as records have them."""

PARTS = {  # name: (keys it is made of, how)
    "all restored": (("restored_s",), lambda restored: restored),
    "repaired": (("resume_s",), lambda resume: resume),
    "detect": (("detect_s",), lambda detect: detect),
    "shrink": (("shrink_s",), lambda shrink: shrink),
    "rest of\nrepair": (("repair_s", "shrink_s"), lambda repair, shrink: repair - shrink),
    "restore": (("restore_s",), lambda restore: restore),
}


def milliseconds(runs, part):
    keys, combine = PARTS[part]
    values = []
    for failure in (run["failures"][0] for run in runs):
        measured = [failure.get(key) for key in keys]
        if None not in measured:
            values.append(1000 * combine(*measured))
    return values

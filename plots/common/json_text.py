"""JSON as Rollbench writes it: what Python's module reads beyond that is refused, since no record has it."""
import json
import math
import sys

INT64 = 1 << 63
DEPTH = 100  # levels of objects and arrays; records have less than 10


def _whole(text):
    value = int(text)
    if not -INT64 <= value < INT64:
        raise ValueError(f"{text} has more than 64 bits")
    return value


def _finite(text):
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is no number of JSON, or too large")
    return value


def _check_depth(value):
    level = [value]
    for _ in range(DEPTH):
        level = [part for outer in level for part in (outer.values() if isinstance(outer, dict) else outer)
                 if isinstance(part, (dict, list))]
        if not level:
            return
    raise RecursionError


def parse(data):
    """The object or array in these bytes; ValueError if they are none."""
    try:
        value = json.loads(data.decode("utf-8"), parse_int=_whole, parse_float=_finite, parse_constant=_finite)
        if not isinstance(value, (dict, list)):
            raise ValueError("no object")
        _check_depth(value)
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # no half of a surrogate pair
    except RecursionError as error:
        raise ValueError(f"objects and arrays nested more than {DEPTH} levels deep") from error
    return value


def _with_shared_names(fields):
    return {sys.intern(name): value for name, value in fields.items()}


def read_record(path):
    """One of many records of runs: the names of fields are shared, else each record had its own copies. OSError, or ValueError."""
    return json.loads(path.read_text(encoding="utf-8"), object_hook=_with_shared_names)


def write(value):
    """A text for people and programs."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def is_number(value):
    """For Python, True and False are numbers, too."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)

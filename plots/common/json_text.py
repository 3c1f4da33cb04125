"""JSON as the rollbench program itself reads and writes it (jansson), number for number.

Python's module is laxer in what it reads, and prints other digits of the same number.
"""
import json
import re

INT64 = 1 << 63
DEPTH = 100  # levels of objects and arrays; records have less than 10


def _whole(text):
    value = int(text)
    if not -INT64 <= value < INT64:
        raise ValueError(f"{text} has more than 64 bits")
    return value


def _finite(text):
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{text} is too large")
    return value


def _no_number(text):
    raise ValueError(f"{text} is no JSON")


def _check_depth(value):
    level = [value]
    for _ in range(DEPTH):
        level = [part for outer in level for part in (outer.values() if isinstance(outer, dict) else outer)
                 if isinstance(part, (dict, list))]
        if not level:
            return
    raise RecursionError


def parse(data):
    """The object or array in these bytes; ValueError if they are none, or nested too deeply for what reads it."""
    text = data.decode("utf-8")
    try:
        value = json.loads(text, parse_int=_whole, parse_float=_finite, parse_constant=_no_number)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")  # no half of a surrogate pair
        if not isinstance(value, (dict, list)) or re.search(r"(?<!\\)(\\\\)*\\u0000", text):
            raise ValueError("no object, or a text with a NUL in it")
        _check_depth(value)
    except RecursionError as error:
        raise ValueError(f"objects and arrays nested more than {DEPTH} levels deep") from error
    return value


def is_number(value):
    """For Python, True and False are numbers, too."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def number(value):
    """17 digits, so that it is read as the same number; a real one is told by its point or exponent."""
    if not isinstance(value, float):
        return str(value)
    text = re.sub(r"e\+?(-?)0*", r"e\1", f"{value:.17g}")
    return text if "." in text or "e" in text else text + ".0"


def write(value, indent=None, sort=False, margin="\n"):
    """The text of a value; indent: blanks by which its parts stand deeper, each in a line of its own."""
    if isinstance(value, float):
        return number(value)
    if not isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    inner = margin + " " * indent if indent else ""
    parts = [write(part, indent, sort, inner) for part in (() if isinstance(value, dict) else value)]
    if isinstance(value, dict):
        colon = ": " if indent else ":"
        parts = [write(key) + colon + write(value[key], indent, sort, inner)
                 for key in (sorted(value) if sort else value)]
    begin, end = "{}" if isinstance(value, dict) else "[]"
    return begin + inner + f",{inner}".join(parts) + (margin if indent else "") + end if parts else begin + end

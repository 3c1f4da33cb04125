"""Tables after RFC 4180: commas, CR LF, quotes only where they are needed.

null is an empty cell and an empty text is "", which Python's csv module cannot tell apart. Numbers are as in
the records, to the last bit. What is true or false is TRUE or FALSE, which R and pandas read as such.
"""
import json
import re


def look_up(value, path):
    """What stands at "log.bytes_peak.max"; None if nothing does."""
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def plain(value):
    """Its text; None for null."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def text_at(path, row):
    """The text of a cell: a list of plain values has blanks between them, "#failures" is a list's length."""
    value = look_up(row, path.lstrip("#"))
    if path.startswith("#"):
        return str(len(value)) if isinstance(value, list) else None
    if isinstance(value, list) and not any(isinstance(item, (list, dict)) for item in value):
        return " ".join(plain(item) or "" for item in value)
    return plain(value)


def cell(text):
    if text is None:
        return ""
    if text and not re.search(r'^ |[,"\r\n]| \Z', text):
        return text
    return '"' + text.replace('"', '""') + '"'


def header(columns):
    return ",".join(columns) + "\r\n"


def line(columns, row):
    """columns: {name: Column}."""
    return ",".join(cell(text_at(column.path, row)) for column in columns.values()) + "\r\n"

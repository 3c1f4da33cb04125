"""Records against docs/record.schema.json: every one that a test has made is checked (rollbench.call, rollbench.loads)."""
import functools
import json
import pathlib

SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "docs" / "record.schema.json"


def inline(node, definitions):
    """The same without $ref, which takes jsonschema two thirds of its time."""
    if isinstance(node, list):
        return [inline(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    node = {key: inline(value, definitions) for key, value in node.items() if key != "$defs"}
    target = inline(definitions[node.pop("$ref").rsplit("/", 1)[1]], definitions) if "$ref" in node else {}
    if any(target[key] != node[key] for key in set(target) & set(node) - {"description"}):
        return {"allOf": [target], **node}
    return {**target, **node}


@functools.cache
def whole():
    return json.loads(SCHEMA.read_text(encoding="utf-8"))


@functools.cache
def validator():
    """Made once per process, and only if there is a record: importing jsonschema takes 0.2 s."""
    import jsonschema
    return jsonschema.Draft202012Validator(inline(whole(), whole()["$defs"]))


def check(record, where="record"):
    """The record must be as the schema says; returns it."""
    errors = [f"{where}: {e.json_path}: {e.message[:300]}" for e in validator().iter_errors(record)]
    assert not errors, "\n".join(errors[:5])
    return record


def loads(text, where="record"):
    """json.loads; text that claims to follow the schema must do so. Dry runs have none."""
    value = json.loads(text)
    if isinstance(value, dict) and value.get("schema") in whole()["properties"]["schema"]["enum"]:
        check(value, where)
    return value


def written_by(args):
    """The records that a command line may write: path -> what it is now. Writing replaces the file."""
    paths = []
    for option, value in zip(args, args[1:]):
        if option == "--results":
            paths += pathlib.Path(value).glob("*.json")
        elif option == "--json" and pathlib.Path(value).is_file():
            paths.append(pathlib.Path(value))
    return {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in paths}


def check_call(args, before, stdout):
    """Check what a command wrote to files and to standard output."""
    for path, now in written_by(args).items():
        if before.get(path) != now:
            loads(path.read_text(encoding="utf-8"), path)
    if "--json" in args and stdout.startswith("{"):
        loads(stdout, "stdout")

"""docs/record.schema.json: it is what the tables of keys say, it is strict, and it is the same with and without the references that
schema.py resolves."""
import copy
import json
import subprocess
import tarfile

import pytest

import jsonschema

import schema
from rollbench import ROOT, call, new_folder, run

# Keys that a record may lack. It must have all others that are in the records below.
MAY_LACK = {"shared_memory", "policy_asked", "hosts", "ckpt_first", "node_size", "paired", "mtbf", "network", "transport", "detector", "modelled", "trace",
            "timeline", "used", "watts", "compared"}
METER = "cmd:echo time,node,watts; while :; do echo $(date +%s.%N),$(hostname),50; echo $(date +%s.%N),x,1; sleep 0.02; done"
FREE = {"params", "restored_from", "parameters"}  # no key in these is required
EXAMPLES = (("run", "jacobi", "--grid", 32, "--steps", 24, "--np", 2, "--spares", 1, "--interval", 8, "--kill", "1@13",
             "--meters", "iterations", "--timeline", "on", "--mtbf", 1000, "--seed", 1, "--node-size", 1, "--ckpt-first", 8, "--power-model",
             ROOT / "configs" / "power-model-example.yaml", "--watts", METER),
            ("run", "jacobi", "--grid", 32, "--steps", 24, "--np", 2, "--interval", 8, "--paired", 4, "--meters", "off"),
            ("run", "gauss_jordan", "--protocol", "events", "--np", 2, "--size", 60, "--lines", 2, "--line-interval", 1, "--kill", "1@20"),
            ("barrier", "--np", 2, "--seconds", 0.05, "--repetitions", 1), ("envelopes", "--repetitions", 1))


def places(value, path=()):
    """The path of everything in a record."""
    yield path
    if isinstance(value, (dict, list)):
        items = value.items() if isinstance(value, dict) else [(0, value[0])] if value else []
        for key, item in items:
            yield from places(item, (*path, key))


def at(record, path):
    for key in path:
        record = record[key]
    return record


def damaged(record):
    """(what was done, the record) for each key left out, each key too many, and each value of another type."""
    for path in places(record):
        value, above = at(record, path), path[:-1]
        changed = copy.deepcopy(record)
        if isinstance(value, dict) and not path[-1:] == ("params",):
            at(changed, path)["surplus"] = 1
            yield f"{path} with one key more", changed
        if not path or path[-1] == "used" or "used" in above:
            continue
        changed = copy.deepcopy(record)
        if isinstance(path[-1], str) and path[-1] not in MAY_LACK and not FREE & set(above):
            del at(changed, above)[path[-1]]
            yield f"{path} left out", changed
        changed = copy.deepcopy(record)
        at(changed, above)[path[-1]] = ["no", {"such": "value"}]
        yield f"{path} of another type", changed


TYPES = """| type | JSON Schema | meaning |
|---|---|---|
| `text` | `{"type": "string"}` | |
| `count` | `{"type": "integer", "minimum": 0}` | |
| `a or b` | `{"pattern": "^(a\\|b)$"}` | |
"""
TABLE = f"""# A page
{TYPES}
## `rollbench-some-1`

| key | type | meaning |
|---|---|---|
| `status` | one of `ok`, `bad` | |
| `why` | text, only if `status` is not `ok` | what went wrong |
| `hash` | text or null if `status` is not `ok` | |
| `left`, `right` | a or b | |
| `sizes` | list of 2 (count or null) or null, may lack, goes with `parts` | |
| `parts` | list of 1 or more object, may lack | |
| `parts[].by` | map of set of text | |
| `parts[].part` | [part](x.md#part) with `name` | |

| key | meaning |
|---|---|
| not a table of keys | |

```
# no heading
```

### A part of it

| key, only if `status` is not `ok` | type | meaning |
|---|---|---|
| `most` | count >= 2 or null | |

## `part`

| key | type | meaning |
|---|---|---|
| `name` | text, may lack | |

## Behind it
"""


def made(page):
    """(exit status, what was said, the schema) of a folder with this page."""
    (folder := new_folder()).joinpath("record.md").write_text(page, encoding="utf-8")
    done = subprocess.run([ROOT / "scripts" / "record-schema", folder], capture_output=True, text=True, timeout=60, check=False)
    out = folder / "record.schema.json"
    return done.returncode, done.stderr.replace(f"{folder}/", ""), json.loads(out.read_text(encoding="utf-8")) if out.exists() else None


def test_the_schema_is_what_the_tables_say():
    done = subprocess.run([ROOT / "scripts" / "record-schema", "--check"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


GOOD = {"schema": "rollbench-some-1", "status": "ok", "hash": "x", "left": "a", "right": "b"}
BAD = {**GOOD, "status": "bad", "why": "x", "most": None}
PARTS = {**GOOD, "sizes": None, "parts": [{"by": {"x": ["y"]}, "part": {"name": "x"}}]}


def test_what_each_type_accepts():
    status, said, whole = made(TABLE)
    assert (status, said) == (0, ""), said
    valid = jsonschema.Draft202012Validator(whole).is_valid
    part = PARTS["parts"][0]
    for record in (GOOD, BAD, {**BAD, "hash": None, "most": 2}, PARTS, {**PARTS, "sizes": [0, None]}, {**GOOD, "parts": [part, part]}):
        assert valid(record), record
    for record, *changes in ((GOOD, {"hash": None}, {"left": "c"}, {"status": None}, {"why": "x"}, {"most": 2}, {"sizes": None}, {"more": 1}),
                             (BAD, {"most": 1}, {"status": "ok"}),
                             (PARTS, {"sizes": [0]}, {"sizes": [0, -1]}, {"parts": []}, {"parts": None}, {"parts": [{**part, "more": 1}]},
                              {"parts": [{**part, "by": {"x": ["y", "y"]}}]}, {"parts": [{**part, "part": {}}]}, {"parts": [{"by": {}}]})):
        for change in changes:
            assert not valid({**record, **change}), change
    for record, *keys in ((GOOD, *GOOD), (BAD, "why", "most")):
        for key in keys:
            assert not valid({name: value for name, value in record.items() if name != key}), key
    assert whole["$defs"]["rollbench-some-1"]["properties"]["why"]["description"] == "what went wrong"


KINDS = """
## `rollbench-some-1`

| key | type | meaning |
|---|---|---|
| `kind` | one of `a`, `b` | |

| key, only if `kind` is `a` | type | meaning |
|---|---|---|
| `own` | text | |
| `both` | count | |

| key, only if `kind` is `b` | type | meaning |
|---|---|---|
| `both` | text, may lack | |

| type | JSON Schema | meaning |
|---|---|---|
| `text` | `{"type": "string"}` | |
| `count` | `{"type": "integer"}` | |
"""


def test_kinds_of_one_record():
    """A kind has its keys and no other's; a key that two kinds have may be of another type in each."""
    status, said, whole = made(KINDS)
    assert (status, said) == (0, ""), said
    valid = jsonschema.Draft202012Validator(whole).is_valid
    a, b = {"schema": "rollbench-some-1", "kind": "a", "own": "x", "both": 1}, {"schema": "rollbench-some-1", "kind": "b", "both": "x"}
    for good in (a, b, {"schema": "rollbench-some-1", "kind": "b"}):
        assert valid(good), good
    for bad in ({**a, "both": "x"}, {**b, "both": 1}, {**b, "own": "x"}, {**a, "kind": "b"}, {**b, "kind": "a"}, {**a, "more": 1},
                {key: value for key, value in a.items() if key != "both"}, {key: value for key, value in a.items() if key != "kind"}):
        assert not valid(bad), bad
    for old, new, words in (
            ("only if `kind` is `b`", "only if `kind` is `a`", "`both` is there twice"),
            ("only if `kind` is `b`", "only if `own` is `x`", "`both` is there twice"), (", only if `kind` is `b`", "", "`both` is there twice"),
            ("one of `a`, `b`", "one of `a`, `b`, `c`", "more than one and not all"), ("one of `a`, `b`", "one of `a`, `b`, may lack", "may lack"),
            ("| `own` | text | |", "| `own` | text, only if `both` is `x` | |", "beside that of its table"),
            ("| `both` | text, may lack | |", "| `kind.more` | text | |", "is no object"),
            ("| `both` | text, may lack | |", "| `part.more` | text | |", "lies in no key of this case")):
        status, said, _ = made(KINDS.replace(old, new, 1).replace("| `own`", "| `part` | object | |\n| `own`" if "part" in new else "| `own`"))
        assert status == 1 and words in said, (new, said)
    twice = KINDS.replace("| `both` | text, may lack | |", "| `both` | object | |").replace("| `both` | count | |", "| `both` | object | |")
    assert "give each a heading of its own" in made(twice)[1]


def test_a_table_that_cannot_be_read_is_told_with_its_line():
    for old, new, words in (("| a or b |", "| a or c |", "there is no type 'a or c'"), ("`left`, `right`", "`left`, `hash`", "`hash` is there twice"),
                            ("`left`, `right`", "left, right", "backticks"), ("one of `ok`, `bad`", "one of ok, bad", "backticks"),
                            ("`parts[].by`", "`partz[].by`", "`partz[]` of `rollbench-some-1`"), ("| what went wrong |", "| a | b |", "4 cells"),
                            ("## `rollbench-some-1`", "## Some", "needs a heading"), ('{"type": "string"}', '{"type: "string"}', "no JSON"),
                            ("## `part`", "## `rollbench-some-1`", "is there twice"), ("one of `ok`, `bad`", "one of `ok`, `bad` or null", "`null`")):
        assert TABLE.count(old) == 1, old
        status, said, whole = made(TABLE.replace(old, new))
        line = TABLE[:TABLE.index(old)].count("\n") + (3 if words == "needs a heading" else 1)  # that is said at the table below
        assert status == 1 and f"record.md:{line}: " in said and words in said and whole is None, (new, said)
    for old, new, words in (("goes with `parts`", "goes with `pars`", "no key `pars`"),
                            ("text, only if `status`", "text, only if `state`", "no key `state`"),
                            ("| `why` | text, only if", "| `most` | text, only if", "`most` is there twice"),
                            ("[part](x.md#part) with `name`", "text", "nothing refers to `part`"), ("(x.md#part)", "(x.md#port)", "no type"),
                            ("[part](x.md#part)", "[port](x.md#port)", "no heading `port`"),
                            (TABLE, "# A page", "name of a schema")):
        assert TABLE.count(old) == 1, old
        status, said, whole = made(TABLE.replace(old, new))
        assert status == 1 and words in said and whole is None, (new, said)


def test_kept_records_are_of_today():
    """Figures of the documentation and several tests are made of them (data/records)."""
    count = 0
    for path in sorted((ROOT / "data" / "records").glob("*.tar.xz")):
        with tarfile.open(path) as archive:
            members = [member for member in archive if member.name.endswith(".json")]
            for member in members[::25]:
                schema.check(json.load(archive.extractfile(member)), member.name)
                count += 1
    assert count > 20, count


@pytest.mark.long
def test_a_record_with_any_other_shape_is_refused():
    whole = schema.whole()
    jsonschema.Draft202012Validator.check_schema(whole)
    with_references, count = jsonschema.Draft202012Validator(whole), 0
    for args in EXAMPLES:
        done = call(*args, "--json", "-")
        assert done.returncode == 0, done.stderr
        record = json.loads(done.stdout)
        with_references.validate(schema.check(record))
        for what, bad in damaged(record):
            assert not schema.validator().is_valid(bad), what
            assert count % 10 or not with_references.is_valid(bad), what
            count += 1
    assert count > 300, count


def test_what_one_key_says_of_another():
    record = run("jacobi", "--grid", 32, "--steps", 8, "--np", 2)
    del record["_stderr"]
    for change in ({"message": "a message of what went well"}, {"state_hash": None}, {"loop_s": None}, {"verdict": None},
                   {"status": "wrong"}, {"status": "lost"}, {"id": "without a key"}, {"lost_hosts": ["without hosts"]},
                   {"hosts": ["without lost_hosts"]}, {"kind": "elc"}, {"kind": "line"}, {"protocol": "events"},
                   {"schema": "rollbench-run-2"}, {"schema": "rollbench-sweep-1"}, {"finished_at": "yesterday"},
                   {"state_hash": "0123"}, {"state_hash": 16 * "0"}, {"roles": []}, {"np": 0}, {"np": "2"}, {"np": 2.5}, {"wall_s": -1}):
        assert not schema.validator().is_valid({**record, **change}), change
    hang = {**record, "status": "hang", "message": "no end", "state_hash": None, "loop_s": None, "verdict": None}
    schema.check({**hang, "roles": [{"role": 0, "phase": "not started", "used": None}, record["roles"][1]]})
    assert not schema.validator().is_valid({**hang, "roles": [{"role": 0, "phase": "step", "used": None}]})

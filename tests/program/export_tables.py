"""The tables of `rollbench export`, also of kept records, held against their dictionary columns.csv."""
import csv
import re
import tarfile

from rollbench import ROOT, call, new_folder

SHAPES = {"integer": r"-?\d+", "number": r"-?\d+(\.\d+)?(e-?\d+)?", "logical": "TRUE|FALSE", "text": r"(?s:.*)"}  # by type
UNITS = {"s", "J", "bytes", "bytes/s", "iterations", ""}


def kept(name):
    """A results folder of its own with a sweep of data/records."""
    folder = new_folder()
    with tarfile.open(ROOT / "data" / "records" / f"{name}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder / name


def exported(results):
    """A folder with the tables of a sweep as CSV files."""
    done = call("export", "--csv", results, "--out", results.parent / "tables")
    assert done.returncode == 0, done
    return results.parent / "tables"


def table(folder, name):
    with open(folder / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def wrong_cells(folder):
    """What the dictionary says that is not so."""
    wrong, columns, ids = [], table(folder, "columns"), {row["id"] for row in table(folder, "runs")}
    for name in dict.fromkeys(column["table"] for column in columns):
        mine, rows_ = [column for column in columns if column["table"] == name], table(folder, name)
        with open(folder / f"{name}.csv", newline="", encoding="utf-8") as file:
            header = next(csv.reader(file))
        if header != [column["name"] for column in mine]:
            wrong.append(f"{name}: {header}")
            continue
        wrong += [f"{name}.{column['name']}: {row[column['name']]} is no {column['type']}" for row in rows_ for column in mine
                  if row[column["name"]] and not re.fullmatch(SHAPES[column["type"]], row[column["name"]])]
        key = [column["name"] for column in mine if column["key"] == "TRUE"]
        if len({tuple(row[part] for part in key) for row in rows_}) != len(rows_):
            wrong.append(f"{name}: rows with the same {key}")
        wrong += [f"{name}: no run {row['id']}" for row in rows_ if row["id"] not in ids]
        wrong += [f"{name}.{column['name']}: no unit {column['unit']}, type or meaning" for column in mine
                  if column["unit"] not in UNITS or column["type"] not in SHAPES or len(column["meaning"]) < 4]
    tables = {path.stem for path in folder.glob("*.csv")} - {"columns"}
    return wrong + [f"{name}: not in columns.csv" for name in tables - {column["table"] for column in columns}]

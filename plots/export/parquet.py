"""The tables as Parquet files, if pandas has a library that writes them (pyarrow or fastparquet)."""
import importlib.util
import io

from plots.common.command import Refused

LIBRARIES = ("pyarrow", "fastparquet")
DTYPES = {"integer": "Int64", "number": "float64", "text": "string", "logical": "boolean"}  # null is null in all of them


def check():
    """Refused: what would be needed is not installed."""
    if not importlib.util.find_spec("pandas"):
        raise Refused("--parquet: pandas is not installed (Debian: python3-pandas); --csv needs nothing")
    if not any(map(importlib.util.find_spec, LIBRARIES)):
        raise Refused("--parquet: neither pyarrow nor fastparquet is installed. Install one (for instance `pip install pyarrow`), or take "
                      "--csv, which needs nothing, and the types in its columns.csv")


def frame(columns, csv):
    """A table that is there as CSV, with the types of its columns."""
    import pandas  # only who asks for Parquet needs it

    dtypes = {name: DTYPES[column.type] for name, column in columns.items()}
    return pandas.read_csv(io.BytesIO(csv), dtype=dtypes, keep_default_na=False, na_values=[""], float_precision="round_trip")


def content(columns, csv):
    """The bytes of the Parquet file."""
    to = io.BytesIO()
    to.close = lambda: None  # fastparquet closes what it writes to
    frame(columns, csv).to_parquet(to, index=False)
    return to.getvalue()

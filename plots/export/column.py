"""What a column of a table is: where its value stands in a row, its type, its unit, what it means."""
import dataclasses

TYPES = ("integer", "number", "text", "logical")


@dataclasses.dataclass(frozen=True)
class Column:
    """path: "log.bytes_peak.max" in the row; "#unfired" is the length of a list."""
    path: str
    type: str
    unit: str
    meaning: str


def text(path, meaning):
    return Column(path, "text", "", meaning)


def logical(path, meaning):
    return Column(path, "logical", "", meaning)


def integer(path, meaning, unit=""):
    return Column(path, "integer", unit, meaning)


def real(path, unit, meaning):
    return Column(path, "number", unit, meaning)


def seconds(path, meaning):
    return Column(path, "number", "s", meaning)


def joules(path, meaning):
    return Column(path, "number", "J", meaning)


def size(path, meaning):
    return Column(path, "integer", "bytes", meaning)


ID = text("id", "the run: the name of its record, which all tables have")
ROLE = integer("role", "number of the role")
FAILURE = integer("number", "number of the failure in its run, from 0")


@dataclasses.dataclass(frozen=True)
class Table:
    """key: the columns that tell its rows apart; rows: from a record to its rows, as texts."""
    name: str
    grain: str
    key: tuple
    columns: dict
    rows: object


DICTIONARY = {
    "table": text("table", "name of the table, without .csv"),
    "name": text("name", "name of the column"),
    "unit": text("unit", "s, J, bytes, bytes/s, iterations, or empty: a count, a name or a number"),
    "type": text("type", "integer, number, text, or logical (TRUE, FALSE)"),
    "key": logical("key", "one of the columns that tell the rows of the table apart"),
    "meaning": text("meaning", "what the column is"),
}


def of_kernel_or_not(columns):
    """Some columns are the same in tables of both kinds of runs: those that begin a table of runs, and those that end it."""
    return {**RUN_BEGIN, **columns, **RUN_END}


RUN_BEGIN = {
    "id": ID,
    "key": text("key", "hash of what was asked for and of the program"),
    "experiment": text("experiment", "name of the experiment"),
    "order_seed": integer("order_seed", "seed of the random order of the experiment's runs; empty: in the order of its file"),
    "status": text("status", "ok, wrong, hang, abort or out-of-spares; runs with --protocol cannot be the last"),
    "message": text("message", "why the status is not ok"),
    "equal": logical("compared.equal", "the final state has the bits of that of the run without failures; empty: it was not compared"),
    "reference": text("compared.reference", "the id of the run that it was compared with"),
}
RUN_END = {
    "wall_s": seconds("wall_s", "the whole launch, the start of the MPI included"),
    "deadline_s": seconds("deadline_s", "that the launch was allowed"),
    "oversubscribed": logical("oversubscribed", "more ranks than cores: trust counts, but neither seconds nor their ratios"),
    "hosts": text("hosts", "names with blanks between them; empty: no --hostfile"),
    "host": text("host.hostname", "where the command ran"),
    "cpu": text("host.cpu", "model of the processor"),
    "cores": integer("host.cores", "of that host"),
    "mpi": text("host.mpi", "the MPI and its version"),
    "mpirun": text("host.mpirun", "how jobs were started, with arguments added by the environment"),
    "compiler": text("host.compiler", "that built the program"),
    "flags": text("host.flags", "of the compiler"),
    "built_for": text("host.built_for", "the processor that the flags mean"),
    "detector_in_force": text("host.detector.how", "who notified processes of deaths: those of a host each other (host), or only the runtime of the MPI"),
    "transport_pml": text("host.transport.parameters.pml.value", "how messages are matched, as jobs were told"),
    "transport_btl": text("host.transport.parameters.btl.value", "by what they travel"),
    "transport_coll": text("host.transport.parameters.coll.value", "who has the collective functions"),
    "commit": text("host.commit", "of the program"),
}

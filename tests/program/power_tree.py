"""A machine whose power counters can be read, made of files."""
import os
import shutil
import threading
import time

from rollbench import new_folder


class Tree:
    """A machine whose packages draw WATTS each, as a powercap tree that a thread keeps up to date."""

    WATTS = 500
    RANGE = 65_000_000_000  # microjoules; it starts a second or so before its first wrap
    START = RANGE - 200_000_000

    def __init__(self):
        self.root = new_folder()
        self.zones = [self.zone(f"intel-rapl:{p}", f"package-{p}") for p in range(4)]
        self.ends, self.gone, self.still = threading.Event(), threading.Event(), threading.Event()
        self.feeder = threading.Thread(target=self.feed)

    def zone(self, folder, name):
        path = self.root / "sys/class/powercap" / folder
        path.mkdir(parents=True)
        (path / "name").write_text(name + "\n")
        (path / "max_energy_range_uj").write_text(f"{self.RANGE}\n")
        (path / "energy_uj").write_text(f"{self.START:012d}\n")
        return os.open(path / "energy_uj", os.O_WRONLY)

    def feed(self):
        begun = time.monotonic()
        while not self.ends.is_set():
            energy = (self.START + int(1e6 * self.WATTS * (time.monotonic() - begun))) % self.RANGE
            for zone in [] if self.still.is_set() else self.zones:
                if self.gone.is_set():
                    os.ftruncate(zone, 0)
                    continue
                os.pwrite(zone, f"{energy:012d}\n".encode(), 0)  # always the same length: never half a number
            time.sleep(0.001)

    def __enter__(self):
        os.environ["ROLLBENCH_METER_ROOT"] = str(self.root)
        self.feeder.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.feeder.join()
        del os.environ["ROLLBENCH_METER_ROOT"]
        shutil.rmtree(self.root)

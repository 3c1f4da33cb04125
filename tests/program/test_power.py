"""Power techniques that set the core, in whole runs on a machine made of files (tests/power-tree)."""
import json
import os
import pathlib
import signal
import struct
import subprocess
import tempfile
import threading
import time

import pytest

from rollbench import COMMAND, ROOT, call, enter_namespace, reference, refuse, refuse_all, run
from schema import loads

pytestmark = pytest.mark.alone

CPU = pathlib.Path("/sys/devices/system/cpu")
MSR = pathlib.Path("/dev/cpu")
HIGH, LOW = "3200000", "1200000"

# Role 0 has messages to replay, which takes most of the time in which it could wait.
JACOBI = ("jacobi", "--grid", 192, "--steps", 260, "--np", 2, "--policy", "all", "--interval", 250,
          "--ckpt-sync", "--kill", "1@240")


def triad(steps, interval, *kills):
    """No role has anything to replay: roles meet at checkpoints and at the end, and the first one waits until
    the other one has caught up."""
    return ("triad", "--elements", 1000000, "--steps", steps, "--interval", interval, "--np", 2,
            "--policy", "all", "--ckpt-sync", *kills)


SHORT = triad(400, 400, "--kill", "1@300")
LONG = triad(1200, 1200, "--kill", "1@1100")  # a second and more


class Machine:
    """From now on, this test and its children see this machine."""

    def __enter__(self):
        enter_namespace()
        self.folder = tempfile.mkdtemp(prefix="p")  # short: it contains sockets
        subprocess.run([ROOT / "tests" / "power-tree", self.folder], check=True)
        self.before = self.settings()
        assert set(self.before[0]) == {HIGH}, self.before
        return self

    def __exit__(self, *_):
        subprocess.run(f"umount -R {self.folder}/dev 2>/dev/null; "
                       f"rm -r --one-file-system {self.folder}", shell=True, check=True)

    @staticmethod
    def settings():
        """Highest frequencies, registers."""
        return ([(unit / "cpufreq" / "scaling_max_freq").read_text().strip()
                 for unit in sorted(CPU.glob("cpu[0-9]*"))],
                [file.read_bytes()[0x19A:].hex() for file in sorted(MSR.glob("[0-9]*/msr"))])

    def changed(self, technique, now=None):
        """Which of the technique's settings differ from the beginning; no others may."""
        slower, gated = (sum(a != b for a, b in zip(old, new))
                         for old, new in zip(self.before, now or self.settings()))
        assert slower == 0 or "dvfs" in technique, technique
        assert gated == 0 or "cm" in technique, technique
        return slower > 0 or "dvfs" not in technique, gated > 0 or "cm" not in technique

    def wait_until(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return True
            time.sleep(0.001)
        return False


class Watch:
    """Look at the settings all the time; what was seen is in .seen afterwards."""

    def __init__(self, machine):
        self.machine, self.seen, self.over = machine, [], False
        self.thread = threading.Thread(target=self.look)

    def look(self):
        while not self.over:
            now = self.machine.settings()
            if now != self.machine.before and now not in self.seen:
                self.seen.append(now)
            time.sleep(0.001)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.thread.join()


def check_reduced(technique):
    """Only role 0 waits with its core reduced, and in the end all is as before."""
    with Machine() as machine:
        for kernel in (JACOBI, SHORT):
            with Watch(machine) as watch:
                record = run(*kernel, "--power", technique)
            assert record["state_hash"] == reference(*kernel[:-2])
            frequency, clock = record["host"]["frequency"], record["host"]["clock_modulation"]
            assert (frequency["least_hz"], frequency["most_hz"], frequency["reason"]) == (1.2e9, 3.6e9, None), frequency
            assert clock["least"] in (0.0625, 0.125) and clock["most"] == 1 and clock["reason"] is None, clock
            assert record["power"] == technique and record["power_trouble"] == [], record
            waiting, dead = record["roles"]
            assert dead["reductions"] == 0 and dead["reduced_s"] == 0, dead
        assert record["failures"][0]["blocked"] == [0]
        assert waiting["reductions"] == 1 and 0 < waiting["reduced_s"] < 60, waiting
        assert any(machine.changed(technique, now) == (True, True) for now in watch.seen), watch.seen
        assert machine.settings() == machine.before
        assert not list(pathlib.Path("/dev/shm").glob("rollbench*"))


@pytest.mark.long
def test_dvfs():
    check_reduced("dvfs")


@pytest.mark.long
def test_cm():
    check_reduced("cm")


def test_both():
    check_reduced("dvfs+cm")


def start(*args):
    return subprocess.Popen([*COMMAND, "run", *map(str, args), "--json", "-"], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            stdin=subprocess.DEVNULL)


def test_sigkill_of_the_harness_restores():
    with Machine() as machine:
        harness = start(*LONG, "--power", "dvfs+cm", "--workdir", machine.folder)
        assert machine.wait_until(lambda: machine.changed("dvfs+cm") == (True, True), 60)
        harness.kill()
        assert machine.wait_until(lambda: machine.settings() == machine.before)
        harness.communicate()
        assert machine.wait_until(lambda: not list(pathlib.Path("/dev/shm").glob("rollbench.power*")))


@pytest.mark.long
def test_sigterm_of_the_harness_restores_before_it_ends():
    with Machine() as machine:
        harness = start(*LONG, "--power", "dvfs+cm")
        assert machine.wait_until(lambda: machine.changed("dvfs+cm") == (True, True), 60)
        harness.send_signal(signal.SIGTERM)
        harness.communicate()
        assert harness.returncode == 128 + signal.SIGTERM
        assert machine.settings() == machine.before
        assert not list(pathlib.Path("/dev/shm").glob("rollbench.power*"))


def guardians():
    """Pids of the guardians in our mount namespace."""
    ours = os.readlink("/proc/self/ns/mnt")
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "comm").read_text() == "rollbench-guard\n" and \
                    os.readlink(entry / "ns" / "mnt") == ours:
                yield int(entry.name)
        except OSError:
            pass


def test_sigkill_of_everybody_is_put_right_by_the_next_run():
    with Machine() as machine:
        harness = start(*LONG, "--power", "dvfs+cm", "--workdir", machine.folder)
        assert machine.wait_until(lambda: machine.changed("dvfs+cm") == (True, True), 60)
        for pid in guardians():
            os.kill(pid, signal.SIGKILL)
        harness.kill()
        harness.communicate()
        assert machine.changed("dvfs+cm") == (True, True)
        assert machine.wait_until(
            lambda: "was left reduced by process" in call("doctor", "--np", 2).stdout)
        run(*JACOBI[:-2], "--power", "cm")
        assert machine.settings() == machine.before
        assert "was left reduced" not in call("doctor", "--np", 2).stdout


def leave(technique, cpu):
    """What a run leaves if it is killed with its guardian: a reduced core, and an unlocked journal."""
    folder = pathlib.Path(f"/dev/shm/rollbench.power.{os.geteuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    setting = {"dvfs": (0, cpu, int(HIGH), int(LOW)), "cm": (1, cpu, 0x1234, 0x1212)}[technique]
    journal = struct.pack("=Iiii", 0x52424A50, 4242, 1, 1) + struct.pack("=iiQQ", *setting)
    (folder / "killed").write_bytes(journal.ljust(16 + 16 * 24, b"\0"))
    if technique == "dvfs":
        (CPU / f"cpu{cpu}" / "cpufreq" / "scaling_max_freq").write_text(LOW + "\n")


def test_whatever_runs_next_puts_right_what_was_left():
    """Runs without a technique restore it, too: else they would be measured on a slow core."""
    cpu = min(os.sched_getaffinity(0))
    plain = ("run", "jacobi", "--grid", 16, "--steps", 4, "--np", 2, "--json", "-")
    with Machine() as machine, tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder, "tiny.yaml")
        config.write_text("name: tiny\nruns:\n  - {kernel: jacobi, grid: 16, steps: 4, np: 2, "
                          "interval: 4, policy: none}\n")
        for command in (plain, ("sweep", config, "--results", f"{folder}/results"),
                        ("barrier", "--np", 2, "--seconds", 0.05, "--repetitions", 1, "--techniques", "none")):
            leave("dvfs", cpu)
            done = call(*command)
            assert done.returncode == 0, done
            assert f"unit {cpu} was left reduced by process 4242" in done.stderr, done.stderr
            assert "set again now" in done.stderr and machine.settings() == machine.before, done.stderr
            assert not list(pathlib.Path("/dev/shm").glob("rollbench.power*"))
        leave("cm", cpu)
        (MSR / str(cpu) / "msr").unlink()
        for _ in range(2):  # it stays, and so does the warning
            done = call(*plain)
            assert done.returncode == 0, done
            assert f"wrmsr -p {cpu} 0x19a 0x1234" in done.stderr and "1 of these could not" in done.stderr, done


@pytest.mark.long
def test_a_spare_takes_the_core_over():
    """It replaces role 1, and when role 0 dies, it is the one that waits."""
    with Machine() as machine:
        kernel = triad(650, 300)
        record = run(*kernel, "--kill", "1@100", "--kill", "0@350", "--power", "dvfs+cm")
        assert record["state_hash"] == reference(*kernel)
        assert record["power_trouble"] == [], record["power_trouble"]
        assert [role["reductions"] > 0 for role in record["roles"]] == [True, True], record["roles"]
        assert machine.settings() == machine.before


@pytest.mark.long
def test_what_vanishes_is_in_the_record():
    with Machine() as machine:
        harness = start(*LONG, "--power", "dvfs+cm")
        assert machine.wait_until(lambda: machine.changed("dvfs+cm") == (True, True), 60)
        for file in MSR.glob("*/msr"):
            file.rename(file.with_name("gone"))
        out, said = harness.communicate(timeout=60)
        record = loads(out)
        assert record["status"] == "ok", record
        assert "warning: --power dvfs+cm failed on the core of role 0: " in said, said
        trouble = {t["role"]: t["text"] for t in record["power_trouble"]}
        assert "could not be set again" in trouble.pop(0), record["power_trouble"]
        for text in trouble.values():  # the other role waits, too, if it came before the files vanished or after that
            assert "modprobe msr" in text or "could not be set again" in text, text
        assert machine.changed("dvfs") == (False, True)  # the other core was reduced


def test_refusals():
    with Machine():
        cores = len(os.sched_getaffinity(0))
        refuse("run", "jacobi", "--np", cores + 1, "--power", "dvfs",
               words=("--power dvfs", f"{cores + 1} roles on", "--power sleep"))
        for file in CPU.glob("cpu*/cpufreq/related_cpus"):
            file.write_text("0 900\n")
        refuse("run", *JACOBI, "--power", "dvfs", words=("in common", "--power sleep"))
        for file in MSR.glob("*/msr"):
            file.unlink()
        refuse_all(("run", *JACOBI, "--power", "cm", ("/dev/cpu/", "modprobe msr")),
                   ("run", *JACOBI, "--power", "fast", ("--power fast", "dvfs", "cm", "dvfs+cm")))


def test_roles_see_for_themselves_on_their_hosts():
    """The harness knows nothing of other hosts, so the role's refusal ends the job with its text."""
    with Machine():
        last = sorted(os.sched_getaffinity(0))[-1]
        (CPU / f"cpu{last}" / "cpufreq" / "related_cpus").write_text(f"{last} 900\n")
        done = call("run", *JACOBI, "--power", "dvfs", "--json", "-", "--deadline", 30)
        assert done.returncode == 4, done
        record = json.loads(done.stdout)
        assert "--power dvfs" in record["message"] and "in common" in record["message"], record

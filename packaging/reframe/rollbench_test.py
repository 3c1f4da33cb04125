"""A ReFrame test of an installed rollbench: `reframe -c packaging/reframe -r`. Its figures of merit are those of `rollbench run --summary`."""
import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.backends import getlauncher


@rfm.simple_test
class RollbenchRun(rfm.RunOnlyRegressionTest):
    """A role dies under each policy; the run must verify. Rollbench starts mpirun itself, so the job's own launcher is not used."""

    descr = "MPI rollback recovery: one role dies"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    policy = parameter(["none", "all"])
    kernel = variable(str, value="cg")
    roles = variable(int, value=4)
    executable = "rollbench"
    time_limit = "10m"

    @run_after("init")
    def set_options(self):
        self.executable_opts = ["run", self.kernel, "--np", str(self.roles), "--policy", self.policy, "--kill", "1@13", "--summary"]

    @run_after("setup")
    def start_without_launcher(self):
        self.job.launcher = getlauncher("local")()

    @sanity_function
    def is_right(self):
        return sn.all([sn.assert_found(r"^status: ok -$", self.stdout), sn.assert_found(r"^failures: 1 roles$", self.stdout)])

    def figure(self, name):
        return sn.extractsingle(rf"^{name}: (\S+) \S+$", self.stdout, 1, float)

    @performance_function("s")
    def loop_time(self):
        return self.figure("loop_time")

    @performance_function("s")
    def repair_time(self):
        return self.figure("repair_time")

    @performance_function("iterations")
    def iterations_repeated(self):
        return self.figure("iterations_repeated")

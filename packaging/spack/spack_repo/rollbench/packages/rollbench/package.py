# A Spack package (Spack 1.0 and newer). The project has no public address yet (docs/releases.md), so versions are fetched
# from the git repository of the checkout that this file is in:
#   spack repo add packaging/spack/spack_repo/rollbench && spack install rollbench@main
import pathlib

from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Rollbench(MakefilePackage):
    """What happens to a tightly coupled MPI program when a rank dies: an MPI rollback-recovery
    benchmark suite and reproducibility harness."""

    git = pathlib.Path(__file__).resolve().parents[6].as_uri()

    license("BSD-3-Clause")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")  # the release adds commit=

    variant("papi", default=True, description="Count cycles and read energy by PAPI")
    variant("isal", default=True, description="Checkpoints as Reed-Solomon parity by ISA-L")
    variant("simgrid", default=False, description="Build the simulator with SimGrid")
    variant("cpupower", default=False, description="Set frequencies by libcpupower")
    variant("plots", default=True, description="Figures and reports")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    # ULFM came into Open MPI's own source with 5.0; it is built in unless --without-ft is given.
    depends_on("openmpi@5:", type=("build", "link", "run"))
    # MPICH, with which `make test` holds libelc against a second MPI, cannot be a second dependency: a package has one MPI.
    depends_on("hwloc@2:")
    depends_on("jansson")
    depends_on("libfyaml")
    depends_on("xxhash")
    depends_on("pmix")  # its headers; the library is the one that Open MPI loads
    depends_on("papi+rapl+powercap", when="+papi")
    depends_on("isa-l", when="+isal")
    depends_on("simgrid@4:", when="+simgrid", type=("build", "link", "run"))
    # libcpupower comes with the kernel's tools and has no Spack package: with +cpupower the system's is taken
    # (libcpupower-dev, kernel-tools-libs-devel).
    depends_on("cmocka", type=("build", "test"))
    depends_on("python@3.9:", type=("build", "run"))  # man pages and completion, then figures
    with when("+plots"):
        depends_on("py-matplotlib@3.7:", type="run")
        depends_on("py-numpy", type="run")
        depends_on("py-reportlab", type="run")
        depends_on("py-scipy", type="run")
        depends_on("py-pyyaml", type="run")
        depends_on("py-xxhash", type="run")
        depends_on("gnuplot", type="run")

    def without(self):
        """The optional libraries that the build leaves out."""
        return " ".join(name for name in ("papi", "isal", "simgrid", "cpupower") if f"~{name}" in self.spec)

    def setup_build_environment(self, env: EnvironmentModifications) -> None:
        # With MPICC set, scripts/with-env takes that MPI and installs nothing by itself. Spack's compiler
        # wrappers know the libraries, and choose the processor's instructions by the spec's target.
        env.set("MPICC", self.spec["openmpi"].prefix.bin.mpicc)
        env.set("PREFIX", self.prefix)
        env.set("CFLAGS", "-O3 -g")
        env.set("WITHOUT", self.without())

    def test_list(self):
        """Kernels are listed."""
        rollbench = which(self.prefix.bin.rollbench, required=True)
        out = rollbench("list", "kernels", output=str.split, error=str.split)
        check_outputs([r"cg ", r"lulesh ", r"jacobi "], out)

    def test_run(self):
        """A role dies, and the result is right."""
        rollbench = which(self.prefix.bin.rollbench, required=True)
        out = rollbench("run", "jacobi", "--np", "2", "--grid", "32", "--steps", "30", "--kill", "1@13", output=str.split, error=str.split)
        check_outputs([r"status: ok"], out)

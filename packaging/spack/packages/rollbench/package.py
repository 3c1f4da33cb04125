# A Spack package. It has no address to fetch from, so it is built from a checkout:
#   spack repo add packaging/spack && spack dev-build rollbench@main
from spack.package import *  # noqa: F401,F403  (that is how Spack packages begin)


class Rollbench(MakefilePackage):
    """What happens to a tightly coupled MPI program when a rank dies: an MPI rollback-recovery
    benchmark suite and reproducibility harness."""

    license("BSD-3-Clause")

    version("main")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    # ULFM came into Open MPI's own source with 5.0; it is built in unless --without-ft is given.
    depends_on("openmpi@5:", type=("build", "link", "run"))
    depends_on("hwloc@2:")
    depends_on("jansson")
    depends_on("libfyaml")
    depends_on("papi")
    depends_on("isa-l")
    depends_on("xxhash")
    # MPICH, with which `make test` holds libelc against a second MPI, cannot be a second dependency: a package has one MPI.
    # libcpupower comes with the kernel's tools and has no Spack package: take the system's
    # (libcpupower-dev, kernel-tools-libs-devel).
    depends_on("simgrid@4:")  # `make test` holds the simulator against it
    depends_on("cmocka")  # `make test`; scripts/with-env asks for it, too
    depends_on("python@3.9:", type=("build", "run"))  # man page and completion, then figures
    depends_on("py-matplotlib", type="run")
    depends_on("gnuplot", type="run")

    def edit(self, spec, prefix):
        # With MPICC set, scripts/with-env takes that MPI and installs nothing by itself. Spack's compiler
        # wrappers know the libraries, and choose the processor's instructions by the spec's target.
        env["MPICC"] = spec["openmpi"].prefix.bin.mpicc
        env["PREFIX"] = prefix
        env["CFLAGS"] = "-O3 -g"

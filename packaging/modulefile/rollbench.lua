-- A modulefile for Lmod: put the prefix of the installation in the next line, and this file below a folder of MODULEPATH
-- as rollbench/0.1.0.lua.
local prefix = "/opt/rollbench"

help("rollbench: what happens to a tightly coupled MPI program when a rank dies. See rollbench --help, man rollbench.")
whatis("Name: rollbench")
whatis("Version: 0.1.0")
whatis("Description: MPI rollback-recovery benchmark suite and reproducibility harness")

-- The Open MPI 5 with ULFM that it was built with.
depends_on("openmpi")
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
prepend_path("LD_LIBRARY_PATH", pathJoin(prefix, "lib"))
prepend_path("CPATH", pathJoin(prefix, "include"))
prepend_path("PKG_CONFIG_PATH", pathJoin(prefix, "lib/pkgconfig"))
prepend_path("FPATH", pathJoin(prefix, "share/zsh/site-functions"))
prepend_path("XDG_DATA_DIRS", pathJoin(prefix, "share"))

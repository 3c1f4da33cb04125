! A Fortran program with the module mpi_f08, where ierror may be left out.
program calls
  use mpi_f08
  implicit none
  type(MPI_Request) :: r(4)
  type(MPI_Comm) :: half
  type(MPI_Status) :: status
  double precision :: out(100), in(100)
  integer :: rank, right, left, part, total, ierror, n
  type(MPI_Comm) :: ring
  type(MPI_Request) :: q(8)
  type(MPI_Win) :: win
  type(MPI_Datatype) :: kinds(4)
  character(16) :: how
  integer :: ones(4) = 1, at(4) = (/ 0, 4, 8, 12 /), counts(2) = (/ 1, 2 /), back(2) = (/ 2, 1 /)
  integer(MPI_ADDRESS_KIND) :: far(2) = (/ 0, 16 /)
  ! Buffers of requests that are open at the same time.
  integer :: a(16) = 1, b(16), c(16), d(16), e(16), f(16), g(16), h(16)

  include 'calls.inc'
contains
  subroutine send(to)
    integer, intent(in) :: to

    call MPI_Send(out, 1, MPI_DOUBLE_PRECISION, to, 5, MPI_COMM_WORLD)
  end subroutine
end program

! A Fortran program with mpif.h.
program calls
  implicit none
  include 'mpif.h'
  integer :: r(4), half, status(MPI_STATUS_SIZE)
  double precision :: out(100), in(100)
  integer :: rank, right, left, part, total, ierror, n
  integer :: ring, q(8), win, kinds(4)
  character(16) :: how
  integer :: ones(4) = 1, at(4) = (/ 0, 4, 8, 12 /), counts(2) = (/ 1, 2 /), back(2) = (/ 2, 1 /)
  integer(MPI_ADDRESS_KIND) :: far(2) = (/ 0, 16 /)
  ! Buffers of requests that are open at the same time.
  integer :: a(16) = 1, b(16), c(16), d(16), e(16), f(16), g(16), h(16)

  include 'calls.inc'
contains
  subroutine send(to)
    integer, intent(in) :: to

    call MPI_Send(out, 1, MPI_DOUBLE_PRECISION, to, 5, MPI_COMM_WORLD, ierror)
  end subroutine
end program

"""What the matrix of CG takes."""

# Bytes of the column and value of each nonzero (kernels/cg/matrix.h). The layout, 3 % of them in class B, is not counted.
ELEMENT = 10
NONZEROS = {"A": 1853104, "B": 13708072}  # after merging, by class
ROWS = {"A": 14000, "B": 75000}

"""Write the golden files: `make golden`."""

from tests.golden.making import write_all

write_all()

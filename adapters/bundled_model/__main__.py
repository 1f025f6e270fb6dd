"""`python -m adapters.bundled_model` prepares the model; `make setup` runs it."""

import sys

from adapters.bundled_model.prepare import main

sys.exit(main(sys.argv[1:]))

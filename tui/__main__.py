"""Runs the command line as `python -m anchorlight.tui`."""

import sys

from .cli import main

sys.exit(main())

"""``python -m rooflint``."""

import os
import sys

# ``-m`` puts the current folder first, which may be the analysed tree: nothing comes from there
if sys.path and os.path.realpath(sys.path[0] or os.curdir) == os.path.realpath(os.curdir):
    del sys.path[0]

from rooflint.cli.main import main

main()

"""Settings of the whole suite."""

import os

from hypothesis import settings

# The same examples on every run, so that a change is judged by what it changes. New ones are looked for on purpose:
# HYPOTHESIS_PROFILE=random, with more of them by MARKITECT_EXAMPLES, or `make fuzz`.
settings.register_profile("suite", derandomize=True, deadline=None)
settings.register_profile("random", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))

"""Regular expressions that few books need: compiled when the first of them comes, and then at hand.

Compiling one takes up to a millisecond, which a command that starts anew for each book would pay for all of them.
`re.search(text, …)` looks its text up anew by the type, too, and takes several times as long for that.
"""

import re
from functools import cache

compiled = cache(re.compile)

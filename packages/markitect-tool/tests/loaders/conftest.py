"""A source with sections, an author and a link, and the frameworks that load it."""

import pytest

TEXT = """\
# Harbour log

Low water at nine.

## Monday

Wind from the west.

### Evening

Salt at ten, [light](#harbour-log).
"""


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.md"
    path.write_text(TEXT)
    return path


@pytest.fixture
def nowhere(tmp_path):
    return tmp_path / "nowhere.md"

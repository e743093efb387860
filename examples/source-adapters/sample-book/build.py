"""Build the sample book: zip the files under ``book/`` the same way on every machine.

    python build.py OUTPUT.epub

Members are stored in sorted order after ``mimetype``, uncompressed (deflate differs between zlib builds) and
with the ZIP format's earliest date, so the same sources always give the same bytes.
"""

import sys
import zipfile
from pathlib import Path

SOURCE = Path(__file__).parent / "book"
EARLIEST = (1980, 1, 1, 0, 0, 0)


def build(output: Path) -> None:
    """Write the book to `output`, whose folder is made when it is missing."""
    output.parent.mkdir(parents=True, exist_ok=True)
    members = {path.relative_to(SOURCE).as_posix(): path for path in SOURCE.rglob("*") if path.is_file()}
    with zipfile.ZipFile(output, "w", zipfile.ZIP_STORED) as book:
        book.writestr(member("mimetype"), "application/epub+zip")
        for name in sorted(members):
            book.writestr(member(name), members[name].read_bytes())


def member(name: str) -> zipfile.ZipInfo:
    """The archive's entry for `name`, free of everything that would tell one machine from another."""
    info = zipfile.ZipInfo(name, EARLIEST)
    info.create_system = 3
    return info


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python build.py OUTPUT.epub")
    build(Path(sys.argv[1]))

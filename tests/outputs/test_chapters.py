"""A folder of chapters."""

import pytest
import yaml


def test_chapters_are_files_with_an_index(mkt, harbour, here, files, png):
    result = mkt(harbour, "--split", "out")
    assert (result.exit_code, result.output) == (0, "")
    found = files(here / "out")
    assert found["index.md"].decode() == "# Book\n\n- [1](01-1.md)\n- [2](02-2.md)\n"
    assert found["assets/map.png"] == png
    assert found["01-1.md"].decode() == (
        '# <a id="one"></a>One\n\nSalt[^1], see [two](02-2.md#two).\n\n![Map](assets/map.png)\n\n[^1]: Per barrel.\n'
    )
    assert found["02-2.md"].decode() == (
        '# <a id="two"></a>Two\n\nBack to [one](01-1.md#one). `![](OPS/img/map.png)`\n\n![Map](assets/map.png)\n'
    )


@pytest.mark.parametrize("assets", ["pics", "out/pics", "out/deep/pics"])
def test_folder_for_pictures_among_the_chapters_has_another_name(mkt, harbour, here, assets):
    assert mkt(harbour, "--split", "out", "--assets", assets).exit_code == 0
    assert (here / "out" / assets.removeprefix("out/") / "map.png").exists()
    assert f"({assets.removeprefix('out/')}/map.png)" in (here / "out/01-1.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("assets", ["..", "other/pics", ".", ".hidden", "/pics"])
def test_folder_for_pictures_elsewhere_is_refused(mkt, harbour, here, assets, files):
    result = mkt(harbour, "--split", "out", "--assets", assets)
    assert (result.exit_code, "among the chapters" in result.stderr) == (2, True)
    assert list(files(here)) == ["harbour.epub"]


def test_chapter_says_what_it_is(mkt, harbour, here):
    assert mkt(harbour, "--split", "out", "--front-matter", "yaml").exit_code == 0
    _, head, text = (here / "out/02-2.md").read_text(encoding="utf-8").split("---\n")
    assert yaml.safe_load(head)["heading_path"] == ["2"]
    assert text.startswith('\n# <a id="two"></a>Two')

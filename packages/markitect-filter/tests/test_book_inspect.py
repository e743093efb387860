"""Inspecting reads the package and the navigation and not one chapter."""

import pytest

THREE = ["<p>a</p>", "<p>b</p>", "<p>c</p>"]


@pytest.fixture
def opened(monkeypatch):
    """The members that were unpacked."""
    from markitect_filter.epub3.container.archive import Archive

    names = []
    real = Archive.read

    def counting(self, name, **options):
        names.append(name)
        return real(self, name, **options)

    monkeypatch.setattr(Archive, "read", counting)
    return names


def test_no_chapter_is_unpacked(inspect, opened):
    assert inspect(THREE).valid
    assert set(opened) == {"mimetype", "META-INF/container.xml", "OPS/book.opf", "OPS/nav.xhtml"}


def test_chapters_that_cannot_be_read_do_not_matter(inspect):
    found = inspect(THREE, files={f"OPS/c{n}.xhtml": b"\0\xff<" for n in (1, 2, 3)})
    assert found.valid
    assert found.diagnostics == []


def test_metadata_is_that_of_the_document(inspect, read):
    assert inspect(THREE).metadata.title == "Salt"
    raw = dict(read(THREE).document.metadata.raw)
    del raw["toc"]
    assert inspect(THREE).metadata.raw == raw


def test_counts(inspect):
    manifest = (
        '<item id="p" href="p.png" media-type="image/png"/><item id="f" href="f.otf" media-type="font/otf"/>'
        '<item id="a" href="a.mp3" media-type="audio/mpeg"/><item id="v" href="v.mp4" media-type="video/mp4"/>'
    )
    spine = '<itemref idref="i1"/><itemref idref="i2" linear="no"/><itemref idref="i3"/>'
    found = inspect(THREE, manifest=manifest, spine=spine, pages=[("1", "c1.xhtml")])
    assert found.capabilities["counts"] == {
        "manifest": 8,
        "spine": 3,
        "nonlinear": 1,
        "toc": 3,
        "pages": 1,
        "images": 1,
        "audio": 1,
        "video": 1,
        "fonts": 1,
    }


def test_plain_book_has_no_features(inspect):
    assert not any(inspect(THREE).capabilities["features"].values())


@pytest.mark.parametrize(
    ("properties", "feature"),
    [("mathml", "mathml"), ("scripted", "scripts"), ("svg", "svg"), ("remote-resources", "remote_resources")],
)
def test_feature_that_the_manifest_states(inspect, properties, feature):
    item = f'<item id="i1" href="c1.xhtml" properties="{properties}" media-type="application/xhtml+xml"/>'
    features = inspect("<p>a</p>", items=item).capabilities["features"]
    assert {name for name, value in features.items() if value} == {feature}


def test_media_overlay_is_a_feature(inspect):
    item = '<item id="i1" href="c1.xhtml" media-overlay="o" media-type="application/xhtml+xml"/>'
    overlay = '<item id="o" href="o.smil" media-type="application/smil+xml"/>'
    assert inspect("<p>a</p>", items=item + overlay).capabilities["features"]["media_overlays"]


def test_fixed_layout_is_a_feature(inspect):
    metadata = '<meta property="rendition:layout">pre-paginated</meta>'
    assert inspect("<p>a</p>", metadata=metadata).capabilities["features"]["fixed_layout"]


def test_page_list_is_a_feature(inspect):
    assert inspect("<p>a</p>", pages=[("1", "c1.xhtml")]).capabilities["features"]["page_list"]


def test_roles_are_those_that_the_package_tells(inspect):
    guide = '<guide><reference type="cover" href="c1.xhtml"/><reference type="index" href="c3.xhtml"/></guide>'
    assert inspect(THREE, guide=guide).capabilities["roles"] == {"cover": 1, "index": 1, "navigation": 1}


def test_missing_chapter_lowers_the_confidence_and_is_reported_once(inspect):
    found = inspect(THREE, files={"OPS/c2.xhtml": None})
    assert found.valid
    assert [entry.code for entry in found.diagnostics] == ["source.spine_item_missing"]
    assert found.quality.confidence == pytest.approx(2 / 3, abs=0.001)


def encryption(*members):
    entries = "".join(
        '<EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#">'
        '<EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/>'
        f'<CipherData><CipherReference URI="{member}"/></CipherData></EncryptedData>'
        for member in members
    )
    return f'<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container">{entries}</encryption>'


def test_encrypted_chapter_is_a_warning(inspect):
    found = inspect(THREE, files={"META-INF/encryption.xml": encryption("OPS/c1.xhtml")})
    (entry,) = found.diagnostics
    assert (found.valid, entry.code, entry.severity) == (True, "source.encrypted", "warning")
    assert found.capabilities["features"]["encryption"] == "unknown"


def test_book_that_is_encrypted_as_a_whole_is_invalid(inspect):
    found = inspect(THREE, files={"META-INF/encryption.xml": encryption(*(f"OPS/c{n}.xhtml" for n in (1, 2, 3)))})
    assert not found.valid


def test_renditions_are_counted(inspect):
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
        '<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/>'
        '<rootfile full-path="OPS/two.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    found = inspect(THREE, files={"META-INF/container.xml": container, "OPS/two.opf": "<package/>"})
    assert (found.capabilities["rendition"], found.capabilities["renditions"]) == ("OPS/book.opf", 2)


def test_option_that_does_not_exist_is_refused(inspect):
    found = inspect(THREE, {"segments": "toc"})
    assert not found.valid
    assert [entry.code for entry in found.diagnostics] == ["source.unknown_option"]


def test_role_that_does_not_exist_is_refused(read):
    assert read(THREE, {"skip": "chapters"}).codes == ["source.invalid_option"]

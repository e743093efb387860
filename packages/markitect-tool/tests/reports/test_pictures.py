"""Which pictures come along, and as what."""

import struct

import pytest
from markitect_tool.reports.pictures import MAX_PICTURE, MAX_PICTURES, Pictures, shown_type


def png(width=4, height=4, more=b""):
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height) + more


def jpeg(width, height):
    return b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x0b\x08" + struct.pack(">HH", height, width) + b"\x01\x01\x11\0"


def webp(width, height):
    size = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + size


SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>'


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (png(), "image/png"),
        (jpeg(40, 30), "image/jpeg"),
        (b"GIF89a" + struct.pack("<HH", 3, 3), "image/gif"),
        (webp(40, 30), "image/webp"),
        (b'<?xml version="1.0"?>\n<!-- a --><!-- b -->' + SVG, "image/svg+xml"),
    ],
)
def test_picture_is_known_by_its_bytes(data, media_type):
    assert shown_type(data) == media_type


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GIF89a",
        b"\xff\xd8\xff",
        b"\x89PNG\r\n\x1a\n",
        b"<html><script>hit()</script></html>",
        b"<!DOCTYPE svg [<!ENTITY a 'b'>]>" + SVG,
        SVG.replace(b"<path", b"<use href='#a'/><path"),
        SVG.replace(b"<path", b"<svg:filter id='a'/><path"),
        SVG.replace(b"<path", b"<foreignObject/><path"),
        SVG.replace(b"<path", b"<script>hit()</script><path"),
        SVG.decode().encode("utf-16"),
    ],
)
def test_what_is_no_picture_or_a_heavy_drawing_is_not_shown(data):
    assert shown_type(data) is None


@pytest.mark.parametrize("data", [png(30_000, 30_000), jpeg(60_000, 60_000), webp(1 << 14, 1 << 14), png(0, 4)])
def test_picture_of_too_many_pixels_is_not_shown(data):
    assert shown_type(data) is None


def test_comments_without_end_take_no_time():
    assert shown_type(b"<!--" * 500_000) is None


def test_file_over_the_limit_is_not_shown():
    assert Pictures(lambda destination: png(more=bytes(MAX_PICTURE)))("a.png") is None


def test_pictures_of_a_page_are_bounded_however_often_one_is_shown():
    pictures = Pictures(lambda destination: png(more=bytes(MAX_PICTURE // 2)))
    shown = [url for _ in range(40) if (url := pictures("a.png")) is not None]
    assert 0 < sum(map(len, shown)) <= MAX_PICTURES
    assert pictures.omitted == 40 - len(shown)


def test_picture_is_read_once():
    read = []
    pictures = Pictures(lambda destination: read.append(destination) or png())
    assert pictures("a.png") == pictures("a.png")
    assert read == ["a.png"]

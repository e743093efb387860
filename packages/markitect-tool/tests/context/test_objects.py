"""Objects as their files declare them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from markitect_tool.context import OpenContext
from markitect_tool.context.model import Trust
from markitect_tool.context.objects import ContextObject, derive_id

Write = Callable[..., Path]
DIGEST = "sha256:" + "0" * 64


def only(folder: Path) -> ContextObject:
    project = OpenContext.load(folder)
    assert [found.message for found in project.diagnostics if found.severity == "error"] == []
    (declared,) = project.objects
    return declared


def errors(folder: Path) -> list[tuple[str, str | None]]:
    return [(found.code, found.source) for found in OpenContext.load(folder).diagnostics if found.severity == "error"]


def test_markdown_with_front_matter(write_project: Write) -> None:
    text = "---\nid: policies.refunds\ntype: policy\ntitle: Refunds\ntags: [a]\n---\n\nWithin 30 days.\n"
    declared = only(write_project({"notes/a.md": text}))
    assert declared == ContextObject(
        "policies.refunds",
        "policy",
        "notes/a.md",
        "Within 30 days.\n",
        "text/markdown",
        title="Refunds",
        fields={"tags": ["a"]},
    )


def test_markdown_with_windows_line_ends(write_project: Write) -> None:
    declared = only(write_project({"notes/a.md": "---\r\nid: b\r\n---\r\nText.\r\n"}))
    assert (declared.id, declared.content) == ("b", "Text.\r\n")


def test_plain_markdown_is_its_own_content(write_project: Write) -> None:
    text = "# Title\n\n---\n\nText.\n"
    declared = only(write_project({"notes/a.md": text}))
    assert (declared.id, declared.type, declared.content) == ("notes.a", "document", text)


def test_yaml_object_with_structured_content(write_project: Write) -> None:
    declared = only(write_project({"notes/a.yaml": "id: b\ncontent: {plan: big}\n"}))
    assert (declared.content, declared.content_type) == ({"plan": "big"}, "application/json")


def test_json_object_that_points_at_its_content(write_project: Write) -> None:
    source = {"uri": "crm://y", "digest": DIGEST, "kind": "api"}
    text = json.dumps({"id": "b", "content_uri": "crm://y", "sources": [source]})
    declared = only(write_project({"notes/a.json": text}))
    assert declared.content_uri == "crm://y"
    (source,) = declared.sources
    assert (source.uri, source.digest, source.trust, source.fields) == ("crm://y", DIGEST, None, {"kind": "api"})


def test_document_of_the_manifest_is_an_object_by_its_key(write_project: Write) -> None:
    folder = write_project({"a.md": "Text."}, manifest="context: {mission: ./a.md}\ncollections: {}")
    assert (only(folder).id, only(folder).content) == ("mission", "Text.")


def test_id_in_the_file_wins_over_the_key(write_project: Write) -> None:
    folder = write_project(
        {"a.md": "---\nid: vision\n---\nText."}, manifest="context: {mission: a.md}\ncollections: {}"
    )
    assert only(folder).id == "vision"


def test_document_that_is_a_uri_points_at_it(write_project: Write) -> None:
    folder = write_project({}, manifest="context: {handbook: 'https://example.org/h.md'}\ncollections: {}")
    assert only(folder).content_uri == "https://example.org/h.md"


def test_file_of_another_format_is_pointed_at(write_project: Write) -> None:
    folder = write_project({"b/a b.epub": b"x"}, manifest="collections: {books: b/*.epub}")
    assert (only(folder).id, only(folder).content_uri) == ("books.a-b", "file://./b/a%20b.epub")


def test_collection_gives_what_its_members_omit(write_project: Write) -> None:
    manifest = "collections: {notes: {source: notes/*, type: note, owner: ann}}"
    declared = only(write_project({"notes/a.md": "---\nowner: bob\n---\nText."}, manifest=manifest))
    assert (declared.type, declared.fields["owner"]) == ("note", "bob")


@pytest.mark.parametrize(
    ("path", "id"),
    [
        ("refund.md", "p.refund"),
        ("support/Refund Policy (v2).md", "p.support.refund-policy-v2"),
        ("support/index.md", "p.support"),
        ("README.md", "p"),
        ("Größe_2.yaml", "p.große_2".replace("ß", "-")),
        ("日本.md", None),
    ],
)
def test_id_is_derived_from_the_path(path: str, id: str | None) -> None:
    assert derive_id("p", path) == id


def test_duplicate_id_names_both_files(write_project: Write) -> None:
    folder = write_project({"notes/a.md": "---\nid: x\n---\nA.", "notes/b.md": "---\nid: x\n---\nB."})
    (found,) = OpenContext.load(folder).diagnostics
    assert (found.code, found.details["files"]) == ("context.duplicate_id", ["notes/a.md", "notes/b.md"])


def test_file_named_twice_is_one_object_and_a_note(write_project: Write) -> None:
    folder = write_project({"notes/a.md": "A."}, manifest="context: {mission: notes/a.md}")
    project = OpenContext.load(folder)
    assert [declared.id for declared in project.objects] == ["mission"]
    assert [(found.code, found.severity) for found in project.diagnostics] == [("context.file_repeated", "info")]


@pytest.mark.parametrize(
    "text",
    [
        "---\nid: Not An Id\n---\nText.",
        "---\nid: 3\n---\nText.",
        "---\nid: x\n---\n \n",
        "",
        "---\ncontent: ''\n---\n",
        "---\ncontent: 3\n---\n",
        "---\ncontent: a\n---\nb",
        "---\ncontent_uri: file://./x\n---\nb",
        "---\ncontent_uri: x.md\n---\n",
        "---\ntrust: much\n---\nText.",
        "---\ntitle: [a]\n---\nText.",
        "---\nsources: {uri: crm://y}\n---\nText.",
        "---\nsources: [{digest: x}]\n---\nText.",
        "---\nsources: [{uri: 'crm://y', digest: md5:0}]\n---\nText.",
        "---\n- a\n---\nText.",
    ],
)
def test_object_that_breaks_a_rule_is_an_error_at_its_file(write_project: Write, text: str) -> None:
    folder = write_project({"notes/a.md": text})
    assert errors(folder) == [("context.object_invalid", "notes/a.md")]


def test_malformed_front_matter_is_an_error_at_its_line(write_project: Write) -> None:
    (found,) = OpenContext.load(write_project({"notes/a.md": "---\nid: x\nb: [\n---\nText."})).diagnostics
    assert (found.code, found.source) == ("context.document_malformed", "notes/a.md")
    assert found.line is not None
    assert found.line >= 3


def test_all_that_is_wrong_with_one_object_is_reported(write_project: Write) -> None:
    folder = write_project({"notes/a.md": "---\nid: X\ntrust: much\ntitle: 3\n---\n"})
    assert len(errors(folder)) == 4


def test_missing_document_is_source_unavailable(write_project: Write) -> None:
    folder = write_project({}, manifest="context: {mission: gone.md}\ncollections: {}")
    assert errors(folder) == [("source-unavailable", "gone.md")]


@pytest.mark.parametrize("place", ["../outside.md", "/etc/hostname", "a/../../outside.md", "%2e%2e/outside.md"])
def test_document_outside_of_the_folder_is_path_traversal(write_project: Write, tmp_path: Path, place: str) -> None:
    (tmp_path / "outside.md").write_text("secret")
    folder = write_project({}, manifest=f"context: {{mission: {place!r}}}\ncollections: {{}}")
    assert [code for code, _ in errors(folder)] == ["path-traversal"]


def test_link_out_of_the_folder_is_path_traversal(write_project: Write, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("secret")
    folder = write_project({"notes/b.md": "B."})
    (folder / "notes/a.md").symlink_to(tmp_path / "outside.md")
    assert [code for code, _ in errors(folder)] == ["path-traversal"]
    assert [declared.id for declared in OpenContext.load(folder).objects] == ["notes.b"]


def test_collection_without_a_file_is_a_warning(write_project: Write) -> None:
    (found,) = OpenContext.load(write_project({})).diagnostics
    assert (found.code, found.severity) == ("context.collection_empty", "warning")


def test_member_cannot_raise_the_trust_of_its_collection(write_project: Write) -> None:
    manifest = "collections: {notes: {source: notes/*, trust: untrusted}}"
    assert only(write_project({"notes/a.md": "---\ntrust: trusted\n---\nText."}, manifest=manifest)).trust is (
        Trust.UNTRUSTED
    )


@pytest.mark.parametrize(
    "field", ["permissions: {read: [x]}", "classification: internal", "draft: true", "redact: [a]"]
)
def test_field_that_limits_access_is_reported(write_project: Write, field: str) -> None:
    (found,) = OpenContext.load(write_project({"notes/a.md": f"---\n{field}\n---\nText."})).diagnostics
    assert (found.code, found.details["id"]) == ("context.unenforced_section", "notes.a")


@pytest.mark.parametrize("field", ["classification: public", "status: approved", "draft: false", "tags: [a]"])
def test_field_that_limits_nothing_is_not_reported(write_project: Write, field: str) -> None:
    assert OpenContext.load(write_project({"notes/a.md": f"---\n{field}\n---\nText."})).diagnostics == []


@pytest.mark.parametrize(
    "text",
    [
        "---\nclassification: secret\n...\nBody\n",
        "---\ntrust: untrusted\n\nBody\n",
        "\n---\ntrust: untrusted\n---\nBody\n",
        "---\r\n\r\ntrust:\r\n",
    ],
)
def test_fields_that_are_no_front_matter_are_never_taken_for_text(write_project: Write, text: str) -> None:
    assert errors(write_project({"notes/a.md": text})) == [("context.object_invalid", "notes/a.md")]


@pytest.mark.parametrize("text", ["---\n\nAfter a line: text.\n", "---\nhttps://example.org\n", "--- a: b\n"])
def test_thematic_break_begins_plain_markdown(write_project: Write, text: str) -> None:
    assert only(write_project({"notes/a.md": text})).content == text


@pytest.mark.parametrize("name", ["Classification", "VALID-UNTIL", "validUntil", "valid until", "PERMISSIONS"])
def test_limit_is_one_however_it_is_spelt(write_project: Write, name: str) -> None:
    declared = only(write_project({"notes/a.md": f"---\n{name}: x\n---\nBody\n"}))
    assert declared.unenforced == (name,)

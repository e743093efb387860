"""Labels of notes in other scripts than Latin."""

import pytest

# as the book has it, and as the footnote is called: compatibility forms are what they stand for
LABELS = [("（1）", "1"), ("［２］", "2"), ("※1", "note"), ("①", "1"), ("(١)", "note"), ("【4】", "note"), ("⑫", "12")]


@pytest.mark.parametrize(("label", "name"), LABELS)
def test_label_of_another_script_makes_a_note_that_links_back(read, label, name):
    book = read(f'<p>塩<a id="r1" href="#n1">{label}</a>。</p><p><a id="n1" href="#r1">{label}</a>樽。</p>')
    assert book.markdown == f"塩[^{name}]。\n\n[^{name}]: 樽。"


@pytest.mark.parametrize(("label", "name"), [("※1", "note"), ("①", "1"), ("※", "note")])
def test_sign_repeated_at_the_start_makes_a_note(read, label, name):
    book = read(f'<p>塩<a href="#n1">{label}</a>。</p><p id="n1">{label}樽。</p>')
    assert book.markdown == f"塩[^{name}]。\n\n[^{name}]: 樽。"


@pytest.mark.parametrize(("label", "repeated"), [("（1）", "（1）"), ("[1]", "［１］"), ("１", "(1)"), ("١", "(١)")])
def test_label_of_a_marked_note_goes_however_it_is_spelt(read, label, repeated):
    reference = f'<p>塩<a epub:type="noteref" href="#n1">{label}</a>。</p>'
    book = read(f'{reference}<aside epub:type="footnote" id="n1"><p>{repeated}樽。</p></aside>')
    assert book.markdown.endswith("]: 樽。")


def test_full_width_number_that_is_bare_makes_no_note(read):
    book = read('<p>塩<a href="#n1">１</a>。</p><p id="n1">１ 樽。</p>')
    assert "[^" not in book.markdown


def test_brackets_of_full_width_around_the_link_back_go(read):
    book = read('<p>塩<a id="r1" href="#n1">（1）</a>。</p><p id="n1">（<a href="#r1">1</a>）樽。</p>')
    assert book.markdown == "塩[^1]。\n\n[^1]: 樽。"

"""The pages of the guide become what the guide shows, through the whole adapter."""


def test_page_of_the_guide_becomes_its_markdown(case, make):
    assert make(case.page).markdown == case.markdown

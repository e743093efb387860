"""Named tuples behave as those of `typing` do."""

from __future__ import annotations

import copy
import pickle
import typing

import pytest
from markitect_tool.named_tuple import NamedTuple


class Position(NamedTuple):
    """Where a ship of the tests is."""

    latitude: float
    longitude: float
    depth: int | None = None

    @property
    def north(self) -> bool:
        return self.latitude > 0


class StandardPosition(typing.NamedTuple):
    latitude: float
    longitude: float
    depth: int | None = None


@pytest.mark.parametrize(
    ("values", "named"),
    [((1.0, 2.0, 3), {}), ((1.0, 2.0), {}), ((1.0,), {"longitude": 2.0}), ((1.0, 2.0), {"depth": 3})],
)
def test_a_named_tuple_is_made_as_those_of_typing_are(values, named):
    assert Position(*values, **named) == StandardPosition(*values, **named)


@pytest.mark.parametrize(
    ("values", "named", "complaint"),
    [
        ((1.0,), {}, "needs 'longitude'"),
        ((1.0, 2.0, 3, 4), {}, "takes 3 values, not 4"),
        ((1.0, 2.0), {"latitude": 1.0}, "got 'latitude' twice"),
        ((1.0, 2.0), {"height": 1.0}, "has no field 'height'"),
    ],
)
def test_a_named_tuple_refuses_arguments_that_do_not_fit(values, named, complaint):
    with pytest.raises(TypeError, match=complaint):
        Position(*values, **named)


def test_a_named_tuple_is_made_in_the_same_way_when_there_are_many():
    class Depth(NamedTuple):
        fathoms: int
        ground: str = "sand"

    assert {Depth(fathoms=9) for _ in range(1000)} == {(9, "sand")}
    assert repr(Depth(7)) == repr(Depth(ground="sand", fathoms=7)) == "Depth(fathoms=7, ground='sand')"
    with pytest.raises(TypeError):
        Depth()


def test_fields_of_a_named_tuple_are_read_by_name():
    position = Position(1.0, 2.0)
    assert (position.latitude, position.longitude, position.depth, position.north) == (1.0, 2.0, None, True)


def test_a_named_tuple_with_another_value_is_another_one():
    position = Position(1.0, 2.0)
    assert (position._replace(depth=4), position.depth) == (Position(1.0, 2.0, 4), None)
    with pytest.raises(TypeError, match="has no field 'height'"):
        position._replace(height=4)


def test_the_words_for_a_named_tuple_name_its_fields():
    assert repr(Position(1.0, 2.0)) == "Position(latitude=1.0, longitude=2.0, depth=None)"


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda place: pickle.loads(pickle.dumps(place))])
def test_a_copy_of_a_named_tuple_is_one(duplicate):
    found = duplicate(Position(1.0, 2.0))
    assert (type(found), found) == (Position, Position(1.0, 2.0))


def test_named_tuples_match_patterns():
    match Position(1.0, 2.0, 3):
        case Position(latitude, _, depth):
            assert (latitude, depth) == (1.0, 3)

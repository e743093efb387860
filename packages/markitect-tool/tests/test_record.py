"""Records behave as frozen dataclasses with slots do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import ClassVar

import pytest
from markitect_tool.record import Record, Struct, field, fields_of, replace


class Ship(Record):
    """A ship of the tests."""

    name: str
    masts: int = 3
    crew: list[str] = field(default_factory=list)
    captain: object = field(default=None, compare=False, repr=False)

    FLAG: ClassVar[str] = "none"


class Port(Record, kw_only=True):
    """Its port."""

    depth: int = 4
    name: str


@dataclasses.dataclass(frozen=True, slots=True)
class Dinghy:
    name: str
    masts: int = 3
    crew: list[str] = dataclasses.field(default_factory=list)
    captain: object = dataclasses.field(default=None, compare=False, repr=False)


def test_values_are_taken_by_position_and_by_name():
    ship = Ship("Pequod", crew=["Ishmael"])
    assert (ship.name, ship.masts, ship.crew) == ("Pequod", 3, ["Ishmael"])


def test_each_record_gets_a_default_of_its_own():
    assert Ship("Pequod").crew is not Ship("Pequod").crew


@pytest.mark.parametrize(
    ("values", "named", "complaint"),
    [
        ((), {}, "needs 'name'"),
        (("Pequod",), {"name": "Rachel"}, "got 'name' twice"),
        (("Pequod", 3, [], None, 5), {}, "takes 4 values by position, not 5"),
        (("Pequod",), {"sails": 9, "oars": 2}, "has no field 'oars', 'sails'"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(values, named, complaint):
    with pytest.raises(TypeError, match=complaint):
        Ship(*values, **named)


def test_fields_by_name_only_are_refused_by_position():
    assert Port(name="New Bedford").depth == 4
    with pytest.raises(TypeError, match="takes 0 values by position, not 1"):
        Port("New Bedford")


def test_records_are_equal_by_what_is_compared():
    assert Ship("Pequod", captain="Ahab") == Ship("Pequod", captain="Starbuck")
    assert Ship("Pequod") != Ship("Rachel")


def test_records_of_other_classes_are_never_equal():
    assert Ship("Pequod") != Dinghy("Pequod")


def test_equal_records_have_one_hash():
    assert hash(Port(name="Nantucket")) == hash(Port(name="Nantucket", depth=4))


def test_records_that_hold_a_list_have_no_hash():
    with pytest.raises(TypeError, match="unhashable"):
        hash(Ship("Pequod"))


def test_the_words_for_a_record_are_those_of_a_dataclass():
    assert repr(Ship("Pequod", crew=["Pip"])) == repr(Dinghy("Pequod", crew=["Pip"])).replace("Dinghy", "Ship")


def test_records_cannot_be_changed():
    ship = Ship("Pequod")
    with pytest.raises(dataclasses.FrozenInstanceError):
        ship.name = "Rachel"
    with pytest.raises(dataclasses.FrozenInstanceError):
        del ship.name


def test_records_take_no_other_attributes():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Ship("Pequod").rudder = 1


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda ship: pickle.loads(pickle.dumps(ship))])
def test_copies_are_equal(duplicate):
    ship = Ship("Pequod", crew=["Queequeg"])
    assert duplicate(ship) == ship
    assert duplicate(ship) is not ship


def test_records_are_dataclasses():
    assert dataclasses.is_dataclass(Ship)
    assert [entry.name for entry in dataclasses.fields(Ship)] == ["name", "masts", "crew", "captain"]
    assert dataclasses.replace(Ship("Pequod"), masts=2) == Ship("Pequod", 2)
    assert dataclasses.asdict(Port(name="Nantucket")) == {"depth": 4, "name": "Nantucket"}


def test_a_copy_with_other_values_is_made():
    assert replace(Ship("Pequod", crew=["Pip"]), masts=2) == Ship("Pequod", 2, ["Pip"])
    with pytest.raises(TypeError, match="has no field 'sails'"):
        replace(Ship("Pequod"), sails=9)


def test_the_fields_of_a_record_say_what_the_class_said():
    assert [(name, entry.compare) for name, entry in fields_of(Ship).items()] == [
        ("name", True),
        ("masts", True),
        ("crew", True),
        ("captain", False),
    ]


def test_a_field_of_another_kind_is_refused():
    with pytest.raises(TypeError, match=r"Raft\.logs needs"):

        class Raft(Record):
            logs: list[str] = dataclasses.field(default_factory=list)


def test_annotations_that_are_no_texts_are_refused():
    with pytest.raises(TypeError, match="from __future__ import annotations"):
        type(Record)("Raft", (Record,), {"__annotations__": {"logs": int}})


def test_fields_of_a_base_come_first():
    class Whaler(Ship):
        boats: int = 4

    assert Whaler("Pequod", 3, [], None, 5).boats == 5


def test_structs_can_be_changed():
    class Log(Struct):
        miles: int = 0

    log = Log()
    log.miles += 3
    assert log == Log(3)


def test_records_match_patterns():
    match Ship("Pequod", 3):
        case Ship(name, masts):
            assert (name, masts) == ("Pequod", 3)


def test_checks_run_once_the_fields_are_there():
    class Anchor(Record):
        """Heavy."""

        weight: int

        def __post_init__(self) -> None:
            if self.weight < 1:
                raise ValueError("too light")

    with pytest.raises(ValueError, match="too light"):
        Anchor(0)

"""The facts of one subject as attributes: what the predicates of generated code read.

A subject is two things at once. As a mapping it holds every fact as a `Value`, so that one which is
not known says why. As attributes it holds plain values, and None for what is not known or is no
member of its enumeration: a predicate that finds no None may compare and count as Python does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from fractions import Fraction
from typing import Any, ClassVar

from engine.runtime.values import Facts, Listing, Other, Unknown, Value

NOTHING: frozenset[type] = frozenset()
KINDS: Mapping[str, frozenset[type] | None] = {
    "bool": frozenset({bool}),
    "str": frozenset({str}),
    "int": frozenset({int}),
    "int | Fraction": frozenset({int, Fraction}),
    "datetime": frozenset({datetime}),
    "object": None,
}
"""How an attribute is annotated -> the types of its values. A list is a tuple of its elements."""


class Subject(Mapping[str, Value]):
    """A base for one slotted class a scope, and one for the elements of each list.

    A derived fact is worked out when it is first asked for, unless it was given.
    """

    __slots__ = ("_values",)

    DERIVED: ClassVar[Mapping[str, Callable[[Any], Value]]] = {}
    """derived fact -> what works it out, in the order of their dependence"""
    ELEMENTS: ClassVar[Mapping[str, type[Subject]]] = {}
    """list fact -> the class of its elements"""
    FACTS: ClassVar[Mapping[str, str]] = {}
    """attribute -> fact, where the name of a fact cannot be an attribute"""
    KINDS: ClassVar[Mapping[str, frozenset[type] | None]] = {}
    """attribute -> the types that its annotation names; None is any"""

    def __init_subclass__(cls) -> None:
        """A value of another type than the annotation says is none to compare with."""
        if "__annotations__" in vars(cls):
            cls.KINDS = {name: KINDS.get(kind, NOTHING) for name, kind in cls.__annotations__.items()}

    def __init__(self, facts: Facts) -> None:
        values = dict(facts)
        for name, element in self.ELEMENTS.items():
            listing = values.get(name)
            if type(listing) is Listing and not all(type(item) is element for item in listing.items):
                values[name] = Listing(tuple(element(item) for item in listing.items), listing.more)
        self._values = values

    def __getattr__(self, attribute: str) -> Any:
        """The plain value of a fact, kept in its slot; called only while the slot is empty."""
        if attribute == "_values":
            raise AttributeError(attribute)
        value = self.get(self.FACTS.get(attribute, attribute))
        kind, kinds = type(value), self.KINDS.get(attribute, NOTHING)
        if kind is Listing:
            value = value.items if value.more is None and kinds is NOTHING else None
        elif kind is datetime and value.tzinfo is not None:
            value = None  # Python compares it with no time that has no zone
        elif kind is Unknown or kind is Other or (kinds is not None and kind not in kinds):
            value = None
        setattr(self, attribute, value)
        return value

    def get(self, fact: str, default: Any = None) -> Any:
        """The fact's value, derived when it has to be; `default` when it is neither given nor derived."""
        value = self._values.get(fact)
        if value is None and (derive := self.DERIVED.get(fact)) is not None:
            value = self._values[fact] = derive(self)
        return default if value is None else value

    def __getitem__(self, fact: str) -> Value:
        value: Value | None = self.get(fact)
        if value is None:
            raise KeyError(fact)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter([*self._values, *(fact for fact in self.DERIVED if fact not in self._values)])

    def __len__(self) -> int:
        return len(self._values.keys() | self.DERIVED.keys())

"""Tool parameters: JSON schemas from signatures, coercion of what models write, and errors they can act on."""

from __future__ import annotations

import difflib
import inspect
import re
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

import msgspec

from eigen_cli.api.errors import DomainError
from eigen_cli.api.record import Record, decode_hook
from eigen_cli.api.tools import Examples, Ref

_MISSING = re.compile(r"Object missing required field `(?P<name>[^`]+)`(?: - at `\$(?P<path>[^`]*)`)?")
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<name>[^`]+)`(?: - at `\$(?P<path>[^`]*)`)?")
_EXPECTED = re.compile(r"(?P<what>.+?) - at `\$\.?(?P<path>[^`]*)`")


class ArgumentError(Exception):
    """Arguments that do not fit; the text is what the model reads."""


class Parameters:
    """The parameters of one tool, compiled once."""

    def __init__(self, tool: str, method: Callable[..., Any]) -> None:
        self.tool = tool
        hints = typing.get_type_hints(method, include_extras=True)
        described = _described_parameters(inspect.getdoc(method) or "")
        fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
        self.references: list[tuple[str, Ref]] = []
        self.hints: dict[str, Any] = {}
        for name, parameter in list(inspect.signature(method).parameters.items())[1:]:
            if name not in hints:
                raise DomainError(f"tool {tool}: parameter {name} has no type")
            annotation = self.hints[name] = hints[name]
            if name in described:
                annotation = Annotated[annotation, msgspec.Meta(description=described[name])]
            if parameter.default is inspect.Parameter.empty:
                fields.append((name, annotation))
            else:
                fields.append((name, annotation, parameter.default))
        self.struct = msgspec.defstruct(tool, fields, kw_only=True, forbid_unknown_fields=True)
        self.names = self.struct.__struct_fields__
        self._ref_readers = [(name, reader) for name in self.names if (reader := _ref_reader(self.hints[name]))]

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the parameters, definitions inlined, `additionalProperties` false."""
        (reference,), components = msgspec.json.schema_components([self.struct])
        schema = _inlined(reference, components)
        schema.pop("title", None)
        return dict(schema)

    def convert(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return typed arguments by name; raises `ArgumentError`.

        Numbers and booleans written as strings, strings written as numbers, and arrays or objects written as JSON text
        are accepted: models do all three.
        """
        try:
            value = msgspec.convert(arguments, self.struct, strict=False, dec_hook=decode_hook)
        except msgspec.ValidationError as error:
            value = self._convert_loosely(arguments, error)
        return {name: getattr(value, name) for name in self.names}

    def _convert_loosely(self, arguments: Mapping[str, Any], error: msgspec.ValidationError) -> Any:
        loosened = {name: _loosened(value, self.hints.get(name)) for name, value in arguments.items()}
        try:
            return msgspec.convert(loosened, self.struct, strict=False, dec_hook=decode_hook)
        except msgspec.ValidationError:
            raise ArgumentError(self._readable(str(error))) from None

    def _readable(self, text: str) -> str:
        if match := _MISSING.match(text):
            where = f" in '{match['path'].strip('.')}'" if match["path"] else ""
            return f"{self.tool} needs the argument '{match['name']}'{where}; it was not given"
        if match := _UNKNOWN.match(text):
            if match["path"]:
                return f"{self.tool}: '{match['path'].strip('.')}' has no field '{match['name']}'"
            return f"{self.tool} has no argument '{match['name']}'{nearest(match['name'], self.names)}"
        if match := _EXPECTED.match(text):
            what = match["what"][0].lower() + match["what"][1:].replace("`", "")
            return f"{self.tool}: argument '{match['path']}': {what}"
        return f"{self.tool}: {text}"

    def unknown_reference(
        self, arguments: Mapping[str, Any], has: Callable[[str, str], bool]
    ) -> tuple[str, str] | None:
        """Return the first (table, key) among entity-typed arguments for which `has` is false."""
        for name, reader in self._ref_readers:
            for ref, key in reader(arguments[name]):
                if ref.must_exist and not has(ref.table, key):
                    return ref.table, key
        return None


def nearest(name: str, names: typing.Iterable[str]) -> str:
    """Return `; did you mean 'x'?` for the closest name, or an empty string."""
    close = difflib.get_close_matches(name, list(names), n=1, cutoff=0.5)
    return f"; did you mean '{close[0]}'?" if close else ""


def examples_of(annotation: Any) -> tuple[Any, ...]:
    """Return the values an annotation offers to explorers."""
    if typing.get_origin(annotation) is Annotated:
        for extra in annotation.__metadata__:
            if isinstance(extra, Examples):
                return extra.values
    return ()


def ref_of(annotation: Any) -> Ref | None:
    """Return the reference an annotation carries."""
    if typing.get_origin(annotation) is Annotated:
        for extra in annotation.__metadata__:
            if isinstance(extra, Ref):
                return extra
    return None


RefReader = Callable[[Any], Iterator[tuple[Ref, str]]]


def _ref_reader(annotation: Any) -> RefReader | None:
    """Compile a reader of every entity key inside a value of the annotated type; None where there can be none."""
    ref = ref_of(annotation)
    if ref is not None:
        found = ref
        return lambda value: iter(((found, value),) if isinstance(value, str) else ())
    if typing.get_origin(annotation) is Annotated:
        return _ref_reader(typing.get_args(annotation)[0])
    if typing.get_origin(annotation) in (list, tuple):
        inner = _ref_reader(typing.get_args(annotation)[0])
        return None if inner is None else lambda values: (pair for value in values for pair in inner(value))
    if isinstance(annotation, type) and issubclass(annotation, Record):
        hints = typing.get_type_hints(annotation, include_extras=True)
        parts = [(name, reader) for name, hint in hints.items() if (reader := _ref_reader(hint))]
        if parts:
            return lambda value: (pair for name, reader in parts for pair in reader(getattr(value, name)))
    return None


def _loosened(value: Any, annotation: Any) -> Any:
    while typing.get_origin(annotation) is Annotated:
        annotation = typing.get_args(annotation)[0]
    if isinstance(value, str) and annotation is not str and value.lstrip()[:1] in ("[", "{"):
        try:
            return msgspec.json.decode(value)
        except msgspec.DecodeError:
            return value
    if annotation is str and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if typing.get_origin(annotation) in (list, tuple) and isinstance(value, dict):
        return [value]
    return value


def _inlined(schema: Any, components: Mapping[str, Any]) -> Any:
    if isinstance(schema, dict):
        if "$ref" in schema:
            inlined = dict(_inlined(components[schema["$ref"].rsplit("/", 1)[-1]], components))
            inlined.pop("title", None)
            return inlined
        if schema.get("format") == "decimal":  # exact amounts travel as JSON numbers
            return {**{key: value for key, value in schema.items() if key != "format"}, "type": "number"}
        return {key: _inlined(value, components) for key, value in schema.items()}
    if isinstance(schema, list):
        return [_inlined(item, components) for item in schema]
    return schema


def summary_of(method: Callable[..., Any]) -> str:
    """Return the first paragraph of a docstring on one line."""
    return " ".join((inspect.getdoc(method) or "").split("\n\n")[0].split())


def _described_parameters(doc: str) -> dict[str, str]:
    """Return parameter descriptions from a Google-style `Args:` section."""
    _, _, section = doc.partition("Args:\n")
    described: dict[str, str] = {}
    current = ""
    for line in section.splitlines():
        if line and not line.startswith(" "):
            break
        if match := re.match(r"^ {4}(\w+)(?: \([^)]*\))?: (.*)$", line):
            current = match[1]
            described[current] = match[2].strip()
        elif current and line.strip():
            described[current] += " " + line.strip()
    return described

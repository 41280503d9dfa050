"""A variable has the name of its element, a validator says that it checks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import testbed

FORBIDDEN = {"one", "found", "known", "told", "held"}
"""Names that say nothing of what they hold or do. Keys of declarations may be so called."""

FORBIDDEN_CLASSES = {"Found", "Told"}

ROOT = Path(testbed.__file__).parents[2]

NO_JAVA_CODE = re.compile(
    r'"""(?:\\.|.)*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/', re.DOTALL
)

JAVA_DECLARATIONS = [
    re.compile(pattern % "|".join(FORBIDDEN))
    for pattern in (
        # A name after a type: a variable, a parameter or a pattern's.
        r"(?:\b(?!(?:return|throw|yield)\b)\w+|[\w>?\]]>|\]|\.\.\.)\s+(%s)\b(?!\()",
        r"\bprivate\b[^;={}()]*\s(%s)\(",
        r"\b(%s)\s*->",
        r"[(,]\s*(%s)(?=[\w\s,]*\)\s*->)",
    )
]
"""Public methods may be so called. The code is formatted, so no space comes before a `>`."""


def forbidden(tree: ast.Module) -> Iterator[str]:
    keys = {
        field.target
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for field in node.body
        if isinstance(field, ast.AnnAssign)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) if name in FORBIDDEN and node not in keys:
                yield name
            case ast.arg(arg=name) | ast.FunctionDef(name=name) if name in FORBIDDEN:
                yield name
            case ast.ClassDef(name=name) if name in FORBIDDEN_CLASSES:
                yield name
            case ast.FunctionDef(name=name) if not name.startswith("_check_") and any(
                "model_validator" in ast.unparse(decorator) for decorator in node.decorator_list
            ):
                yield name


def names_in(folder: str) -> dict[str, list[str]]:
    files = (ROOT / folder).rglob("*.py")
    names = {str(file): list(forbidden(ast.parse(file.read_text("utf-8")))) for file in files}
    return {file: of_file for file, of_file in names.items() if of_file}


def forbidden_in_java(source: str) -> list[str]:
    code = NO_JAVA_CODE.sub(" ", source)
    return [name for declared in JAVA_DECLARATIONS for name in declared.findall(code)]


@pytest.mark.parametrize("folder", ["harness", ".ci"])
def test_names_say_what_they_are(folder: str) -> None:
    assert names_in(folder) == {}


def test_forbidden_names_are_noticed() -> None:
    source = """
class Told:
    held: int

    @model_validator(mode="after")
    def _rises(self, known): ...

def names():
    def held(): ...
    for one in (found := []):
        told = one
    return [one for one in found]
"""
    names = sorted(forbidden(ast.parse(source)))

    assert names == ["Told", "_rises", "found", "held", "known", "one", "one", "told"]


def test_names_in_java_say_what_they_are() -> None:
    names = {
        str(file): forbidden_in_java(file.read_text("utf-8"))
        for file in ROOT.glob("*/src/**/*.java")
    }

    assert {file: of_file for file, of_file in names.items() if of_file} == {}


def test_forbidden_names_in_java_are_noticed() -> None:
    source = """
/** What one found. */
public final class Names {
  private final Map<String, List<?>> held = Map.of("var one = 1;", List.of('"'));
  private @Nullable Part known(int[] known, String... told) {
    for (var found : told) {} // int one = 1;
    try { sort((one, other) -> one, one -> 1); } catch (IOException told) { throw told; }
    return found instanceof Part held ? held : (same, found) -> found;
  }
  public byte[] one() { return names.size() > found ? Sinks.one() : known(1, told); }
}
"""
    names = sorted(forbidden_in_java(source))

    assert names == sorted([*FORBIDDEN] * 2)

"""Checks answers against the OpenAPI document of their variant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import httpx
import yaml
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from testbed.model.project import Project

DOCUMENTS = {"sync": "api-gateway-service", "async": "broker-service"}
"""The module that serves a variant's document."""

BASE = "urn:testbed:openapi"
FRAMEWORK_STATUSES = {401, 403, 404, 405, 406}
"""Answers to requests for no documented operation, which are for administrators."""


def document_text(described: str) -> str:
    """Return the OpenAPI document of a variant or a module as it is stored."""
    module = Project.find().root / DOCUMENTS.get(described, described)
    path = module / "src" / "main" / "resources" / "static" / "openapi.yaml"
    return path.read_text(encoding="utf-8")


class Document:
    """One OpenAPI document.

    Parameters
    ----------
    described
        ``sync`` or ``async``, or the module that serves the document.
    """

    def __init__(self, described: str) -> None:
        self.content: dict[str, Any] = yaml.safe_load(document_text(described))
        resource = Resource.from_contents(self.content, default_specification=DRAFT202012)
        self._registry = Registry().with_resource(BASE, resource)
        self._paths = [
            (re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path)), path)
            # Those with the fewest parameters first: /list is not an /{id}.
            for path in sorted(self.content["paths"], key=lambda path: path.count("{"))
        ]

    def check(self, answer: httpx.Response) -> None:
        """Check status, headers, media type and body of an answer.

        Raises
        ------
        AssertionError
            Saying which part of the document the answer breaks.
        """
        request = answer.request
        operation = self._operation(request.method, request.url.path)
        shown = f"{request.method} {request.url.path} → {answer.status_code}"
        described = None if operation is None else operation.get(str(answer.status_code))
        if described is None:
            # No such path, no such method, no such representation: a problem all the same.
            assert answer.status_code in FRAMEWORK_STATUSES, f"{shown} is not documented"
            described = {
                "content": {
                    "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
                }
            }
        described = self._resolved(described)
        self._check_headers(shown, described.get("headers", {}), answer)
        self._check_body(shown, described.get("content", {}), answer)

    def validate(self, schema: str, value: object) -> None:
        """Check a value against one of the document's schemas; raise like `check`."""
        self._validate(schema, self.content["components"]["schemas"][schema], value)

    def _operation(self, method: str, path: str) -> Mapping[str, Any] | None:
        for pattern, template in self._paths:
            if pattern.fullmatch(path):
                operation = self.content["paths"][template].get(method.lower())
                return None if operation is None else operation["responses"]
        return None

    def _check_headers(
        self, shown: str, headers: Mapping[str, Any], answer: httpx.Response
    ) -> None:
        for name, reference in headers.items():
            header = self._resolved(reference)
            value = answer.headers.get(name)
            if value is None:
                assert not header.get("required"), f"{shown} has no {name}"
                continue
            typed = int(value) if header["schema"].get("type") == "integer" else value
            self._validate(f"{shown}, {name}", header["schema"], typed)

    def _check_body(self, shown: str, content: Mapping[str, Any], answer: httpx.Response) -> None:
        if not content:
            assert answer.content == b"", f"{shown} has a body"
            return
        media_type = answer.headers.get("Content-Type", "").partition(";")[0]
        assert media_type in content, f"{shown} is {media_type or 'without a type'}"
        body: Any = answer.json() if media_type.endswith("json") else answer.text
        self._validate(shown, content[media_type]["schema"], body)
        if media_type == "application/problem+json":
            assert body["status"] == answer.status_code, f"{shown} says {body['status']}"

    def _validate(self, shown: str, schema: Mapping[str, Any], value: object) -> None:
        validator = Draft202012Validator(
            _absolute(schema),
            registry=self._registry,
            format_checker=Draft202012Validator.FORMAT_CHECKER,
        )
        errors = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]
        assert not errors, f"{shown}: {errors}"

    def _resolved(self, element: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in element:
            step: Any = self.content
            for key in str(element["$ref"]).removeprefix("#/").split("/"):
                step = step[key]
            element = step
        return element


def _absolute(schema: Any) -> Any:
    """Return a schema whose references lead into the document from anywhere."""
    if isinstance(schema, Mapping):
        return {
            key: f"{BASE}{value}" if key == "$ref" else _absolute(value)
            for key, value in schema.items()
        }
    if isinstance(schema, list):
        return [_absolute(value) for value in schema]
    return schema

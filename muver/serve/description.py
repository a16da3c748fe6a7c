"""The routes as HTML, from their OpenAPI description: FastAPI's own pages need a network."""

from collections.abc import Iterator, Mapping
from typing import Any

from muver.report.markup import section
from muver.tables.html import grid, text


def describe(api: Mapping[str, Any]) -> str:
    """A section a route, with what it takes and what it answers; then the forms."""
    routes = "\n".join(
        _route(method, path, operation)
        for path, methods in api["paths"].items()
        for method, operation in methods.items()
    )
    forms = "\n".join(
        _form(name, form)
        for name, form in sorted(api["components"]["schemas"].items())
        if form.get("type") == "object"
    )
    return f"{section('routes', 'Routes', routes)}\n{section('forms', 'Forms', forms)}"


def _route(method: str, path: str, operation: Mapping[str, Any]) -> str:
    name = text(operation["operationId"])
    takes = [
        f"<code>{text(one['name'])}</code> ({text(one['in'])}): {_kind(one['schema'])}"
        for one in operation.get("parameters", [])
    ]
    if body := operation.get("requestBody"):
        takes.append(f"JSON: {_kind(body['content']['application/json']['schema'])}")
    answers = [
        f"{text(status)}: {_kind(answer['content']['application/json']['schema'])}"
        for status, answer in operation["responses"].items()
        if "application/json" in answer.get("content", {})
    ]
    return (
        f'<h3 id="{name}"><code>{method.upper()} {text(path)}</code></h3>'
        f"<p>{text(operation.get('description', operation['summary']))}</p>"
        f"{_list('Takes', takes)}{_list('Answers', answers)}"
    )


def _list(title: str, items: list[str]) -> str:
    if not items:
        return ""
    return f"<p>{title}</p><ul>{''.join(f'<li>{one}</li>' for one in items)}</ul>"


def _form(name: str, form: Mapping[str, Any]) -> str:
    needed = form.get("required", [])
    rows = [
        [f"<code>{text(key)}</code>", _kind(own), "needed" if key in needed else _default(own)]
        for key, own in form.get("properties", {}).items()
    ]
    return (
        f'<h3 id="{text(name)}">{text(name)}</h3><p>{text(form.get("description", ""))}</p>'
        f"{grid(f'Fields of {name}', ('Field', 'Type', 'If left out'), rows, texts=(0, 1, 2))}"
    )


def _default(own: Mapping[str, Any]) -> str:
    return f"<code>{text(own.get('default'))}</code>" if "default" in own else ""


def _kind(schema: Mapping[str, Any]) -> str:
    return " or ".join(dict.fromkeys(_kinds(schema)))


def _kinds(schema: Mapping[str, Any]) -> Iterator[str]:
    if "$ref" in schema:
        name = text(schema["$ref"].rpartition("/")[2])
        yield f'<a href="#{name}">{name}</a>'
    elif "anyOf" in schema:
        for one in schema["anyOf"]:
            yield from _kinds(one)
    elif schema.get("type") == "array":
        yield f"list of {_kind(schema['items'])}"
    else:
        yield text(schema.get("type", "anything"))

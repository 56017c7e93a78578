"""Writes the methods of the clients: one for each operation of the contract that has a line below."""

import re
import textwrap
from typing import NamedTuple

# Operation: the method's name as Python has it, the name of its body, and what it does.
METHODS = {
    "validate": ("validate", "request", "Assesses a trade before it is sent."),
    "validateBatch": (
        "plan", "request",
        "Assesses up to 50 trades, each as if those before it had filled. A trade that breaks a rule does not stop the "
        "rest: its result has `meta.error`.",
    ),
    "size": ("size", "request", "Finds the largest order that meets a target."),
    "stressWallet": ("stress", "request", "Computes what price moves of your own do to a wallet."),
    "monitor": (
        "monitor", "",
        "Assesses the current positions of a wallet. All alert sockets that watch the wallet get its alerts.",
    ),
    "getPolicy": ("policy", "", 'Returns the operator\'s limits for a wallet, or "*" for all wallets.'),
    "putPolicy": (
        "put_policy", "rules",
        'Sets all rules of a wallet, or of "*". revision is that of the policy that is replaced; without it there must '
        "be none. A change upon another one fails with status 412, and the revision of the error is the current one. "
        "For operators' keys.",
    ),
    "deletePolicy": (
        "delete_policy", "",
        "Removes the policy of a revision. The answer has the rules that still hold. For operators' keys.",
    ),
    "testPolicy": (
        "test_policy", "test",
        "Tells what recorded decisions would have been under other rules. For operators' keys.",
    ),
    "getKillSwitch": ("kill_switch", "", "Tells whether the kill switch is on."),
    "putKillSwitch": (
        "set_kill_switch", "change",
        "Turns the kill switch, on only with a reason. revision is the one that it must have; without it, any. For "
        "operators' keys.",
    ),
    "listWatches": ("watches", "", "Returns the watches of this key, of an operator's those of all keys."),
    "getWatch": (
        "watch", "",
        "Returns this key's watch of a wallet: the state of its calls, what stands, what was posted.",
    ),
    "putWatch": (
        "put_watch", "watch", "Lets the service make the monitor call of a wallet by itself, for this key."
    ),
    "deleteWatch": ("delete_watch", "", "Ends this key's watch of a wallet."),
    "decisions": (
        "decisions", "",
        "Returns recorded answers and actions of the gate, newest first: those of the client's key, of an operator's "
        "all.",
    ),
    "decision": (
        "decision", "",
        "Returns the record of one request, by `meta.request_id` of its answer, and what became of it.",
    ),
    "audit": (
        "audit", "", "Returns who changed which key, policy or kill switch, newest first. For operators' keys."
    ),
    "assets": ("markets", "", "Returns all listed assets: price, maximum leverage, funding, open interest."),
    "receiptKey": (
        "receipt_key", "", "Returns the public key of receipts. Get it once, from the service itself, and keep it."
    ),
    "market": ("market", "", "Returns one asset in detail: book depth, age of the data, the last mid prices."),
    "modelInfo": ("model_info", "", "Returns all weights, curves, thresholds and constants of the model."),
    "backtest": ("backtest", "", "Tells how often the VaR of an asset was breached."),
    "calibrationHealth": (
        "calibration_health", "", "Returns what backtest returns of every asset, and the state of its fit."
    ),
    "health": ("health", "", "Returns what the service knows of itself, also while it is not ready. Needs no key."),
    "reportOutcome": (
        "report_outcome", "report",
        "Tells what became of a trade, once: the same trade with other values fails with status 409.",
    ),
    "outcomesStats": ("outcome_stats", "", "Returns what accuracy returns, by its other address."),
    "accuracy": (
        "accuracy", "", "Tells how right the answers to this key were, to an operator's those to all keys."
    ),
}  # fmt: skip
LEFT_OUT = ("view", "record")  # parameters: a view is another method, or an overload; records are for screens
FULL = ("explain", "deposit")  # parameters that the short answer does not have


class Method(NamedTuple):
    name: str
    text: str
    verb: str
    path: list[str]  # alternately what is as it stands, and the name of an argument
    query: dict[str, dict]  # the contract's parameters
    body: str  # name of the argument
    body_type: str
    revision: bool | None  # whether it must be told; None: it is not asked for
    answer: str
    compact: bool  # there is a short answer, too

    @property
    def arguments(self):
        return self.path[1::2]


def methods(document):
    """Returns the methods, in the order of the contract."""
    found = []
    for path, operations in document["paths"].items():
        for verb, operation in operations.items():
            if operation["operationId"] not in METHODS:
                continue
            name, body, text = METHODS[operation["operationId"]]
            parameters = [one for one in operation["parameters"] if "name" in one]  # others: headers of every request
            answer = operation["responses"]["200"]["content"]["application/json"]["schema"]
            sent = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"] if body else ""
            found.append(Method(
                name, text, verb.upper(), re.split(r"[{}]", path),
                {one["name"]: one for one in parameters if one["in"] == "query" and one["name"] not in LEFT_OUT},
                body, sent.rpartition("/")[2],
                next((one.get("required", False) for one in parameters if one["name"] == "If-Match"), None),
                answer.get("anyOf", [answer])[0]["$ref"].rpartition("/")[2], "anyOf" in answer,
            ))  # fmt: skip
    if len(found) < len(METHODS):
        raise ValueError(f"the contract has only {len(found)} of the {len(METHODS)} operations that the clients have")
    return found


def pages(method):
    """Returns the type of the argument that says which part of a list is wanted, "" of a method without."""
    return "DecisionQuery" if "verdict" in method.query else "Page" if "cursor" in method.query else ""


def expression(method, quoted):
    """Returns the path as an expression, with a format for its arguments."""
    return " + ".join(quoted.format(part) if i % 2 else f'"{part}"' for i, part in enumerate(method.path) if part)


# Python

RENAMED = {"from": "since", "to": "until"}
TIMES = {"from": "Only from this time on, which has a zone.", "to": "Only before this time, which has a zone."}
PYTHON_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


def python_parameter(name, node, default):
    schema = node["schema"]
    kind = "bool" if "true" in schema.get("enum", []) else "datetime" if name in TIMES else PYTHON_TYPES[schema["type"]]
    return f"{RENAMED.get(name, name)}: {kind} | None = {default}"


def python_arguments(method, view, default):
    """Returns the arguments of a method. view: none, or its type and default."""
    named = [view] if view else []
    if method.revision is not None:
        named.append("revision: int" if method.revision else "revision: int | None = None")
    if "compact" not in view:
        named += [python_parameter(name, node, default) for name, node in method.query.items()]
    else:
        named += [python_parameter(name, node, default) for name, node in method.query.items() if name not in FULL]
    body = [f"{method.body}: {method.body_type}"] if method.body else []
    return ["self", *(f"{name}: str" for name in method.arguments), *body, *(["*", *named] if named else [])]


def python_define(word, method, arguments, answer, end):
    line = f"    {word}def {method.name}({', '.join(arguments)}) -> {answer}:{end}"
    if len(line) > 118:
        line = "\n".join(
            [f"    {word}def {method.name}(", *(f"        {one}," for one in arguments), f"    ) -> {answer}:{end}"]
        )
    return line


def python_method(method, word):
    """Returns a method; word: async, or nothing."""
    lines = []
    if method.compact:
        for view, answer in (("full", method.answer), ("compact", "Compact" + method.answer)):
            given = f'view: Literal["{view}"]' + " = ..." * (view == "full")
            lines += ["    @overload", python_define(word, method, python_arguments(method, given, "..."), answer, " ..."), ""]
    view = 'view: View = "full"' if method.compact else ""
    lines.append(python_define(word, method, python_arguments(method, view, "None"), "Any" if view else method.answer, ""))
    text = [method.text] + [
        f"{RENAMED.get(name, name)}: {TIMES.get(name, node['description'])}" for name, node in method.query.items()
    ]
    comment = [line for one in text for line in textwrap.wrap(one, 108)]
    lines += textwrap.indent('"""' + "\n".join(comment) + ('"""' if len(text) == 1 else '\n"""'), " " * 8).split("\n")
    query = {"view": "view"} if method.compact else {}
    query |= {name: RENAMED.get(name, name) for name in method.query}
    call = [f'"{method.verb}"', expression(method, 'quote({}, safe="")'), f'"{method.answer}"']
    call += [f"body={method.body}"] if method.body else []
    call += ["query={" + ", ".join(f'"{name}": {value}' for name, value in query.items()) + "}"] if query else []
    call += ["revision=revision"] if method.revision is not None else []
    wait = "await " if word else ""
    line = f"        return {wait}self._ask(Call({', '.join(call)}))"
    if len(line) > 118:
        line = f"        call = Call(\n            {', '.join(call[:3])},\n"
        line += "".join(f"            {one},\n" for one in call[3:]) + f"        )\n        return {wait}self._ask(call)"
    return [*lines, line, ""]


def python(note, all_methods):
    used = {method.answer for method in all_methods} | {method.body_type for method in all_methods if method.body}
    used |= {"Compact" + method.answer for method in all_methods if method.compact}
    lines = [
        f'"""The methods of both clients. {note}"""', "", "from __future__ import annotations", "",
        "from datetime import datetime", "from typing import Any, Literal, overload", "from urllib.parse import quote", "",
        "from ._call import Call", "from .contract import (", *(f"    {name}," for name in sorted(used)), ")", "",
        'View = Literal["full", "compact"]', "",
    ]  # fmt: skip
    for name, word in (("Methods", ""), ("AsyncMethods", "async ")):
        lines += ["", f"class {name}:", f"    {word}def _ask(self, call: Call) -> Any:", "        raise NotImplementedError", ""]
        for method in all_methods:
            lines += python_method(method, word)
    return "\n".join(lines)


# Go


def go_argument(name):
    return "requestID" if name == "request_id" else name


def go_method(method, go_name, compact):
    name, query = go_name(method.name), pages(method)
    options = method.compact and (not compact or "explain" not in method.query)
    arguments = ["ctx context.Context", *(f"{go_argument(one)} string" for one in method.arguments)]
    arguments += [f"{method.body} {method.body_type}"] if method.body else []
    arguments += ["options ...Option"] if options else [f"query {query}"] if query else []
    arguments += ["revision int64"] if method.revision is not None else []
    call = [f'"{method.verb}"', expression(method, "url.PathEscape({})").replace("request_id", "requestID")]
    call = [f"method: {call[0]}", f"path: {call[1]}"]
    if compact:
        call.append("options: " + ("append([]Option{compact}, options...)" if options else "[]Option{compact}"))
    elif options or query:
        call.append("options: options" if options else "options: query.options()")
    call += [f"body: {method.body}"] if method.body else []
    if method.revision is not None:
        call.append("revision: &revision" if method.revision else "revision: nonzero(revision)")
    comment = f"{name} {method.text[0].lower()}{method.text[1:]}"
    if method.revision is False:
        comment = comment.replace("without it", "if it is 0,")
    if compact:
        comment = f"{name}Compact is {name} with the short answer."
    name, answer = name + "Compact" * compact, "Compact" * compact + method.answer
    asked = f"\treturn ask[{answer}](ctx, c, call{{{', '.join(call)}}})"
    if len(asked) > 116:
        asked = f"\treturn ask[{answer}](ctx, c, call{{\n\t\t{call[0]}, {call[1]},\n\t\t{', '.join(call[2:])},\n\t}})"
    return [
        "", *textwrap.wrap(comment, 110, initial_indent="// ", subsequent_indent="// "),
        f"func (c *Client) {name}({', '.join(arguments)}) (*{answer}, error) {{", asked, "}",
    ]  # fmt: skip


def go(note, all_methods, go_name):
    lines = [f"// {note}", "", "package ballast", "", 'import (\n\t"context"\n\t"net/url"\n)']
    for method in all_methods:
        lines += go_method(method, go_name, False)
        if method.compact:
            lines += go_method(method, go_name, True)
    return "\n".join(lines) + "\n"


# TypeScript


def camel(name):
    return re.sub(r"_(\w)", lambda part: part[1].upper(), name)


def typescript_method(method):
    name, query = camel(method.name), pages(method)
    arguments = [f"{camel(one)}: string" for one in method.arguments]
    if method.body:
        empty = " = {}" if method.body == "watch" else ""
        arguments.append(f'{method.body}: Schemas["{method.body_type}"]{empty}')
    arguments += [f"query: {query} = {{}}"] if query else ["revision: number"] if method.revision else []
    given = "{ ...query, ...options }" if query else "{ ...options, revision }" if method.revision else "options"
    path = "".join(f"${{encodeURIComponent({camel(part)})}}" if i % 2 else part for i, part in enumerate(method.path))
    path = f"`{path}`" if method.arguments else f'"{path}"'
    call = f'this.ask("{method.verb}", {path}, "{method.answer}", {given}{", " + method.body if method.body else ""})'
    lines = ["", *textwrap.wrap(f"/** {method.text} */", 116, initial_indent="  ", subsequent_indent="   * ")]
    if method.compact:
        full = "Full" if "explain" in method.query else 'Omit<Full, "explain">'
        more = " & Target" if "survive" in method.query else ""
        full += " & Deposit" * ("deposit" in method.query)
        start = f"  {name}({', '.join(arguments)}, options"
        both = f"({full} | Compact){more}" if more else f"{full} | Compact"
        return [
            *lines, f'{start}?: {full}{more}): Promise<Schemas["{method.answer}"]>;',
            f'{start}: Compact{more}): Promise<Schemas["Compact{method.answer}"]>;',
            f"{start}: {both} = {{}}) {{", f"    return {call};", "  }",
        ]  # fmt: skip
    options = "Cancel" + (" & { revision?: number }" if method.revision is False else "")
    arguments.append(f"options: {options} = {{}}")
    return [*lines, f'  {name}({", ".join(arguments)}): Promise<Schemas["{method.answer}"]> {{', f"    return {call};", "  }"]


def typescript(note, all_methods):
    lines = [
        f"// {note}", "",
        'import type { Cancel, Compact, DecisionQuery, Deposit, Full, Page, Target } from "./client.js";',
        'import type { components } from "./contract.js";', "", 'type Schemas = components["schemas"];', "",
        "/** The methods of the client that are requests over HTTP. */", "export abstract class Methods {",
        "  /** Asks, with what is given beside signal, revision and view in the query, and returns the answer. */",
        "  protected abstract ask(method: string, path: string, answer: keyof Schemas, given: object, body?: object): "
        "Promise<never>;",
    ]  # fmt: skip
    for method in all_methods:
        lines += typescript_method(method)
    return "\n".join(lines) + "\n}\n"

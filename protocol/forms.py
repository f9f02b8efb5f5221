"""What is wrong with the form of a message, in words: where, what was found, what is accepted. In each language."""

from collections.abc import Mapping
from typing import Any

from pydantic_core import ErrorDetails

EN: Mapping[str, str] = {
    "it": "it",
    "found": "; found {found}",
    "value": "{place} must be text, a whole number, true, false, nothing, or a list of such",
    "missing": "{place} is missing",
    "wanted": "{place} must be {wanted}",
    "one_of": "{place} must be one of {expected}",
    "too_long": "{place} has {n} characters; at most {most} are accepted",
    "too_many": "{place} has {n} entries; at most {most} are accepted",
    "empty": "{place} must not be empty",
    "at_least": "{place} must be at least {least}",
    "at_most": "{place} must be at most {most}",
    "command": "{place} must be a map with the kind of a command that is accepted there",
    "other": "{place} is not accepted ({why})",
    "int_type": "a whole number",
    "string_type": "text",
    "bool_type": "true or false",
    "dict_type": "a map",
    "list_type": "a list",
    "none_required": "nothing",
    "nothing": "nothing",
    "true": "true",
    "false": "false",
    "large": "a very large number",
    "list": "a list",
    "map": "a map",
    "bytes": "raw bytes",
    "kind": "a value of the kind {kind}",
}
ZH: Mapping[str, str] = {
    "it": "它",
    "found": "；写的是 {found}",
    "value": "{place} 须为文字、整数、true、false、空，或这些的列表",
    "missing": "缺少 {place}",
    "wanted": "{place} 须为{wanted}",
    "one_of": "{place} 须为其中之一：{expected}",
    "too_long": "{place} 有 {n} 个字符；最多 {most} 个",
    "too_many": "{place} 有 {n} 项；最多 {most} 项",
    "empty": "{place} 不可为空",
    "at_least": "{place} 至少为 {least}",
    "at_most": "{place} 至多为 {most}",
    "command": "{place} 须为映射，其 kind 是此处接受的命令",
    "other": "{place} 不被接受（{why}）",
    "int_type": "整数",
    "string_type": "文字",
    "bool_type": "true 或 false",
    "dict_type": "映射",
    "list_type": "列表",
    "none_required": "空",
    "nothing": "空",
    "true": "true",
    "false": "false",
    "large": "很大的数",
    "list": "列表",
    "map": "映射",
    "bytes": "原始字节",
    "kind": "{kind} 类的值",
}
FORMS = {"en": EN, "zh": ZH}

_ALIKE = {"model_type": "dict_type", "model_attributes_type": "dict_type", "tuple_type": "list_type"}
_WANTED = ("int_type", "string_type", "bool_type", "dict_type", "list_type", "none_required")


def in_words(error: ErrorDetails, quote: bool, language: str = "en") -> str:
    """One finding of pydantic as a sentence. `quote`: what was found may be told."""
    said = FORMS.get(language, EN)
    kind, facts, found = error["type"], error.get("ctx", {}), error["input"]
    kind = _ALIKE.get(kind, kind)
    place = ".".join(short(str(part)) for part in error["loc"]) or said["it"]
    seen = said["found"].format(found=named(found, language)) if quote else ""
    if error["loc"][:1] in (("value",), ("was",)) and len(error["loc"]) > 1:
        # A choice of types: what pydantic says of each would hide what is accepted.
        return said["value"].format(place=error["loc"][0]) + seen
    if kind == "missing":
        return said["missing"].format(place=place)
    if kind in _WANTED:
        return said["wanted"].format(place=place, wanted=said[kind]) + seen
    if kind == "literal_error":
        return said["one_of"].format(place=place, expected=facts["expected"]) + seen
    if kind in ("string_too_long", "too_long"):
        how = "too_long" if kind == "string_too_long" else "too_many"
        return said[how].format(place=place, n=len(found), most=facts["max_length"])
    if kind in ("string_too_short", "too_short"):
        return said["empty"].format(place=place)
    if kind == "greater_than_equal":
        return said["at_least"].format(place=place, least=facts["ge"]) + seen
    if kind == "less_than_equal":
        return said["at_most"].format(place=place, most=facts["le"]) + seen
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return said["command"].format(place=place)
    return said["other"].format(place=place, why=error["msg"].lower() if quote else kind) + seen


def named(value: Any, language: str = "en") -> str:
    """What was found, short enough to be read and to be sent back."""
    said = FORMS.get(language, EN)
    if value is None:
        return said["nothing"]
    if isinstance(value, bool):
        return said["true" if value else "false"]
    if isinstance(value, int):
        return str(value) if abs(value) < 2**64 else said["large"]
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        return f"{short(value)!r}"
    if isinstance(value, (list, tuple)):
        return said["list"]
    if isinstance(value, dict):
        return said["map"]
    if isinstance(value, (bytes, bytearray)):
        return said["bytes"]
    return said["kind"].format(kind=type(value).__name__)


def short(text: str) -> str:
    clean = "".join(letter if letter.isprintable() else "?" for letter in text[:41])
    return clean if len(clean) <= 40 else clean[:40] + "..."

"""The verbs about seats: who may sit where, by which invitation, in what role. Verb -> parser -> command."""

from typing import Any

from core.bounds import LOAN_S
from protocol.invitation import new_salt
from server.cli.terminal.acts import Fields
from server.cli.terminal.phrases import seconds, units
from server.cli.terminal.seen import Seen
from server.cli.terminal.split import joined, parts, whole_number
from server.cli.terminal.unclear import Unclear
from server.cli.terminal.verbs import Local, Rest, Verb

SEATS = "seats and invitations"
ROLES = {
    "st": "st", "storyteller": "st", "主持人": "st",
    "player": "player", "玩家": "player",
    "spectator": "spectator", "旁观者": "spectator",
}  # fmt: skip


def role(text: str) -> str:
    if text.casefold() not in ROLES:
        raise Unclear("which_role", said=text)
    return ROLES[text.casefold()]


def invite(rest: Rest, seen: Seen) -> Fields:
    found = parts(rest.words, ("as", "with", "for"))
    name = joined(found[""])
    if not name:
        raise Unclear("invite_whom")
    fields: Fields = {"kind": "add_seat", "name": name, "role": "player", "salt": new_salt()}
    if "as" in found:
        fields["role"] = role(joined(found["as"]))
    if "with" in found:
        fields["units"] = units(found["with"], seen, "who_comes")
    return fields | lasting(found)


def lasting(found: Fields) -> Fields:
    return {"lasts_s": seconds(joined(found["for"]))} if "for" in found else {}


def renew(rest: Rest, seen: Seen) -> Fields:
    found = parts(rest.words, ("for",))
    return {"kind": "renew_invitation", "seat": seen.any_seat(joined(found[""])), "salt": new_salt(), **lasting(found)}


def of_seat(kind: str) -> Any:
    """A verb that takes one seat and nothing else."""
    return lambda rest, seen: {"kind": kind, "seat": seen.any_seat(rest.raw)}


def set_role(rest: Rest, seen: Seen) -> Fields:
    if len(rest.words) < 2:
        raise Unclear("role_how")
    return {
        "kind": "set_role",
        "seat": seen.any_seat(joined(rest.words[:-1])),
        "role": role(rest.words[-1].text),
    }


def lend(rest: Rest, seen: Seen) -> Fields:
    found = parts(rest.words, ("to", "for"))
    name = joined(found.get("to", found[""]))
    fields: Fields = {"kind": "lend_seat", "to": name, "salt": new_salt(), **lasting(found)}
    if not name or not 1 <= fields.get("lasts_s", 0) <= LOAN_S:
        raise Unclear("lend_how")
    return fields


def end_loan(rest: Rest, seen: Seen) -> Fields:
    return {"kind": "take_back_seat"} | ({"seat": seen.any_seat(rest.raw)} if rest.raw else {})


def audit_log(rest: Rest, seen: Seen) -> Local:
    return Local("audit", {"lines": min(200, max(1, whole_number(rest.raw, "how_many"))) if rest.raw else 20})


def tell_story(rest: Rest, seen: Seen) -> Local:
    everybody = rest.raw.casefold() in ("all", "everybody", "全部")
    return Local("story", {"whose": "all" if everybody else seen.the_seat(rest.raw or "st")})


VERBS = (
    Verb(("seats", "座位"), SEATS, (), "seats", "every seat you may know of, and what is not as usual about its invitation",
         "seats", lambda rest, seen: Local("seats")),
    Verb(("audit", "审计"), SEATS, (), "audit [N]",
         "who has changed what about seats, invitations, roles and house rules", "audit 20", audit_log, frozenset({"st"})),
    Verb(("story", "故事"), SEATS, (), "story [SEAT | all]", "this evening as a story, as that seat may read it",
         "story Ann", tell_story, frozenset({"st"})),
    Verb(("lend", "lend seat"), SEATS, ("lend_seat",), "lend to NAME for TIME",
         "let somebody play your seat too, until then (30 days at most) or until you end it; you can go on playing",
         "lend to Dora for 5 hours", lend),
    Verb(("end loan",), SEATS, ("take_back_seat",), "end loan [SEAT]",
         "take your seat back at once; the Storyteller names whose", "end loan", end_loan),
    Verb(("invite",), SEATS, ("add_seat",), "invite NAME [as player | st | spectator] [with UNITS] [for TIME]",
         "make a seat; its invitation is shown this once", "invite Dora with mira", invite),
    Verb(("renew",), SEATS, ("renew_invitation",), "renew SEAT [for TIME]",
         "a new invitation to a seat, shown this once; the one before opens nothing any more", "renew Ann", renew),
    Verb(("revoke",), SEATS, ("revoke_invitation",), "revoke SEAT",
         "nobody can sit there until you renew its invitation", "revoke Ann", of_seat("revoke_invitation")),
    Verb(("role",), SEATS, ("set_role",), "role SEAT st | player | spectator",
         "what a seat is; to hand the table over, make somebody st, then yourself a player", "role Ann st", set_role),
    Verb(("remove seat",), SEATS, ("remove_seat",), "remove seat SEAT", "the seat is gone; you run its units",
         "remove seat Ann", of_seat("remove_seat")),
)  # fmt: skip

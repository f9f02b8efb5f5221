"""Who may sit where, until when: what is lent ends with the invitation it was lent by, and a table keeps an ST."""

from dataclasses import replace

import pytest

from core import bounds
from core import commands as cmd
from core import events as ev
from core.ids import SeatId
from core.state import Loan
from server import admission
from server.auth import SeatKey
from tests.helpers.play import Game

HOUR_S, HOUR_MS = 3600, 3_600_000
ST_SEAT, CO_ST, ANN = SeatId("x1"), SeatId("x2"), SeatId("p1")


def admitted(game: Game, seat: SeatId, key: str = "") -> str:
    """What happens to whoever shows this invitation now."""
    try:
        admission.admit(game.table, SeatKey("test", seat, "player", "", key), game.now)
    except admission.Shut as shut:
        return shut.why[0].name
    return "in"


def loan_of(game: Game, seat: SeatId) -> Loan:
    loan = game.table.seats[seat].loan
    assert loan is not None
    return loan


# ---------------------------------------------------------------------------------------------------------------- lending
def test_what_was_lent_ends_when_the_lenders_invitation_is_renewed():
    for renew in (lambda game: game.do, lambda game: game.of_the_server):
        game = Game()
        game.do(cmd.LendSeat("Dora", HOUR_S), ANN)
        guest = loan_of(game, ANN).key
        assert admitted(game, ANN, guest) == "in"
        renew(game)(cmd.RenewInvitation(ANN))
        assert game.last[0] == ev.LoanEnded(ANN, "Dora")
        assert admitted(game, ANN, guest) == "REVOKED"


def test_a_loan_lasts_no_longer_than_the_lenders_own_invitation():
    game = Game()
    cleo = SeatId(game.do(cmd.AddSeat("Cleo", "player", lasts_s=HOUR_S)).made[0])
    game.do(cmd.LendSeat("Dora", 5 * HOUR_S), cleo)
    lent = loan_of(game, cleo)
    assert lent.until == game.now + HOUR_MS, "what is told of it is true"
    longer = replace(game.table.seats[cleo], loan=replace(lent, until=game.now + 5 * HOUR_MS))
    game.table = replace(game.table, seats={**game.table.seats, cleo: longer})  # however it came to be
    assert admitted(game, cleo, lent.key) == "in"
    game.wait(HOUR_MS)
    assert admitted(game, cleo) == admitted(game, cleo, lent.key) == "EXPIRED"


def test_a_loan_may_be_shorter_than_the_lenders_own_invitation():
    game = Game()
    game.do(cmd.LendSeat("Dora", HOUR_S), ANN)
    game.wait(HOUR_MS)
    assert admitted(game, ANN, loan_of(game, ANN).key) == "EXPIRED"
    assert admitted(game, ANN) == "in"


def test_a_seat_is_lent_for_thirty_days_at_most():
    game = Game()
    for lasts_s in (0, bounds.LOAN_S + 1, 10**9):
        told = {"lasts_s": lasts_s, "least": 1, "most": 30 * 24 * HOUR_S}
        assert game.refusal(cmd.LendSeat("Dora", lasts_s), ANN) == ("bad_value", told)
    game.do(cmd.LendSeat("Dora", bounds.LOAN_S), ANN)


# ------------------------------------------------------------------------------------------------------------ the last ST
GOES = {
    "removed": cmd.RemoveSeat(ST_SEAT),
    "revoked": cmd.RevokeInvitation(ST_SEAT),
    "a player": cmd.SetRole(ST_SEAT, "player"),
    "for an hour": cmd.RenewInvitation(ST_SEAT, HOUR_S),
}


@pytest.mark.parametrize("goes", GOES)
def test_the_last_st_stays_whose_invitation_does_not_run_out(goes: str):
    game = Game()
    assert game.refused(GOES[goes]) == "last_st"
    game.do(cmd.AddSeat("Second", "st", lasts_s=2 * HOUR_S, seat=CO_ST))
    assert game.refused(GOES[goes]) == "last_st", "the other one can come in for two hours only"
    game.wait(3 * HOUR_MS)
    assert game.refused(GOES[goes]) == "last_st", "the other one can come in no more"
    game.do(cmd.RenewInvitation(CO_ST))
    game.do(GOES[goes])


@pytest.mark.parametrize("goes", GOES)
def test_whoever_runs_the_server_may_leave_a_table_without_an_st(goes: str):
    Game().of_the_server(GOES[goes])


def test_an_st_who_was_invited_for_a_time_may_be_lost_while_another_stays():
    game = Game()
    game.do(cmd.AddSeat("Second", "st", lasts_s=HOUR_S, seat=CO_ST))
    game.do(cmd.RenewInvitation(CO_ST, 60))
    game.wait(HOUR_MS)
    game.do(cmd.RemoveSeat(CO_ST))


def test_where_all_sts_are_invited_for_a_time_the_one_who_stays_longest_stays():
    game = Game()
    game.of_the_server(cmd.RenewInvitation(ST_SEAT, 2 * HOUR_S))
    game.do(cmd.AddSeat("Second", "st", lasts_s=HOUR_S, seat=CO_ST))
    assert game.refused(cmd.RenewInvitation(ST_SEAT, HOUR_S)) == "last_st"
    game.do(cmd.RenewInvitation(ST_SEAT, 3 * HOUR_S))
    assert game.refused(cmd.RevokeInvitation(ST_SEAT)) == "last_st"
    game.do(cmd.RevokeInvitation(CO_ST))
    game.do(cmd.RemoveSeat(CO_ST))


def test_a_player_is_renewed_for_a_time_and_revoked_whoever_else_is_there():
    game = Game()
    game.do(cmd.RenewInvitation(ANN, HOUR_S))
    game.do(cmd.RevokeInvitation(ANN))
    assert admitted(game, ANN) == "REVOKED"

"""Nothing that people are told is missing in either language."""

import inspect
import re
import typing

import pytest

import core.calc
import core.explain
import core.notation
import core.refusals
import core.state
from protocol import codes, texts
from protocol.lines import INDEX, KINDS, pack, unpack
from protocol.texts.template import FIELD, Language

both = pytest.mark.parametrize("tables", texts.LANGUAGES.values(), ids=texts.LANGUAGES.keys())
SEATS = {"p1": "Mia", "s1": "Ben"}


def fields_of(template: str) -> set[str]:
    return {match[0] for match in FIELD.findall(template)}


@both
def test_every_refusal_has_a_text(tables: Language):
    assert set(tables.refusals) == {*core.refusals.CODES, *codes.REFUSALS}


@both
def test_every_close_code_has_a_text(tables: Language):
    assert set(tables.closes) == set(codes.Close)


@both
def test_every_reason_for_an_end_has_a_text(tables: Language):
    assert set(tables.explanations) == set(core.explain.KINDS)


@both
def test_every_line_has_a_text_made_of_its_own_fields(tables: Language):
    assert {kind for kind in tables.lines if ":" not in kind} == set(KINDS)
    for variant, template in tables.lines.items():
        kind = variant.split(":")[0]
        assert fields_of(template) <= {*KINDS[kind], "by"}, kind


@both
def test_every_closed_list_of_words_is_translated(tables: Language):
    words = tables.words
    assert set(words["slots"]) >= set(typing.get_args(core.state.Slot))
    assert set(words["orders"]) == set(typing.get_args(core.state.OrderKind))
    assert set(words["roles"]) == set(typing.get_args(core.state.Role))
    assert set(words["visibility"]) == set(typing.get_args(core.state.Visibility))
    assert set(words["acts"]) >= core.state.ATTACKS
    assert set(words["house"]) == set(core.state.House.__dataclass_fields__)
    for key, field in core.state.House.__dataclass_fields__.items():
        assert set(typing.get_args(field.type)) - {int, type(None), Ellipsis, str} <= set(words["values"]), key


def test_both_languages_know_the_same_words():
    en, zh = texts.LANGUAGES["en"], texts.LANGUAGES["zh"]
    assert {group: set(words) for group, words in en.words.items()} == {
        group: set(words) for group, words in zh.words.items()
    }
    assert set(en.nouns) == set(zh.nouns)


def test_both_languages_tell_the_same_facts():
    en, zh = texts.LANGUAGES["en"], texts.LANGUAGES["zh"]
    assert set(en.lines) == set(zh.lines)
    for kind in en.lines:
        assert fields_of(en.lines[kind]) == fields_of(zh.lines[kind]), kind
    for code in en.refusals:
        assert fields_of(en.refusals[code]) == fields_of(zh.refusals[code]), code


@both
def test_templates_use_only_words_and_nouns_that_exist(tables: Language):
    for template in [
        *tables.lines.values(),
        *tables.explanations.values(),
        *tables.refusals.values(),
        *tables.closes.values(),
    ]:
        for _, how, _ in FIELD.findall(template):
            if how.startswith("#"):
                assert how[1:] in tables.nouns, template
            elif how and how not in ("seat", "path", "time", "lasts", "few"):
                assert how in tables.words, template
        assert template.count("[") == template.count("]")
        assert not re.search(r"[{}]", FIELD.sub("", template)), template


@pytest.mark.parametrize("language", texts.LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_line_is_a_sentence_even_when_everything_is_masked(language: str, kind: str):
    full = unpack(pack(kind, 1, "p1", [1 for _ in KINDS[kind]]))
    empty = unpack(pack(kind, 1, "p1"))
    for line in (full, empty):
        told = texts.say(line, language, SEATS)
        assert not re.search(r"[\[\]{}]|None", told), told
    assert texts.say(full, language, SEATS).strip()


def test_a_long_list_is_cut():
    rolled = unpack(pack("rolled", 1, "p1", [["u", "Aki"], "", [7] * 500, 3, 0, 3]))
    assert texts.say(rolled).count("7") == 31
    assert "and 470 more" in texts.say(rolled)
    assert "另有 470 个" in texts.say(rolled, "zh")


def line(kind: str, by: str | tuple[str, str], *args: object):
    return unpack(pack(kind, 60, by, args))


AKI, GHOUL = ["u1", "Aki"], ["u2", "Ghoul"]


@pytest.mark.parametrize(
    ("told", "en", "zh"),
    [
        (line("said", "p1", None, "hello"), "Mia: “hello”", "Mia：“hello”"),
        (line("said", "p1", AKI, "hello"), "Aki: “hello”", "Aki：“hello”"),
        (line("request_answered", "st", "q1", "p1", True), "The Storyteller says yes to Mia", "主持人同意Mia的请求"),
        (line("request_answered", "st", "q1", "p1", False, "no"), "The Storyteller says no to Mia: “no”",
         "主持人拒绝Mia的请求：“no”"),
        (line("whispered", "st", "p1", "psst"), "The Storyteller whispers to Mia: “psst”", "主持人对Mia低语：“psst”"),
        (line("whispered", "p1", "st", "psst"), "Mia whispers to the Storyteller: “psst”", "Mia对主持人低语：“psst”"),
        (line("said", ("s1", "p1"), None, "hm"), "Ben for Mia: “hm”", "Ben代Mia：“hm”"),
        (
            line("rolled", "p1", AKI, "attack", [8, 10, 3, 9], 3, 1, 3, False, False, None, 3, 10, 7, GHOUL, "open"),
            "Aki rolls 3 dice for attack against Ghoul: 8, 10, 3, 9 – 3 successes + 1 extra success",
            "Aki为攻击掷3颗骰子，对Ghoul：8、10、3、9 – 3个成功数 + 1个附加成功",
        ),
        (
            line("rolled", "p1", AKI, "", [1], 0, None, 0, True, True, 2, 0, 10, 7),
            "Aki rolls a chance die (DC 2): 1 – 0 successes, a dramatic failure",
            "Aki掷机运骰（难度2）：1 – 0个成功数，大失败",
        ),
        (
            line("rolled", "p1", AKI, "jump", [8, 9, 9], 3, 0, 3, False, False, 2, 3, 10, 8, None, "open", None,
                 None, None, None, "success", 1),
            "Aki rolls 3 dice for jump (DC 2): 8, 9, 9 – 3 successes: success, margin 1",
            "Aki为jump掷3颗骰子（难度2）：8、9、9 – 3个成功数：成功，超出1",
        ),
        (
            line("rolled", "p1", AKI, "jump", [8], 1, 0, 1, False, False, 2, 1, 10, 8, None, "open", *[None] * 4, "failure"),
            "Aki rolls 1 die for jump (DC 2): 8 – 1 success: failure",
            "Aki为jump掷1颗骰子（难度2）：8 – 1个成功数：失败",
        ),
        (
            line("rolled", "p1", AKI, "door", [8, 9, 9, 9, 1], 3, None, 1, False, False, 1, 5, 11, 9, None, "open",
                 *[None] * 4, "success", 0, 7, 1, None, 2),
            "Aki rolls 5 dice for door (DC 1) (target number 7): 8, 9, 9, 9, 1 – 1 success, one 1 taken off, "
            "2 successes of the opponent taken off: success, margin 0",
            "Aki为door掷5颗骰子（难度1）（目标值7）：8、9、9、9、1 – 1个成功数，已扣除1个1，"
            "已扣除对手的2个成功数：成功，超出0",
        ),
        (
            line("rolled", "p1", AKI, "", [1, 1], 0, None, 0, False, False, None, 2, 11, 9, None, "open", *[None] * 6,
                 7, 2, True),
            "Aki rolls 2 dice (target number 7): 1, 1 – 0 successes, 2 1s taken off, a botch",
            "Aki掷2颗骰子（目标值7）：1、1 – 0个成功数，已扣除2个1，大失手",
        ),
        (
            line("task_started", "st", AKI, "tug", 5, None, None, "x1", 7, GHOUL),
            "Aki begins: tug (DC 5) (target number 7), against Ghoul",
            "Aki开始：tug（难度5）（目标值7），对Ghoul",
        ),
        (
            line("task_started", "st", AKI, "climb", 6, None, None, "x1", 7, None, True, True),
            "Aki begins: climb (DC 6) (target number 7), others may help, a botch ends it for good",
            "Aki开始：climb（难度6）（目标值7），可由他人协作，大失手即告终",
        ),
        (
            line("task_rolled", "p1", AKI, "tug", 0, 2, 5, None, "x1", GHOUL, 3, 3),
            "Aki, tug: 0 successes more, 2 of 5; Ghoul: 3 more, 3 so far",
            "Aki，tug：增加0个成功数，共2/5；Ghoul增加3，共3",
        ),
        (
            line("task_botched", "p1", AKI, "climb", "x1"),
            "Aki, climb: a botch; it starts over from scratch",
            "Aki，climb：大失手，从头再来",
        ),
        (
            line("task_done", "p1", AKI, "tug", "x1", 5, GHOUL, 3),
            "Aki, tug: done, 5 to 3 against Ghoul",
            "Aki，tug：完成，对Ghoul为5比3",
        ),
        (
            line("task_failed", "", AKI, "tug", "lost", "", 2, 5, "x1", GHOUL, 5),
            "Aki, tug: failed: the opponent was first; 2 of 5 were reached, 5 by Ghoul",
            "Aki，tug：失败：对手先达成；达到2/5，Ghoul达到5",
        ),
        (
            line("task_started", "p1", AKI, "novel", 15, 86_400, 2_592_000),
            "Aki begins: novel (DC 15), one roll each 1 day, to be done within 30 days",
            "Aki开始：novel（难度15），每1天检定一次，须在30天内完成",
        ),
        (line("task_started", "p1", AKI, "novel", 15), "Aki begins: novel (DC 15)", "Aki开始：novel（难度15）"),
        (
            line("task_rolled", "p1", AKI, "novel", 4, 10, 15, 2),
            "Aki, novel: 4 successes more, 10 of 15; 2 mistakes",
            "Aki，novel：增加4个成功数，共10/15；2个过失",
        ),
        (
            line("task_at_risk", "p1", AKI, "novel", 14, 15),
            "Aki, novel: careful, it is at risk: 14 mistakes, at 15 it fails",
            "Aki，novel：小心，有失败的危险：14个过失，达到15个即失败",
        ),
        (
            line("task_set_aside", "st", AKI, "novel", 2, 5, "one night"),
            "Aki sets novel aside and loses 2 successes of it; 5 are left (one night)",
            "Aki搁置novel，失去2个成功数，还剩5（one night）",
        ),
        (line("task_set_aside", "st", AKI, "novel", None, 7), "Aki sets novel aside", "Aki搁置novel"),
        (line("task_edited", "st", AKI, "novel", "new oil"), "Aki, novel: values are changed (new oil)",
         "Aki，novel：数值有改动（new oil）"),
        (line("task_done", "p1", AKI, "novel"), "Aki, novel: done", "Aki，novel：完成"),
        (
            line("task_failed", "", AKI, "novel", "deadline", "", 8, 15),
            "Aki, novel: failed: the time is up; 8 of 15 were reached",
            "Aki，novel：失败：时间到；达到8/15",
        ),
        (line("rolled", "p1", AKI, "initiative", [4], 4, 0, 4), "Aki rolls for initiative: 4", "Aki掷先攻：4"),
        (
            line("declared", "p1", AKI, "attack", "standard", "Claw", [GHOUL], "Die!", "k1"),
            "Aki: attack (standard action) with Claw against Ghoul – “Die!”",
            "Aki：攻击（标准动作），用Claw，对Ghoul – “Die!”",
        ),
        (line("declared", "", None, "attack", "standard"), "Somebody: attack (standard action)", "有人：攻击（标准动作）"),
        (line("failed", "", AKI, "attack", "interrupted", "k1"), "Aki: attack fails: interrupted", "Aki：攻击失败：被打断"),
        (
            line("withdrawn", "st", AKI, "move", True, "slip", "k1"),
            "Aki: move is withdrawn, its cost comes back (slip)",
            "Aki：移动已收回，花费退还（slip）",
        ),
        (line("damaged", "", GHOUL, "hp", None, "badly_hurt"), "Ghoul is hurt, now badly hurt", "Ghoul击伤，现为重伤"),
        (line("condition_gained", "st", AKI, "stunned"), "Aki is now stunned", "Aki陷入状态：震慑"),
        (line("condition_gained", "st", AKI, "on_fire"), "Aki is now on fire", "Aki陷入状态：on fire"),
        (line("action_ended", "", AKI, True), "Aki cannot act; its action is over", "Aki无法行动，其行动结束"),
        (line("owner_set", "st", AKI, "p1"), "Aki now belongs to Mia", "Aki现归Mia"),
        (line("owner_set", "st", AKI), "Aki now belongs to the Storyteller", "Aki现归主持人"),
        (line("house_set", "st", "enforce", "warn", "strict"), "House rule “how rules are enforced”: strict → warn",
         "房规“规则执行方式”：严格 → 警告"),
        (line("rule_objected", "p1", "enforce", "warn", "no"),
         "Mia objects to the house rule how rules are enforced (warn): “no”", "Mia反对房规“规则执行方式”（警告）：“no”"),
        (line("value_set", "st", AKI, "tracks.hp.max", 7, 10), "Aki: HP, at most 10 → 7", "Aki：生命上限 10 → 7"),
        (line("value_set", "st", AKI, "attributes.DEX", 7), "Aki: DEX 7", "Aki：DEX 7"),
        (line("debt_owed", "p1", AKI, "free:speak"), "Aki owes free action (speak) of its next action",
         "Aki下次行动欠自由动作 (说话)"),
        (line("passed", "st", "p9", "w"), "A seat passes", "某席位放弃反应"),
        (line("granted", "st", AKI, ["swift", "move"]), "Aki gets swift action, move action", "Aki获得迅捷动作、移动动作"),
        (line("value_set", "st", AKI, "hp", 7, 10, "fell"), "Aki: HP 10 → 7 (fell)", "Aki：生命 10 → 7（fell）"),
        (
            line("flagged", "p1", "too_far", False, AKI),
            "Against the rules, by house rule: Aki, farther than one move action carries",
            "依房规放行的违规：Aki，超出一个移动动作的距离",
        ),
        (unpack([INDEX["fight_ended"], 1, "st", 1]), "The fight is over after 1 turn", "战斗结束，共1个回合"),
        (unpack([999, 1, "st"]), "Something this client does not know has happened (unknown)",
         "发生了此客户端不认识的事（unknown）"),
    ],
)  # fmt: skip
def test_lines_read_well(told, en: str, zh: str):
    assert texts.say(told, "en", SEATS) == en
    assert texts.say(told, "zh-CN", SEATS) == zh


@both
def test_every_reason_against_a_calculation_is_a_sentence(tables: Language):
    reasons = set(re.findall(r'(?:why=|wrong\()"(\w+)"', "".join(map(inspect.getsource, (core.calc, core.notation)))))
    assert reasons == set(tables.words["sums"])
    params = {"why": "second_slash", "at": 4, "said": "/"}
    assert texts.refusal("no_number", params) == (
        "This cannot be worked out: a second “/” needs brackets that say which division comes first (at “/”)"
    )
    assert texts.refusal("no_number", params, "zh") == "无法计算：第二个“/”需要括号说明先除哪个（“/”处）"


def test_a_refusal_uses_what_it_knows():
    assert texts.refusal("not_enough", {"left": 2}) == "Not enough defence extra successes are left: 2"
    assert texts.refusal("not_enough") == "Not enough defence extra successes are left"
    assert texts.refusal("bad_again", {"again": 7, "accepted": [10, 9, 8]}) == (
        "There are 10-again, 9-again and 8-again; not 7"
    )
    assert texts.refusal("no_action_left", {"unit": "u1", "slot": "standard"}, "zh") == "所需的动作已经用掉（标准动作）"
    assert texts.refusal("interval", {"left_s": 43_200}) == "The interval of this task is not over yet: 12 hours to go"
    assert texts.refusal("interval", {"left_s": 5_430}, "zh") == "这项延续动作的周期还没到：还差5430秒"
    assert texts.refusal("dc_fixed", {"dc": 15}) == "The DC of an extended action cannot be lowered; it is 15"
    assert texts.refusal("from_the_future", {}) == "The server refused this (from_the_future)"
    assert (
        texts.closed(4002, "en", "1 or 2")
        == "Server and client speak different versions; update the older one (1 or 2)"
    )
    assert texts.closed(None) == "The connection has ended"
    assert texts.language("fr") is texts.LANGUAGES["en"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("en", "This is not possible at the moment; the Storyteller can see why: this unit cannot act (stunned)"),
        ("zh", "现在无法这样做；主持人能看到原因：这个单位无法行动 (震慑)"),
    ],
)
def test_the_st_reads_the_true_reason_in_his_language(name: str, said: str):
    assert texts.refusal("not_possible", {"st": "cannot_act:stunned"}, name) == said
    assert "fault" not in texts.refusal("not_possible", {"st": "fault"}, name)

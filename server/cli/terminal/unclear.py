"""What this terminal says of a line, or a file, that it cannot understand, in each language.

`Unclear("no_such", what="unit", ...)`: a key of the tables and what stands in its gaps. A gap may be filled with another
Unclear, or with a list of names; `what`, `found` and `form` are words of the table NOUNS.
"""

from collections.abc import Mapping
from typing import Any

FEW = 12
"""So many entries of a list are told."""

EN = {
    # words, numbers, lengths
    "not_closed": "a quotation mark {sign} is not closed",
    "whole_number": "{what} must be a whole number; found “{found_text}”",
    "how_long": "how long? 60 s, 10 minutes, 2 hours, 1 day; found “{said}”",
    "which_duration": "how long? for 2 rounds, for 3 hours, for 1 day of this world, until sunrise, for 1 scene, for good",
    "json": "this is no list or map in JSON: {why}",
    # which one is meant
    "could_be": "“{said}” could be {there}: write more of the name, or the id",
    "which_of_mine": "“{said}” could be {there}: say which",
    "none_at_all": "there is no {what}; there is none at all",
    "none_at_all_such": "there is no {what} “{said}”; there is none at all",
    "say_which": "say which {what}: {there}",
    "no_such": "there is no {what} “{said}”; there is {there}",
    "which_one": "which one?",
    "stack_empty": "nothing is waiting on the stack",
    "no_readied": "no readied action is held",
    "no_request_waits": "no request waits for an answer",
    "no_request": "there is no request {said}; there is {there}",
    "which_request": "say which request: {there}; `requests` shows them",
    "several_requests": "{seat} has asked for {n} things: say {there}; `requests` shows them",
    "request_of": "{n} of {seat}",
    # verbs
    "no_verb": "“{said}” is no verb here; `help` lists all verbs",
    "no_verb_near": "“{said}” is no verb here; did you mean “{near}”? `help` lists all verbs",
    "no_lesson": "there is no verb “{said}”; `help` lists all",
    "not_for": "“{verb}” is not for {who} to do; `help` lists what is",
    "nothing_waits": "nothing waits for a yes or a no just now",
    "languages": "there are the languages en and zh",
    # acts
    "no_slot": "there is no slot “{said}”; there are {there}",
    "no_unit_on_stage": "you have no unit on stage to do this with",
    "with_what": "with what? {unit} has {there}; add: with {first}",
    "who": "who? begin with a name and a colon ({first}: ...); it could be {there}",
    "has": "{unit} has {there}",
    "has_none": "{unit} has none",
    "no_ability": "there is no ability “{said}”; {have}. For anything else: act WHAT YOU DO",
    "split_how": "split 2/2/1 on one target, or say whom each attack is at: split A 4, B with axe 3, B 1",
    "too_many_attached": "it has {n} steps ({there}); attach one ability to each, or - for none",
    "at_whom": "at whom? add the target: attack NAME with ABILITY, or use ABILITY on NAME",
    "nobody_acts": "nobody acts just now",
    "which_unit": "which unit? {there}",
    "which_unit_none": "which unit? you have none",
    "when": 'when? end with: when attacked, when NAME attacks, when an enemy moves, or when "your own words"',
    "own_words": '{problem} – a condition in your own words goes in quotes: when "..."',
    "nothing_asked": "nothing is asked just now, so there is nothing to pass on",
    "announce_how": "how many actions? such as: announce 2",
    "defend_how": "with how many extra successes? defend 2, or defend 2 NAME",
    "nobody_attacked": "nobody is attacked just now; for the usual defence: default defence N",
    "gain_how": "how many to each attack still to come, in their order? gain 2 0",
    "order_how": "a standing order is: order [KIND OF ACT] concerns me, ask, pass, or unless target",
    "leave_for_what": "no rule has refused anything of yours just now; say for what: ask leave attack zombie with sword",
    "no_leave_needed": "no leave is needed for that",
    # talk and dice
    "say_what": "say what?",
    "whisper_what": "whisper what?",
    "whisper_to": "to whom, and what? whisper SEAT TEXT",
    "narrate_what": "narrate what?",
    "roll_what": "roll what? roll DEX+Stealth+2, roll 5, roll PER dc 2 private for REASON",
    "roll_how_many": "roll how many dice? roll DEX+Stealth+2, or roll 5",
    "mix_what": "mix what into the dice? any word of yours: mix 4711",
    "only_numbers_away": "only numbers can be taken away, not “{said}”",
    "dc_low": "a DC is 0 or more; found {n}",
    "ask_what": "for what pool? ask mira, kai for PER+2 dc 2 because something moves",
    "calc_what": "calc what? calc 6/Resolve extra successes + 1, calc 10 with x2, x4, +50 then x4",
    # extended actions
    "which_tn": "which target number? tn 7, or of the opponent: tn DEX+Brawl",
    "tn_with_pool": "a target number goes with its pool: with STR+2 tn 7",
    "opposed_how": "with which pool is it opposed? against NAME with POOL, such as: against zombie with STR+2",
    "task_how": "task NAME with POOL dc N, such as: task barricade with STR+2 dc 5 every 1 minute",
    "edit_task_how": "edit task NAME dc N, with POOL, every 2 hours, within 3 days, successes N, mistakes N, in one go",
    # the Storyteller's
    "who_list": "say {what}, with commas between",
    "from_file": "from which file? add units from FILE",
    "add_how": "add unit NAME hp=8 side=foe initiative=5, or add units from FILE",
    "add_stray": "what is “{said}”? After the name come values (hp=8), hidden, on_stage",
    "name_means": "“{said}” is a word that means something here; a unit needs another name",
    "name_is_verb": 'for that leave out `add`: {usage}. A unit of this name goes in quotes: add "{said}"',
    "set_up_what": "set up what? The name of something in the library, or a file; library shows what there is",
    "invite_whom": "whom? invite NAME as player with UNITS for 5 hours",
    "which_role": "“{said}” is no role: st, player or spectator",
    "role_how": "whose, and which? role SEAT st (or player, or spectator)",
    "lend_how": "to whom, for how long? lend to NAME for 5 hours",
    "give_to": "to whom? give NAME to SEAT (or to st)",
    "which_actions": "which actions? {there}, such as: grant mira standard",
    "as_how": "as SEAT COMMAND, such as: as Ann pass",
    "scene_why": "why? scene {reasons} [because KEY POINT] [end lasting] [endless night] [uncounted]",
    "prebuff_how": "prebuff on, or prebuff off",
    "film_which": "which Film? film NAME [in WORLD] [end lasting]",
    "world_how": "world [NAME] [day 48h] [sunrise 12h | never] [sunset 30h | never] [now 13:00] [date 2026-01-31]",
    "which_value": "say which value: NAME.hp, NAME.position, NAME.attributes.DEX; there are {all}",
    "set_what": "what shall it be? It is {now} now: set {unit}.{path} VALUE",
    "hp_how": "hp NAME -3 takes three off, hp NAME +2 adds two, hp NAME 5 sets it",
    "condition_how": "condition NAME WORD [for 2 rounds | 3 hours | until sunrise ...] [by NAME] [secret]",
    "lift_how": "lift NAME WORD, such as: lift mira prone",
    "house_how": "house KEY VALUE, such as: house reaction_window_ms 12000; `rules` shows them all",
    "edit_how": "edit [WHOSE] targets A, B | split A 2, B 1 | guards A 2 | fled A | fails",
    "stack_so": "the stack lies so already; name the actions by their actors, the last on top",
    "rewind_how": "rewind 3 undoes the last three changes, rewind to 118 all after change 118 (see: log)",
    "rewind_range": "the newest change is {n}: rewind to 0 up to rewind to {before}, or rewind 1 up to rewind {n}",
    "nothing_to_undo": "nothing has happened yet that could be undone",
    # do
    "do_what": "do what? There is no command “{said}”; there are {all}",
    "do_fields": "write fields as name=value; {kind} has {all}",
    "do_no_field": "{kind} has no field {said}; there is {all}",
    "no_field_at_all": "no field at all",
    "form": "{problem}",
    # files of units
    "unreadable": "{file} cannot be read: {why}",
    "not_utf8": "{file} cannot be read: it is no text in UTF-8",
    "not_in_library": "the library has no “{said}”; it has {all}",
    "lines": "{all_lines}",
    "at_line": "{file}, line {line}, unit {n}: {problem}",
    "at_column": "{file}, line {line}, column “{column}”, unit {n}: {problem}",
    "not_yaml": "{file}: this is neither YAML nor JSON: {why}",
    "not_yaml_at": "{file}, line {line}, column {column}: this is neither YAML nor JSON: {why}",
    "tangled": "{file}, line {line}: no aliases (*name) here, and at most {most} lists or maps in each other",
    "no_units": "{file}: found {found}; accepted is one unit (a map with a name), or a list of units",
    "no_map": "found {found}; accepted is a map with a name",
    "bad_count": "count: found {said}; accepted is a whole number from 1 to {most}",
    "bad_together": "one_initiative: found {said}; accepted is yes or no",
    "bad_track": "{place} must be a whole number, or a map with value and max; found {said}",
    "bad_owner": "owner: {problem}",
    "no_names": "{file}, line {line}: the first row names the fields, `name` among them; found {said}",
    "no_row": "{file}, line {line}: this is no row of a table: {why}",
    "no_rows": "{file}: there is no unit in it; accepted is one row for each, below the names of the fields",
    "value_and_below": "there is a value for {outer} and one for {outer}.{inner}",
    "two_values": "there are two values for {inner}",
    "bad_attack": "attacks: found {said}; accepted is a name and its dice, such as: claw 6, or: bow 4 ranged",
    # the way in
    "no_way_in": "{why}. Ask the Storyteller for the whole line, and put it in quotes",
    "nobody_answers": "nobody answers at {address}; check the address, and that the server runs",
}  # fmt: skip

ZH = {
    "not_closed": "引号 {sign} 没有闭合",
    "whole_number": "{what}须为整数；写的是“{found_text}”",
    "how_long": "多久？例如 60 s、10 minutes、2 hours、1 day；写的是“{said}”",
    "which_duration": "多久？例如 for 2 rounds、for 3 hours、for 1 day of this world、until sunrise、for 1 scene、for good",
    "json": "这不是 JSON 的列表或映射：{why}",
    "could_be": "“{said}”可能是 {there}：请多写几个字，或写编号",
    "which_of_mine": "“{said}”可能是 {there}：请说明是哪一个",
    "none_at_all": "没有{what}；一个也没有",
    "none_at_all_such": "没有{what}“{said}”；一个也没有",
    "say_which": "请说明是哪个{what}：{there}",
    "no_such": "没有{what}“{said}”；有 {there}",
    "which_one": "哪一个？",
    "stack_empty": "堆叠上没有等待结算的动作",
    "no_readied": "没有准备动作",
    "no_request_waits": "没有等待答复的请求",
    "no_request": "没有请求 {said}；有 {there}",
    "which_request": "请说明是哪个请求：{there}；`requests` 可列出",
    "several_requests": "{seat} 提出了 {n} 个请求：请写 {there}；`requests` 可列出",
    "request_of": "{n}（{seat}）",
    "no_verb": "这里没有动词“{said}”；`help` 列出所有动词",
    "no_verb_near": "这里没有动词“{said}”；是不是“{near}”？`help` 列出所有动词",
    "no_lesson": "没有动词“{said}”；`help` 列出全部",
    "not_for": "“{verb}”不是{who}可用的命令；`help` 列出可用的",
    "nothing_waits": "现在没有等待回答是或否的问题",
    "languages": "可用的语言是 en 和 zh",
    "no_slot": "没有动作类型“{said}”；有 {there}",
    "no_unit_on_stage": "你没有登场的单位可以做这件事",
    "with_what": "用什么？{unit} 有 {there}；请加上：with {first}",
    "who": "由谁？以名字和冒号开头（{first}: ...）；可能是 {there}",
    "has": "{unit} 有 {there}",
    "has_none": "{unit} 没有能力",
    "no_ability": "没有能力“{said}”；{have}。其他任何事：act 你要做的事",
    "split_how": "对一个目标：split 2/2/1；或说明每次攻击对谁：split A 4, B with axe 3, B 1",
    "too_many_attached": "它有 {n} 步（{there}）；每步附加一个能力，没有则写 -",
    "at_whom": "对谁？请加上目标：attack 名字 with 能力，或 use 能力 on 名字",
    "nobody_acts": "现在无人行动",
    "which_unit": "哪个单位？{there}",
    "which_unit_none": "哪个单位？你一个也没有",
    "when": '何时？以 when attacked、when 名字 attacks、when an enemy moves 或 when "自己的话" 结尾',
    "own_words": '{problem} – 自己写的条件要加引号：when "..."',
    "nothing_asked": "现在没有问题要回应，无从放弃",
    "announce_how": "多少个动作？例如：announce 2",
    "defend_how": "用多少附加成功？defend 2，或 defend 2 名字",
    "nobody_attacked": "现在无人受到攻击；平时的防御：default defence N",
    "gain_how": "尚未进行的攻击按顺序各分多少？gain 2 0",
    "order_how": "预设指令的写法：order [动作种类] concerns me、ask、pass 或 unless target",
    "leave_for_what": "刚才没有规则拒绝过你；请写明为什么事：ask leave attack zombie with sword",
    "no_leave_needed": "这件事无须放行",
    "say_what": "说什么？",
    "whisper_what": "低语什么？",
    "whisper_to": "对谁，说什么？whisper 席位 文字",
    "narrate_what": "叙述什么？",
    "roll_what": "掷什么？roll DEX+Stealth+2、roll 5、roll PER dc 2 private for 理由",
    "roll_how_many": "掷多少骰子？roll DEX+Stealth+2，或 roll 5",
    "mix_what": "把什么混入骰子？你的任何一个词：mix 4711",
    "only_numbers_away": "只能减去数字，不能减去“{said}”",
    "dc_low": "难度为 0 或以上；写的是 {n}",
    "ask_what": "什么骰池？ask mira, kai for PER+2 dc 2 because something moves",
    "calc_what": "计算什么？calc 6/Resolve extra successes + 1、calc 10 with x2, x4, +50 then x4",
    "which_tn": "目标值是多少？tn 7，或取对手的：tn DEX+Brawl",
    "tn_with_pool": "目标值要和骰池一起写：with STR+2 tn 7",
    "opposed_how": "对手用什么骰池？against 名称 with 骰池，例如：against zombie with STR+2",
    "task_how": "task 名称 with 骰池 dc N，例如：task barricade with STR+2 dc 5 every 1 minute",
    "edit_task_how": "edit task 名称 dc N、with 骰池、every 2 hours、within 3 days、successes N、mistakes N、in one go",
    "who_list": "请说明{what}，用逗号分开",
    "from_file": "从哪个文件？add units from 文件",
    "add_how": "add unit 名字 hp=8 side=foe initiative=5，或 add units from 文件",
    "add_stray": "“{said}”是什么？名字之后是数值（hp=8）、hidden、on_stage",
    "name_means": "“{said}”在这里另有含义；单位需要别的名字",
    "name_is_verb": '要做那件事请去掉 `add`：{usage}。单位真叫这个名字时加引号：add "{said}"',
    "set_up_what": "布置什么？资料库中的名称，或一个文件；library 列出有什么",
    "invite_whom": "邀请谁？invite 名字 as player with 单位 for 5 hours",
    "which_role": "“{said}”不是身份：st、player 或 spectator",
    "role_how": "谁的，改成什么？role 席位 st（或 player、spectator）",
    "lend_how": "借给谁，多久？lend to 名字 for 5 hours",
    "give_to": "给谁？give 名字 to 席位（或 to st）",
    "which_actions": "哪些动作？{there}，例如：grant mira standard",
    "as_how": "as 席位 命令，例如：as Ann pass",
    "scene_why": "为何？scene {reasons} [because 关键点] [end lasting] [endless night] [uncounted]",
    "prebuff_how": "prebuff on，或 prebuff off",
    "film_which": "哪部影片？film 名称 [in 世界] [end lasting]",
    "world_how": "world [名称] [day 48h] [sunrise 12h | never] [sunset 30h | never] [now 13:00] [date 2026-01-31]",
    "which_value": "请说明是哪个数值：名字.hp、名字.position、名字.attributes.DEX；有 {all}",
    "set_what": "要设为什么？现在是 {now}：set {unit}.{path} 数值",
    "hp_how": "hp 名字 -3 扣三点，hp 名字 +2 加两点，hp 名字 5 设为五点",
    "condition_how": "condition 名字 状态 [for 2 rounds | 3 hours | until sunrise ...] [by 名字] [secret]",
    "lift_how": "lift 名字 状态，例如：lift mira prone",
    "house_how": "house 房规 值，例如：house reaction_window_ms 12000；`rules` 列出全部",
    "edit_how": "edit [谁的] targets A, B | split A 2, B 1 | guards A 2 | fled A | fails",
    "stack_so": "堆叠已是这样；按行动者写出各个动作，最后的在最上",
    "rewind_how": "rewind 3 撤销最近三个变更，rewind to 118 撤销变更 118 之后的全部（见：log）",
    "rewind_range": "最新的变更是 {n}：rewind to 0 至 rewind to {before}，或 rewind 1 至 rewind {n}",
    "nothing_to_undo": "还没有发生可以撤销的事",
    "do_what": "do 什么？没有命令“{said}”；有 {all}",
    "do_fields": "字段写作 名称=值；{kind} 有 {all}",
    "do_no_field": "{kind} 没有字段 {said}；有 {all}",
    "no_field_at_all": "没有任何字段",
    "form": "{problem}",
    "unreadable": "无法读取 {file}：{why}",
    "not_utf8": "无法读取 {file}：不是 UTF-8 文本",
    "not_in_library": "资料库中没有“{said}”；有 {all}",
    "lines": "{all_lines}",
    "at_line": "{file} 第 {line} 行，第 {n} 个单位：{problem}",
    "at_column": "{file} 第 {line} 行“{column}”列，第 {n} 个单位：{problem}",
    "not_yaml": "{file}：既不是 YAML 也不是 JSON：{why}",
    "not_yaml_at": "{file} 第 {line} 行第 {column} 列：既不是 YAML 也不是 JSON：{why}",
    "tangled": "{file} 第 {line} 行：单位要完整写出，不用别名（*name），列表或映射最多嵌套 {most} 层",
    "no_units": "{file}：内容是{found}；应为一个单位（带 name 的映射）或单位的列表",
    "no_map": "内容是{found}；应为带 name 的映射",
    "bad_count": "count：写的是 {said}；应为 1 至 {most} 的整数",
    "bad_together": "one_initiative：写的是 {said}；应为 yes 或 no",
    "bad_track": "{place} 须为整数，或带 value 和 max 的映射；写的是 {said}",
    "bad_owner": "owner：{problem}",
    "no_names": "{file} 第 {line} 行：第一行写字段名，其中须有 `name`；写的是 {said}",
    "no_row": "{file} 第 {line} 行：这不是表格的一行：{why}",
    "no_rows": "{file}：其中没有单位；字段名之下每个单位一行",
    "value_and_below": "{outer} 和 {outer}.{inner} 都有值",
    "two_values": "{inner} 有两个值",
    "bad_attack": "attacks：写的是 {said}；应为名称和骰子数，例如：claw 6，或：bow 4 ranged",
    "no_way_in": "{why}。请向主持人索取完整的一行，并加上引号",
    "nobody_answers": "{address} 没有应答；请检查地址，以及服务器是否在运行",
}  # fmt: skip

NOUNS: Mapping[str, tuple[str, str]] = {
    "unit": ("unit", "单位"),
    "seat": ("seat", "席位"),
    "ability": ("ability", "能力"),
    "attachable": ("ability to attach", "可附加的能力"),
    "attribute": ("Attribute or Skill", "属性或技能"),
    "house": ("house rule", "房规"),
    "percent": ("percent", "百分比"),
    "pending": ("waiting action of", "等待中的动作，属于"),
    "readied": ("readied action", "准备动作"),
    "effect": ("effect", "持续效果"),
    "task": ("task", "延续动作"),
    "asked_roll": ("asked roll", "要求的检定"),
    "request": ("request of the seat", "请求，来自席位"),
    "who_rolls": ("who rolls", "由谁检定"),
    "who_comes": ("who comes on", "谁登场"),
    "who_fights": ("who fights", "谁参战"),
    "who_leaves": ("who leaves", "谁退场"),
    "new_order": ("the new order", "新的顺序"),
    "st": ("a Storyteller", "主持人"),
    "player": ("a player", "玩家"),
    "spectator": ("a spectator", "旁观者"),
    "map": ("a map", "映射"),
    "list": ("a list", "列表"),
    "text": ("text", "文字"),
    "nothing": ("nothing", "空"),
    "number": ("the number", "数目"),
    "share": ("each share", "每一份"),
    "part": ("each part", "每一部分"),
    "distance": ("the distance", "距离"),
    "which_attack": ("which attack", "第几次攻击"),
    "default_defence": ("the default defence", "默认防御"),
    "time": ("the time", "时间"),
    "change": ("the change", "变化"),
    "place": ("the place", "位置"),
    "lost": ("what is lost", "失去的成功数"),
    "actions": ("how many actions", "动作数"),
    "how_many": ("how many", "行数"),
}
"""Words in the gaps `what`, `who` and `found`, in English and in Chinese. Others stand there as they are."""

TABLES = {"en": EN, "zh": ZH}
BETWEEN = {"en": ", ", "zh": "、"}
AND_MORE = {"en": "{some} and {n} more", "zh": "{some} 等，另有 {n} 个"}
NOUN_GAPS = ("what", "who", "found")


class Unclear(ValueError):
    """A line that cannot be understood: which sentence says what was found and what is accepted, and what fills it."""

    def __init__(self, key: str, **gaps: Any) -> None:
        super().__init__(key, gaps)
        self.key, self.gaps = key, gaps

    def said(self, language: str) -> str:
        language = language if language in TABLES else "en"
        shown = {name: _shown(name, gap, language) for name, gap in self.gaps.items()}
        return TABLES[language][self.key].format(**shown)

    def __str__(self) -> str:
        return self.said("en")


def _shown(name: str, gap: Any, language: str) -> str:
    if hasattr(gap, "said"):
        return str(gap.said(language))
    if name in NOUN_GAPS and gap in NOUNS:
        return NOUNS[gap][list(TABLES).index(language)]
    if isinstance(gap, (list, tuple)):
        entries = [_shown("", one, language) for one in gap]
        if name == "all_lines":
            return "\n".join(entries)
        if name == "have":
            return ("；" if language == "zh" else "; ").join(entries)
        some = BETWEEN[language].join(entries[:FEW] if name == "there" else entries)
        more = len(entries) - FEW
        return AND_MORE[language].format(some=some, n=more) if name == "there" and more > 0 else some
    return str(gap)

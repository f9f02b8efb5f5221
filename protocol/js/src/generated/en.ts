// Made by `python -m protocol.typescript` from the server's own contract. Not to be changed by hand.

import type { Language } from '../texts.ts'

export const LANGUAGE: Language = {
 "name": "English",
 "refusals": {},
 "closes": {
  "4000": "the server could not understand this client[: {said}]",
  "4001": "this invitation is not valid (any more); ask the Storyteller for a new one",
  "4002": "server and client speak different versions; update the older one[ ({said})]",
  "4003": "the client did not say who it is in time",
  "4004": "this seat has been given up; ask the Storyteller for a new invitation",
  "4005": "this invitation was taken back, or there is a newer one; ask the Storyteller",
  "4006": "the time of this invitation is over; ask the Storyteller for a new one",
  "4007": "only a Storyteller may look through another seat's eyes",
  "4100": "the server is busy; coming back in a moment",
  "4101": "the server cannot reach its store; coming back in a moment",
  "4102": "this line was too slow to follow the table; coming back in a moment",
  "4103": "nothing was heard from this client; coming back in a moment",
  "4104": "this client sent far too much in a short time; coming back in a moment",
  "4105": "this seat or table has too many connections; coming back in a moment",
  "4200": "the server is restarting; coming back at once",
  "4201": "a newer server keeps this table now; coming back at once, to look for it",
  "4202": "your role at the table has changed; coming back at once"
 },
 "lines": {
  "declared": "{unit}: {act:acts}[ ({slot:slots})][ with {ability}][ against {targets}][ – “{text}”]"
 },
 "explanations": {},
 "words": {
  "nth": {
   "1": "next action",
   "2": "2nd action from now",
   "3": "3rd action from now",
   "21": "21st action from now",
   "22": "22nd action from now",
   "23": "23rd action from now"
  },
  "slots": {
   "free": "free action",
   "swift": "swift action",
   "move": "move action",
   "standard": "standard action",
   "full_round": "full-round action",
   "full_turn": "full-turn action",
   "immediate": "immediate action",
   "anytime": "anytime action",
   "simple": "simple action",
   "reflexive": "reflexive action",
   "all_swift": "all swift actions",
   "one_swift": "one swift action",
   "readied": "readied action",
   "all": "all actions",
   "none": "no action"
  },
  "acts": {
   "attack": "attack",
   "melee_attack": "melee attack",
   "ranged_attack": "ranged attack",
   "move": "move",
   "cast": "cast",
   "speak": "speak",
   "drop_prone": "drop prone",
   "use": "use",
   "counter": "counter",
   "ready": "ready an action",
   "initiative": "initiative"
  },
  "traits": {
   "attack": "an attack",
   "melee_attack": "a melee attack",
   "ranged_attack": "a ranged attack",
   "move": "a move",
   "cast": "casting",
   "blade": "Blade",
   "all_out": "all-out"
  },
  "conditions": {
   "dead": "dead",
   "out": "out of the fight",
   "stunned": "stunned",
   "unconscious": "unconscious",
   "prone": "prone",
   "bound": "bound",
   "silenced": "silenced",
   "hidden": "hidden",
   "concentrating": "concentrating",
   "concentration": "concentrating"
  },
  "windows": {
   "before": "reaction window, before it happens",
   "defence": "defence, after the roll",
   "gain": "extra successes gained midway are split",
   "after": "reaction window, after it happened",
   "open": "open",
   "covered": "covered by an interrupt",
   "stopped": "its clock stands still",
   "closed": "closed"
  },
  "values": {
   "spent": "actions spent",
   "left": "actions left",
   "round": "round",
   "immediates": "immediate actions left",
   "guard": "defence extra successes left",
   "debts": "actions owed",
   "concentration": "concentration",
   "ability": "ability",
   "cost": "cost",
   "due": "due",
   "conditions": "conditions",
   "secret": "secret conditions",
   "concentrating": "concentrating",
   "readied": "has readied something",
   "hidden": "hidden",
   "on_stage": "on stage",
   "number": "number",
   "extras": "extra successes",
   "bonus": "further actions a round",
   "abilities": "abilities",
   "attack": "attack",
   "defense": "defence",
   "legendary_dexterity": "Legendary Dexterity",
   "legendary_perception": "Legendary Perception",
   "hp": "HP",
   "unhurt": "unhurt",
   "hurt": "hurt",
   "badly_hurt": "badly hurt",
   "out": "out of the fight",
   "base": "Base Defense",
   "dodge": "Dodge Defense",
   "parry": "Parry Defense",
   "takes_away": "successes taken from attacks on it",
   "absorbs": "damage absorbed",
   "gained": "attack extra successes gained",
   "legendary": "of them by Legendary Attributes",
   "base_less": "Base Defense lowered by",
   "all_out": "defense given up",
   "speed": "speed",
   "initiative": "initiative",
   "initiative_bonus": "initiative bonus",
   "position": "position",
   "side": "side",
   "name": "name",
   "owner": "owner",
   "notes": "notes",
   "attributes": "Attributes",
   "skills": "Skills",
   "strict": "strict",
   "warn": "warn",
   "floor": "earliest end",
   "bluff": "random end",
   "fixed": "fixed length",
   "wait": "wait",
   "pass": "pass",
   "public": "when its units could react",
   "always": "always",
   "all_swift": "all swift actions",
   "one_swift": "one swift action",
   "damage_and_effect": "damage and effect",
   "damage_only": "damage only",
   "pool": "from the dice pool",
   "successes": "from the successes",
   "in_effect": "in effect",
   "in_full": "in full",
   "no": "no",
   "must_continue": "must go on",
   "may_continue": "may go on",
   "on_use": "when used",
   "on_declare": "when readied",
   "roller": "the roller",
   "defender": "the defender",
   "ten_only": "only on a 10",
   "shared": "shared by all weapons",
   "full": "in full for each weapon",
   "normal": "as usual",
   "off": "off",
   "on": "on",
   "current": "the current one",
   "earlier": "the earlier one",
   "infinite_horror": "Infinite Horror",
   "storyteller": "the Storyteller rules",
   "ends": "ends",
   "goes_on": "goes on",
   "at_once": "at once",
   "after_interval": "after one interval",
   "stacked": "added up",
   "ordinary": "multiplied",
   "own_side": "numbers for one's own side",
   "all": "numbers for all",
   "words": "words",
   "none": "nothing",
   "not_at_all": "not at all",
   "nameless": "as “???”"
  },
  "visibility": {
   "open": "open",
   "roller": "for the roller and the Storyteller",
   "st": "for the Storyteller"
  },
  "roles": {
   "st": "Storyteller",
   "player": "player",
   "spectator": "spectator"
  },
  "sides": {
   "enemy": "an enemy",
   "ally": "an ally"
  },
  "waits": {
   "command": "{kind} was not answered within {s} s; it may have been done or not",
   "question": "the question {kind} was not answered within {s} s",
   "state": "the table did not come to this within {s} s",
   "seat": "no seat at the table within {s} s: {why}"
  },
  "lost": {
   "http": "the server answered HTTP {status}",
   "unreachable": "cannot reach the server: {why}",
   "no_table_server": "no table server answers at this address",
   "silent": "the server was silent",
   "broken_off": "broken off",
   "stopping": "the server is about to stop",
   "no_answer": "no answer",
   "not_live": "there is no connection to the table just now; nothing was sent",
   "left": "the table was closed from this side"
  },
  "commands": {
   "declare": "act",
   "react": "answer",
   "ready": "ready",
   "end_action": "end the action",
   "leave_fight": "leave the fight",
   "join_fight": "join the fight",
   "sustain": "keep the concentration up",
   "drop_concentration": "drop the concentration",
   "announce": "announce several actions",
   "fire": "use what is readied",
   "pass": "pass",
   "defend": "defend",
   "split_gain": "split what was gained",
   "more_time": "more time",
   "withdraw": "take the action back",
   "set_readied_auto": "fires by itself",
   "ask_take_back": "ask to take the last act back",
   "ask_leave": "ask the Storyteller for",
   "withdraw_ask": "ask for this roll no more",
   "roll": "roll what is asked for",
   "start_task": "take up an extended action",
   "roll_task": "go on with",
   "drop_task": "drop",
   "change_scene": "another scene",
   "start_fight": "a fight"
  },
  "connection": {
   "connecting": "connecting",
   "online": "connected",
   "away": "connection lost, coming back",
   "closed": "closed"
  }
 },
 "nouns": {
  "nth": [
   "next action",
   "{n}th action from now"
  ],
  "success": [
   "{n} success",
   "{n} successes"
  ],
  "action": [
   "{n} action",
   "{n} actions"
  ],
  "change": [
   "{n} change",
   "{n} changes"
  ],
  "extra": [
   "{n} extra success",
   "{n} extra successes"
  ],
  "die": [
   "{n} die",
   "{n} dice"
  ],
  "round": [
   "{n} round",
   "{n} rounds"
  ],
  "turn": [
   "{n} turn",
   "{n} turns"
  ],
  "mistake": [
   "{n} mistake",
   "{n} mistakes"
  ],
  "one": [
   "one 1",
   "{n} 1s"
  ],
  "second": [
   "{n} second",
   "{n} seconds"
  ],
  "minute": [
   "{n} minute",
   "{n} minutes"
  ],
  "hour": [
   "{n} hour",
   "{n} hours"
  ],
  "day": [
   "{n} day",
   "{n} days"
  ],
  "for_round": [
   "for {n} round",
   "for {n} rounds"
  ],
  "for_turn": [
   "for {n} turn",
   "for {n} turns"
  ],
  "for_second": [
   "for {n} second",
   "for {n} seconds"
  ],
  "for_minute": [
   "for {n} minute",
   "for {n} minutes"
  ],
  "for_hour": [
   "for {n} hour",
   "for {n} hours"
  ],
  "for_day": [
   "for {n} day",
   "for {n} days"
  ],
  "for_week": [
   "for {n} week",
   "for {n} weeks"
  ],
  "for_month": [
   "for {n} month",
   "for {n} months"
  ],
  "for_year": [
   "for {n} year",
   "for {n} years"
  ],
  "for_own_day": [
   "for {n} day of this world",
   "for {n} days of this world"
  ],
  "for_own_week": [
   "for {n} week of this world",
   "for {n} weeks of this world"
  ],
  "for_own_month": [
   "for {n} month of this world",
   "for {n} months of this world"
  ],
  "for_own_year": [
   "for {n} year of this world",
   "for {n} years of this world"
  ],
  "for_scene": [
   "until the scene changes",
   "for {n} scenes"
  ],
  "for_film": [
   "until the Film is over",
   "for {n} Films"
  ],
  "for_sunrise": [
   "until the next sunrise",
   "for {n} sunrises"
  ],
  "for_sunset": [
   "until the next sunset",
   "for {n} sunsets"
  ],
  "for_permanent": [
   "for good",
   "for good"
  ]
 },
 "between": ", ",
 "yes": "yes",
 "no": "no",
 "nothing": "nothing",
 "maximum": "{of}, at most",
 "somebody": "somebody",
 "storyteller": "the Storyteller",
 "for_seat": "{st} for {seat}",
 "unknown_refusal": "the server refused this ({code})",
 "unknown_close": "the connection has ended[ ({code})][: {said}]",
 "unknown_line": "something this client does not know has happened ({kind})",
 "unknown_explanation": "it is not known to this client when {name} ends",
 "unnamed_seat": "a seat",
 "operator": "whoever runs the server",
 "and_more": "{some} and {n} more",
 "always_named": [
  "unit"
 ]
}

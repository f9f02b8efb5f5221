"""The plain terminal client: a line of text becomes a command, what the table tells becomes a line of text.

line -> split -> verbs (the table) -> phrases, fields -> command        pure: text and what is seen, nothing else
state -> look, asked                                    -> lines        pure
player.py                                                               the one place with a connection and a keyboard
"""

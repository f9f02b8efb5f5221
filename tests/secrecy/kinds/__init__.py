"""What may be secret, kind by kind: how a difference is made that some seats may not know of, again and again in an evening.

A kind also says which commands would bring the difference to light as the rules have it (`spoils`): they are left out of the
script. What a blow does, for one, everybody sees; so hidden numbers are such that no blow turns on them.
"""

from tests.secrecy.kinds import hidden, known, seats
from tests.secrecy.kinds.kind import KINDS, Kind

__all__ = ["KINDS", "Kind", "hidden", "known", "seats"]

"""What can go wrong between Overseer and its store. Each text is for the person who runs the server.

StoreError
+-- StoreProblem   it cannot work as it stands: one plain sentence and what to do (the command line prints it, exit 2)
|   +-- NewerState  a table holds what only a later version of Overseer knows: this one leaves it alone
+-- StoreAway      no answer within the deadline: ask again with the same command id; a commit may have been kept
"""


class StoreError(Exception):
    """Anything the store raises on purpose."""


class StoreProblem(StoreError):
    """The store cannot be used until somebody changes something."""


class NewerState(StoreProblem):
    """A table that this version cannot read whole. To write to it would damage it."""

    def __init__(self, table: str, what: str) -> None:
        super().__init__(
            f"table {table} holds what this version of Overseer does not know ({what}); a newer server keeps it now: "
            "update this one, or stop it"
        )


class StoreAway(StoreError):
    """The store did not answer in time. Retryable."""

"""What can go wrong between Overseer and its store. Each text is for the person who runs the server.

StoreError
+-- StoreProblem   it cannot work as it stands: one plain sentence and what to do (the command line prints it, exit 2)
+-- StoreAway      no answer within the deadline: ask again with the same command id; a commit may have been kept
"""


class StoreError(Exception):
    """Anything the store raises on purpose."""


class StoreProblem(StoreError):
    """The store cannot be used until somebody changes something."""


class StoreAway(StoreError):
    """The store did not answer in time. Retryable."""

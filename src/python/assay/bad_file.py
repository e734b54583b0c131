"""What is raised for files that cannot be read."""
import json


class BadFile(ValueError):
    """A file that cannot be read: `file`, its name, and `reason`, one line."""

    def __init__(self, file, reason):
        super().__init__(f"{file}: {reason}")
        self.file = str(file)
        self.reason = reason


class Damaged(Exception):
    """The reason alone, where the name of the file is not known."""


def quoted(name):
    """A name of a file in a message: on one line, whatever is in it."""
    return json.dumps(name)

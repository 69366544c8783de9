"""Errors a user can act on: what happened, where, why, and what to do."""


class HeadraceError(Exception):
    """A failure that names its place, its cause and its remedy in one message.

    The process that lets it through exits with `exit_code`: 1 = the run failed, 2 = configuration or arguments.
    """

    exit_code = 1

    def __init__(self, what: str, *, where: str = "", why: str = "", remedy: str = "") -> None:
        self.what, self.where, self.why, self.remedy = what, where, why, remedy
        super().__init__(what, where, why, remedy)

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        cause = f": {self.why}" if self.why else ""
        todo = f". {self.remedy[0].upper()}{self.remedy[1:]}" if self.remedy else ""
        return f"{place}{self.what}{cause}{todo}"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.what, self.where, self.why, self.remedy)


class ConfigError(HeadraceError):
    """The configuration or an argument cannot work; nothing was started."""

    exit_code = 2


class FormatError(HeadraceError):
    """A file on disk has an unknown version, a wrong checksum, or is not what its name says."""


def _rebuild(cls: type[HeadraceError], what: str, where: str, why: str, remedy: str) -> HeadraceError:
    return cls(what, where=where, why=why, remedy=remedy)

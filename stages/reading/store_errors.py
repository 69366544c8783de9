"""What a store's error means: is it about one object, or does the store not answer (or not let us in)?

pyarrow gives an OSError whose text alone tells them apart. Only a fault of one object is a fault of the data, which is
counted; if the store is silent, the run must end and be resumed, or a million good files would be quarantined.
"""

from __future__ import annotations

import re
from typing import Literal

from headrace.schemas.errors import ConfigError, HeadraceError
from headrace.stages.reading.location import Location

Cause = Literal["silent", "no_bucket", "no_credentials", "denied", "other"]

_UNTOLD = "Failed to flush response stream"  # Arrow 26: an error page longer than the range; its code is lost
_CAUSES: tuple[tuple[Cause, re.Pattern[str]], ...] = (
    ("other", re.compile(_UNTOLD)),
    (
        "no_bucket",
        re.compile(
            "NO_SUCH_BUCKET|bucket does not exist|NoSuchBucket|PermanentRedirect|HTTP status 301|ContainerNotFound"
            "|container does not exist|FilesystemNotFound"
        ),
    ),
    (
        "no_credentials",
        re.compile(
            "INVALID_ACCESS_KEY_ID|SIGNATURE_DOES_NOT_MATCH|Expired_?Token|InvalidToken|INVALID_CLIENT_TOKEN"
            "|UNRECOGNIZED_CLIENT|MISSING_AUTHENTICATION|REQUEST_TIME_TOO_SKEWED|UNAUTHENTICATED|AuthenticationFailed"
            "|NoAuthenticationInformation|InvalidAuthenticationInfo|Credential|ACCESS_TOKEN|HTTP status 401|Kerberos",
            re.IGNORECASE,
        ),
    ),
    (
        "denied",
        re.compile(
            "ACCESS_DENIED|HTTP status 403|PERMISSION_DENIED|AuthorizationFailure|AuthorizationPermissionMismatch"
            "|Forbidden|Permission denied"
        ),
    ),
    (
        "silent",
        re.compile(
            "NETWORK_CONNECTION|SLOW_DOWN|SERVICE_UNAVAILABLE|INTERNAL_FAILURE|REQUEST_TIMEOUT|THROTTLING|curlCode"
            "|HTTP status (429|5[0-9][0-9])|UNAVAILABLE|DEADLINE_EXCEEDED|RESOURCE_EXHAUSTED|[Tt]imed? ?out"
            "|[Cc]onnection refused|[Cc]onnection reset|resolve host|ConnectException|Broken pipe"
        ),
    ),
)
_WHAT: dict[Cause, str] = {
    "silent": "the store does not answer",
    "no_bucket": "there is no such bucket",
    "no_credentials": "the store does not accept the credentials",
    "denied": "the store denies access",
    "other": "the store cannot be read",
}
_REMEDY: dict[Cause, str] = {
    "silent": "check the network and the endpoint",
    "no_bucket": "check its name, and region or endpoint_override if it lies elsewhere",
    "no_credentials": "set or renew them in the environment: {credentials}",
    "denied": "ask for the right to list and read it, or set other credentials in the environment: {credentials}",
    "other": "check the path, the endpoint and the credentials ({credentials})",
}


def cause_of(error: BaseException) -> Cause:
    """Say what kind of failure an error of a store is.

    >>> cause_of(OSError("AWS Error NETWORK_CONNECTION during GetObject operation: curlCode: 7"))
    'silent'
    >>> cause_of(OSError("AWS Error UNKNOWN (HTTP status 400) during HeadObject operation: No response body."))
    'other'
    """
    text = str(error)
    return next((cause for cause, pattern in _CAUSES if pattern.search(text)), "other")


def is_untold(error: BaseException) -> bool:
    """Say whether the store's answer got lost on the way: the SDK neither knows it nor has tried again."""
    return _UNTOLD in str(error)


def said(error: BaseException) -> str:
    """Give the store's own words on one line, without what may be signed or numbered by request.

    >>> said(OSError("AWS Error ACCESS_DENIED during GetObject operation: No (Request ID: X1) https://h/k?sig=abc"))
    'AWS Error ACCESS_DENIED during GetObject operation: No https://h/k'
    """
    text = re.sub(r"\s*\(Request ID: [^)]*\)", "", str(error))
    text = re.sub(r"(https?://[^\s?]+)\?\S*", r"\1", text)
    return " ".join(text.split())[:300]


def unplanned(place: Location, error: BaseException, where: str) -> HeadraceError:
    """Give the error that ends planning: a mistake in the configuration, unless the store is silent."""
    cause = cause_of(error)
    kind = HeadraceError if cause == "silent" else ConfigError
    return kind(_WHAT[cause], where=f"{where}{place}", why=said(error), remedy=_todo(cause, place))


def interrupted(place: Location, error: BaseException) -> HeadraceError:
    """Give the error that ends a run in which a store is lost; nothing is quarantined, and the run can be resumed."""
    cause = cause_of(error)
    remedy = f"{_todo(cause, place)}; then run the same command again: it goes on behind the last commit"
    return HeadraceError(_WHAT[cause], where=str(place), why=said(error), remedy=remedy)


def _todo(cause: Cause, place: Location) -> str:
    return _REMEDY[cause].format(credentials=place.credentials)

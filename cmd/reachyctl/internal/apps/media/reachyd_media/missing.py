"""Names that are good for imports and annotations, and for nothing else."""


class Missing(type):
    """A class of GStreamer that is not stood in for; so is all that is in it."""

    def __getattr__(cls, name: str) -> "type[Missing]":
        if name.startswith("__"):
            raise AttributeError(name)
        return missing(name)

    def __call__(cls, *args: object, **kwargs: object) -> None:
        raise RuntimeError(f"{cls.__name__} needs GStreamer, which reachyd_media stands in for without it")

    def __or__(cls, other: object) -> "Missing":
        return cls

    __ror__ = __or__


def missing(name: str) -> type[Missing]:
    """Return such a class."""
    if name.startswith("__"):
        raise AttributeError(name)
    return Missing(name, (), {})

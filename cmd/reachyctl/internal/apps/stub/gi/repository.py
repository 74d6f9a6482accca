"""Every name of every library of GObject: good for imports and annotations, and for nothing else."""

import sys


class Meta(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Meta(name, (), {})

    def __call__(cls, *args, **kwargs):
        raise RuntimeError(f"{cls.__name__} needs GStreamer, which this stub stands in for")

    def __or__(cls, other):
        return cls

    __ror__ = __or__


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Meta(name, (), {})

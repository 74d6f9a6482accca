"""The libraries of GObject that the SDK imports: those of reachyd_media, and names without use for the rest."""

from types import ModuleType

from reachyd_media import glib as GLib
from reachyd_media import gst as Gst
from reachyd_media import pbutils as GstPbutils
from reachyd_media.missing import Missing, missing

__all__ = ["GLib", "Gst", "GstPbutils"]


def __getattr__(name: str) -> type[Missing] | ModuleType:
    return missing(name)

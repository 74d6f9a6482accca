"""Stands in for PyGObject and GStreamer, with as much of both as the official SDK uses for camera and sound."""


def require_version(namespace: str, version: str) -> None:
    """Every version is there."""

"""Stands in for PyGObject, which the SDK imports and, without media, never uses."""


def require_version(namespace, version):
    pass

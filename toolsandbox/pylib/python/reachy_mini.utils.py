"""Poses of the head."""
import math

from reachy_mini import _matrix

__path__ = []


def create_head_pose(x=0, y=0, z=0, roll=0, pitch=0, yaw=0, mm=False, degrees=True):
    """A 4 x 4 pose: metres, or millimetres with mm; degrees, or radians with degrees=False."""
    if mm:
        x, y, z = x / 1000, y / 1000, z / 1000
    if degrees:
        roll, pitch, yaw = math.radians(roll), math.radians(pitch), math.radians(yaw)
    return _matrix(x, y, z, roll, pitch, yaw)

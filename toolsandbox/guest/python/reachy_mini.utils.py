"""Poses of the head, as in the Reachy Mini SDK."""
import math

import numpy as np


def create_head_pose(x=0.0, y=0.0, z=0.0, roll=0.0, pitch=0.0, yaw=0.0, mm=False, degrees=True):
    """A 4 by 4 pose from a position (metres, or millimetres with mm) and angles."""
    if degrees:
        roll, pitch, yaw = map(math.radians, (roll, pitch, yaw))
    scale = 0.001 if mm else 1.0
    cr, sr, cp, sp, cy, sy = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch), math.cos(yaw), math.sin(yaw)
    return np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x * scale],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y * scale],
        [-sp, cp * sr, cp * cr, z * scale],
        [0.0, 0.0, 0.0, 1.0],
    ])

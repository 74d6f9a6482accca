"""The part of Pillow that tools need: PIL.Image and PIL.ImageDraw. The host does the work."""
__path__ = []
__version__ = "11.0+subset"

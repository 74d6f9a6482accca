"""Recorded moves, by name: the robot knows them."""


class RecordedMove:
    def __init__(self, name):
        self.name = name


class RecordedMoves:
    def __init__(self, hf_dataset_name=""):
        self.dataset = hf_dataset_name

    def get(self, move_name):
        return RecordedMove(move_name)

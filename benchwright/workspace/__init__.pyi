from .stages import stages_of as stages_of

from .image_classifier import classifier_hash as classifier_hash
from .image_classifier import load_classifier as load_classifier
from .model_questions import read_yes_no as read_yes_no

from .agreement.annotator_quality import rater_qualities as rater_qualities
from .agreement.coefficients import agreement_of as agreement_of
from .agreement.dawid_skene import dawid_skene as dawid_skene
from .agreement.rating_file import read_ratings as read_ratings
from .agreement.ratings import Rating as Rating

from .card import Card as Card
from .card import card_of as card_of
from .card_event import CardEvent as CardEvent
from .card_event import event_of as event_of

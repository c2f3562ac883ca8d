from .card import Card as Card
from .card import CardEvent as CardEvent
from .card import card_of as card_of
from .card import event_of as event_of
from .card import show_card as show_card

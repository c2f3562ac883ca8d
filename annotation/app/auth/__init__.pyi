from .middleware import ACCOUNT as ACCOUNT

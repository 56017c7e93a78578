"""Pre-trade risk for perpetual futures: the client of a Ballast service."""

from .client import AsyncClient, Client
from .errors import BallastError

__all__ = ["AsyncClient", "BallastError", "Client"]

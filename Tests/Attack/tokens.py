"""Device tokens that say how the gateway treats them."""

import gateway

# How devices behave, and how many of a hundred do so.
SHARES = [(gateway.ACCEPT, 68), (gateway.SOON, 14), (gateway.LATE, 3), (gateway.DEAD, 2), (gateway.WRONG, 2), (gateway.BUSY, 1),
          (gateway.TROUBLE, 1), (gateway.RESET, 3), (gateway.REFUSE, 3), (gateway.GO_AWAY, 2), (gateway.HANG_UP, 1)]


class Tokens:
    """Makes tokens whose first two characters say how the gateway treats them."""

    def __init__(self, rng, shares=None):
        self.random = rng
        self.kinds, self.weights = zip(*(shares or SHARES))

    def one(self, type_=None, kind=None):
        kind = kind or self.random.choices(self.kinds, self.weights)[0]
        type_ = type_ or self.random.choice(["ios", "ios", "android"])
        if type_ == "ios":
            return {"type": "ios", "token": kind + f"{self.random.getrandbits(248):062x}"}
        token = f"{self.random.getrandbits(64):016x}:APA91b{self.random.getrandbits(128):032x}"
        return {"type": "android", "token": kind + token}

"""What a comparison has found."""


class Findings(list):
    """Each begins with its rule; judge.py lists them."""

    def add(self, rule, text):
        self.append(f"{rule}: {text}")

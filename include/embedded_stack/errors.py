"""The one error a person sees when the stack cannot do what was asked."""


class StackError(Exception):
    """Says where it went wrong, what was found, what is allowed and what to do next."""

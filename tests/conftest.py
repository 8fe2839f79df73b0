"""What all tests share: how much Hypothesis tries, the same on every machine."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "steady",
    deadline=None,  # a busy machine must not fail a test
    derandomize=True,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")

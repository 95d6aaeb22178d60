"""A standing attack on linsep's claims: random problems, forged certificates, malformed arrays, signals.

``script/attack 5`` attacks for five minutes; each generator is one file with a function ``attack(seed, tally)``,
and what it does depends on the seed only. Workers are processes, so that a crash or a hang is a finding, not the end.
"""

GENERATORS = (
    "rows", "forgeries", "objectives", "regression", "gaussians", "structures", "malformed", "signals", "same_bits",
)  # fmt: skip

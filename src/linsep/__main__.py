"""``python -m linsep`` is the command ``linsep``."""

from .cli import main

if __name__ == "__main__":
    main()

"""Let `python -m headrace` reach the command line."""

from headrace.pipeline.cli import main

if __name__ == "__main__":
    main()

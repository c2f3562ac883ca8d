"""``python -m benchwright``: the same command line as ``benchwright``."""

from benchwright.cli.main import main

if __name__ == "__main__":
    main()

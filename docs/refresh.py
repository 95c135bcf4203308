#!/usr/bin/env python3
"""Writes what the commands of pages print into the pages: docs/refresh.py FOLDER_OF_PROGRAM PAGE...

The commands of a page, those of its ```console blocks, are executed in order in a folder of their
own. A line that begins with "$ " is a command, those behind it that begin with "> " go on with it.
What follows, up to the next command or the end of the block, is what it prints, and is replaced.
Pictures that commands write to docs/pictures replace those of this repository.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def printed(command, folder, program):
    """Standard output and standard error together."""
    path = f"{program}:{os.environ['PATH']}"
    run = subprocess.run(["sh", "-c", command], cwd=folder, env={**os.environ, "PATH": path},
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return run.stdout.decode()


def refreshed(text, execute):
    """`text` with what `execute` returns for each command."""
    lines = text.split("\n")
    result = []
    in_block = False
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        result.append(line)
        if line.startswith("```"):
            in_block = line == "```console"
        if not in_block or not line.startswith("$ "):
            continue
        command = [line[2:]]
        while lines[at].startswith("> "):
            result.append(lines[at])
            command.append(lines[at][2:])
            at += 1
        while not lines[at].startswith(("$ ", "```")):
            at += 1
        result.extend(execute("\n".join(command)).splitlines())
    return "\n".join(result)


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    for name in sys.argv[2:]:
        page = pathlib.Path(name)
        with tempfile.TemporaryDirectory() as folder:
            for shipped in ("platforms", "workloads"):
                (pathlib.Path(folder) / shipped).symlink_to(ROOT / shipped)
            text = refreshed(page.read_text(), lambda command: printed(command, folder, program))
            for picture in pathlib.Path(folder).glob("docs/pictures/*.svg"):
                shutil.copy(picture, ROOT / "docs/pictures")
        page.write_text(text)


if __name__ == "__main__":
    main()

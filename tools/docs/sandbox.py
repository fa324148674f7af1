"""A scratch folder that looks like the tree, in which a reader's commands run and write what they like."""
import os
import pathlib
import shutil
import subprocess

WRITTEN_TO = ("experiments", "python", "plots", "workloads")  # copied; all else is a link
NOT_THERE = (".", "out", "build")


def begin(folder, root, program):
    """Fills the folder; the program is in build/release."""
    for entry in root.iterdir():
        if entry.name in WRITTEN_TO:
            shutil.copytree(entry, folder / entry.name, ignore=shutil.ignore_patterns("__pycache__"))
        elif not entry.name.startswith(NOT_THERE):
            os.symlink(entry, folder / entry.name)
    (folder / "build/release").mkdir(parents=True)
    os.symlink(pathlib.Path(program).resolve(), folder / "build/release/flashloom")


def run(command, folder, root, timeout=None):
    """The finished process of a shell command."""
    environment = {"FLASHLOOM_VENV": str(root / ".venv")} | os.environ | {
        "PATH": f"{folder / 'build/release'}:{os.environ['PATH']}", "COLUMNS": "120", "LC_ALL": "C.UTF-8"}
    return subprocess.run(["bash", "-eo", "pipefail", "-c", command], cwd=folder, env=environment, text=True, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout)

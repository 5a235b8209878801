"""A tar file compressed by gzip, the same bytes from the same files. Standard library only."""

import gzip
import io
import os
import pathlib
import tarfile


def write(path: pathlib.Path, root: str, files: dict[str, pathlib.Path]) -> None:
    """Writes files under the folder `root`, in the order of their names and with one time for all of them."""
    date = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, source in sorted(files.items()):
            content = source.read_bytes()
            entry = tarfile.TarInfo(f"{root}/{name}")
            entry.size, entry.mode, entry.mtime = len(content), 0o644, date
            tar.addfile(entry, io.BytesIO(content))
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=date) as stream:
        stream.write(archive.getvalue())

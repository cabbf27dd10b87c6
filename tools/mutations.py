# SPDX-License-Identifier: MIT
# Mutated files, and the rules that the command must keep on them; used by tools/mutate_files and tools/soak.
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import tempfile
import threading

MAX_SEED_BYTES = 256 * 1024
# A call gets at least a sixth of a core, even while others compile.
CLOCK_SLACK = 6
WORDS = [0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7F800000, 0x7FC00000, 0x7F7FFFFF]
NUMBERS = [b"0", b"-1", b"1", b"255", b"65536", b"4294967295", b"18446744073709551616", b"1e999", b"nan", b"-1e-9"]


def mutated(data, rng):
    data = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        if not data:
            break
        at = rng.randrange(len(data))
        kind = rng.randrange(5)
        if kind == 0:
            for _ in range(rng.randint(1, 4)):
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[at : at + (rng.randint(1, 64) if rng.randrange(2) else len(data))]
        elif kind == 2:
            data[at:at] = data[at : at + rng.randint(1, 256)]
        elif kind == 3:
            data[at : at + 4] = rng.choice(WORDS).to_bytes(4, "little")
        else:
            found = re.compile(rb"[0-9]+").search(data, at)
            if found:
                data[found.start() : found.end()] = rng.choice(NUMBERS)
    return bytes(data)


def seeds_below(folders, extension):
    """Files worth mutating, in the same order everywhere."""
    return sorted(p for folder in folders for p in pathlib.Path(folder).rglob("*")
                  if p.suffix.lower() == extension and p.is_file() and 0 < p.stat().st_size <= MAX_SEED_BYTES)


def companions(source):
    """The files next to `source` that it names: without them a .gltf is refused before its buffers are looked at."""
    text = source.read_bytes()
    names = re.findall(rb'"uri"\s*:\s*"([^":/\\]+)"', text) if source.suffix == ".gltf" else []
    names += re.findall(rb"^mtllib +([^/\\\r\n]+)", text, re.M) if source.suffix == ".obj" else []
    files = [source.parent / name.decode(errors="replace").strip() for name in names]
    return sorted({file for file in files if file.is_file() and file.stat().st_size <= MAX_SEED_BYTES})


def mutated_file(seeds, seed, folder):
    """A mutated file called x.EXTENSION in an empty folder, with its companions; and its source."""
    rng = random.Random(seed)
    source = rng.choice(seeds)
    for companion in companions(source):
        shutil.copy(companion, folder)
    path = pathlib.Path(folder) / f"x{source.suffix.lower()}"
    path.write_bytes(mutated(source.read_bytes(), rng))
    return path, source


def kept_input(path, seed, folder):
    """Where a file that broke a rule stays."""
    kept = pathlib.Path(folder) / f"mutated-{seed}{path.suffix}"
    kept.write_bytes(path.read_bytes())
    return kept


def run(command, clock_seconds):
    """Exit code (None if it timed out), its output, and its processor time including its children."""
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said,
                                 start_new_session=True)
        timer = threading.Timer(clock_seconds, os.killpg, (child.pid, signal.SIGKILL))
        timer.start()
        # The child stays a zombie until wait4, so the timer cannot hit another process with the same number.
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        was_in_time = timer.is_alive()
        timer.cancel()
        timer.join()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        return child.returncode if was_in_time else None, said.read(), usage.ru_utime + usage.ru_stime


def judge(program, path, words, output, seconds):
    """The fault of one call, or None; and how it ended."""
    before = set(path.parent.iterdir())
    code, said, spent = run([program, *words], CLOCK_SLACK * seconds)
    if code is None and spent < seconds / CLOCK_SLACK:
        # It hardly ran: it waits for ever, or others had the processor. The second time tells.
        code, said, spent = run([program, *words], CLOCK_SLACK**2 * seconds)
    if code is None or spent > seconds:
        return f"{words[0]} took {spent:.0f} s of processor time, or {CLOCK_SLACK * seconds:g} s on the clock", "hang"
    ended = "loads" if code == 0 else "refused"
    if b"dermis-import crashed" in said:
        ended = "importer crashed"
    elif b"dermis-import was stopped after" in said:
        ended = "importer ended"
    if code not in (0, 1):
        return f"{words[0]} ended with {code}: {said[:200]!r}", "fault"
    if code == 1 and said.count(b"\n") != 1:
        return f"{words[0]} does not print one sentence: {said[:300]!r}", "fault"
    if set(path.parent.iterdir()) - before != ({output} if output and code == 0 else set()):
        return f"{words[0]} left the wrong files behind", "fault"
    return None, ended


def run_one(program, seeds, name, seed, seconds, findings=tempfile.gettempdir()):
    """One file through `info` and `convert -o NAME`: its fault, or None; and how it ended."""
    with tempfile.TemporaryDirectory() as folder:
        path, source = mutated_file(seeds, seed, folder)
        fault, ended = judge(program, path, ["info", "--quiet", str(path)], None, seconds)
        if fault is None:
            output = path.with_name(name)
            fault, ended = judge(program, path, ["convert", "--quiet", str(path), "-o", str(output)], output, seconds)
        if fault:
            fault = f"{source.name}, seed {seed}, kept as {kept_input(path, seed, findings)}: {fault}"
        return fault, ended

"""Interactive floe simulate on a pseudo terminal: python3 editing.py FLOE FOLDER TEST...

FOLDER has peterson.xml. Tests type keys: history (arrows recall lines, deleted characters are gone, Ctrl-D ends), completion
(TAB: commands, names of steps, files), interrupt (Ctrl-C ends the process by the signal, and the terminal is restored), plain
(no editor: lines are read unedited), dumb (a terminal without cursor). Prints the failures; exit code 1 if there are any.
"""
import os
import pty
import select
import signal
import sys
import termios
import time

FLOE, FOLDER = sys.argv[1:3]
MODEL = os.path.join(FOLDER, "peterson.xml")
PROMPT = b"> "
failures = []


class Session:
    """floe on its own terminal."""

    def __init__(self, kind="xterm", edited=True):
        self.edited = edited
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.environ["TERM"] = kind
            os.environ["INPUTRC"] = "/dev/null"
            os.execv(FLOE, [FLOE, "simulate", MODEL])
        self.seen = b""

    def wait_for(self, text, seconds=20.0):
        """Returns the output up to `text`, and removes both; fails if it does not arrive."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            left = end - time.monotonic()
            ready = left > 0 and select.select([self.terminal], [], [], left)[0]
            try:
                more = os.read(self.terminal, 4096) if ready else b""
            except OSError:
                more = b""
            if not more:
                failures.append(f"no {text!r} in {self.seen[-300:]!r}")
                return b""
            self.seen += more
        head, _, self.seen = self.seen.partition(text)
        return head

    def type(self, keys, seconds=20.0):
        """Types once the terminal is in the expected mode: an editor ignores an end of file typed before."""
        end = time.monotonic() + seconds
        while bool(termios.tcgetattr(self.terminal)[3] & termios.ICANON) == self.edited:
            if time.monotonic() > end:
                failures.append("the terminal is not in the expected mode")
                break
            time.sleep(0.01)
        os.write(self.terminal, keys)

    def end(self, seconds=20.0):
        """The exit status."""
        limit = time.monotonic() + seconds
        while time.monotonic() < limit:
            if select.select([self.terminal], [], [], 0.05)[0]:
                try:
                    self.seen += os.read(self.terminal, 4096)
                except OSError:
                    pass
            done, status = os.waitpid(self.child, os.WNOHANG)
            if done:
                return status
        failures.append("it does not end")
        os.kill(self.child, signal.SIGKILL)
        return os.waitpid(self.child, 0)[1]


def expect(condition, what):
    if not condition:
        failures.append(what)


def history():
    it = Session()
    it.wait_for(PROMPT)
    it.type(b"r 3\r")
    it.wait_for(b"3. ")
    it.wait_for(PROMPT)
    it.type(b"\x1b[A\r")  # recalls the previous line
    it.wait_for(b"6. ")
    it.wait_for(PROMPT)
    it.type(b"u 5\x7f6\r")  # a deleted character
    it.wait_for(b"back at step 0")
    it.wait_for(PROMPT)
    it.type(b"\x04")
    expect(it.end() == 0, "Ctrl-D does not end it with code 0")


def completion():
    it = Session()
    it.wait_for(PROMPT)
    it.type(b"t " + FOLDER.encode() + b"/peter\t")
    it.wait_for(b"son.xml")  # completed
    it.type(b"\r")
    it.wait_for(b"is not a readable trace file")
    it.wait_for(PROMPT)
    it.type(b"t " + os.path.dirname(FOLDER).encode() + b"/fol\tnone\r")  # completion continues in a folder
    it.wait_for(b"folder of files/none is not a readable trace file")
    it.wait_for(PROMPT)
    it.type(b"P[1] c\t")  # names have blanks and brackets
    it.wait_for(b"ome")
    it.type(b"\r")
    it.wait_for(b"1. P[1] come")
    it.wait_for(PROMPT)
    it.type(b"\t\t")  # the whole list, in columns
    it.type(b"r \tq\r")  # no completions here: neither files nor commands
    listed = it.wait_for(b"'q'").partition(b"\x07")[2].split()  # after the bell of the first TAB
    for word in (b"come", b"h", b"l", b"q", b"r", b"s", b"t", b"u"):
        expect(word in listed, f"TAB does not offer {word!r}: {listed!r}")
    it.wait_for(b"is not a number of steps")
    it.wait_for(PROMPT)
    it.type(b"q\r")
    expect(it.end() == 0, "q does not end it with code 0")


def interrupt():
    it = Session()
    it.wait_for(PROMPT)
    it.type(b"r 2")
    time.sleep(0.2)
    it.type(b"\x03")
    status = it.end()
    expect(os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT, f"Ctrl-C ended it with status {status}")
    try:
        now = termios.tcgetattr(it.terminal)
        cooked = termios.ICANON | termios.ECHO
        expect(now[3] & cooked == cooked, "the terminal is not restored")
    except termios.error:
        pass


def plain(kind="xterm"):
    it = Session(kind, edited=False)
    it.wait_for(PROMPT)
    it.type(b"r 2\t\r")
    it.wait_for(b"2. ")
    it.wait_for(PROMPT)
    it.type(b"\x1b[A\r")
    it.wait_for(b"neither a command nor a step")
    expect(b"\x1b" not in it.seen, f"escape sequences: {it.seen!r}")
    it.type(b"\x04")
    expect(it.end() == 0, "Ctrl-D does not end it with code 0")


def dumb():
    plain("dumb")


for name in sys.argv[3:]:
    {test.__name__: test for test in (history, completion, interrupt, plain, dumb)}[name]()
for failure in failures:
    print("FAIL", failure)
print(f"{len(sys.argv) - 3} sessions, {len(failures)} failures")
sys.exit(1 if failures or len(sys.argv) == 3 else 0)

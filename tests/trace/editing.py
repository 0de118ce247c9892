"""The dialogue of floe simulate on a pseudo terminal: python3 editing.py FLOE FOLDER TEST...

FOLDER has peterson.xml. What is typed are keys. Tests: history (arrows bring lines back, what is rubbed out is gone, Ctrl-D
ends), completion (TAB: commands, steps by their names, files), interrupt (Ctrl-C ends the process as ever, and the terminal is
what it was), plain (no editor: keys come as they are typed), dumb (a terminal that no editor is for). Prints what failed; exit code
1 if anything did.
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


class Dialogue:
    """floe on a terminal of its own."""

    def __init__(self, kind="xterm", edited=True):
        self.edited = edited
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.environ["TERM"] = kind
            os.environ["INPUTRC"] = "/dev/null"
            os.execv(FLOE, [FLOE, "simulate", MODEL])
        self.seen = b""

    def wait_for(self, text, seconds=20.0):
        """What came up to `text`, which is taken out; fails when it does not come."""
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
        """Types once the program reads as it means to: an end of file typed before an editor has the terminal is none."""
        end = time.monotonic() + seconds
        while bool(termios.tcgetattr(self.terminal)[3] & termios.ICANON) == self.edited:
            if time.monotonic() > end:
                failures.append("the terminal is not read as wanted")
                break
            time.sleep(0.01)
        os.write(self.terminal, keys)

    def end(self, seconds=20.0):
        """The status that it ended with."""
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
    it = Dialogue()
    it.wait_for(PROMPT)
    it.type(b"r 3\r")
    it.wait_for(b"3. ")
    it.wait_for(PROMPT)
    it.type(b"\x1b[A\r")  # the line before, again
    it.wait_for(b"6. ")
    it.wait_for(PROMPT)
    it.type(b"u 5\x7f6\r")  # what is rubbed out is not there
    it.wait_for(b"back at step 0")
    it.wait_for(PROMPT)
    it.type(b"\x04")
    expect(it.end() == 0, "Ctrl-D is no end as wanted")


def completion():
    it = Dialogue()
    it.wait_for(PROMPT)
    it.type(b"t " + FOLDER.encode() + b"/peter\t")
    it.wait_for(b"son.xml")  # was not typed
    it.type(b"\r")
    it.wait_for(b"is not a readable trace file")
    it.wait_for(PROMPT)
    it.type(b"t " + os.path.dirname(FOLDER).encode() + b"/fol\tnone\r")  # a folder goes on
    it.wait_for(b"folder of files/none cannot be read")
    it.wait_for(PROMPT)
    it.type(b"P[1] c\t")  # names have blanks and brackets
    it.wait_for(b"ome")
    it.type(b"\r")
    it.wait_for(b"1. P[1] come")
    it.wait_for(PROMPT)
    it.type(b"\t\t")  # the whole list, in columns
    it.type(b"r \tq\r")  # nothing is offered here: neither files nor commands
    listed = it.wait_for(b"'q'").partition(b"\x07")[2].split()  # behind the first TAB's bell
    for word in (b"come", b"h", b"l", b"q", b"r", b"s", b"t", b"u"):
        expect(word in listed, f"TAB does not offer {word!r}: {listed!r}")
    it.wait_for(b"is no number of steps")
    it.wait_for(PROMPT)
    it.type(b"q\r")
    expect(it.end() == 0, "q is no end as wanted")


def interrupt():
    it = Dialogue()
    it.wait_for(PROMPT)
    it.type(b"r 2")
    time.sleep(0.2)
    it.type(b"\x03")
    status = it.end()
    expect(os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT, f"Ctrl-C ended it with status {status}")
    try:
        now = termios.tcgetattr(it.terminal)
        cooked = termios.ICANON | termios.ECHO
        expect(now[3] & cooked == cooked, "the terminal is left as the editor has it")
    except termios.error:
        pass


def plain(kind="xterm"):
    it = Dialogue(kind, edited=False)
    it.wait_for(PROMPT)
    it.type(b"r 2\t\r")
    it.wait_for(b"2. ")
    it.wait_for(PROMPT)
    it.type(b"\x1b[A\r")
    it.wait_for(b"neither a command nor a step")
    expect(b"\x1b" not in it.seen, f"escape sequences: {it.seen!r}")
    it.type(b"\x04")
    expect(it.end() == 0, "Ctrl-D is no end as wanted")


def dumb():
    plain("dumb")


for name in sys.argv[3:]:
    {test.__name__: test for test in (history, completion, interrupt, plain, dumb)}[name]()
for failure in failures:
    print("FAIL", failure)
print(f"{len(sys.argv) - 3} dialogues, {len(failures)} failures")
sys.exit(1 if failures or len(sys.argv) == 3 else 0)

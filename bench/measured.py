"""What the scripts that compare floe with other programs share."""
import os
import subprocess
import tempfile


class Run:
    """A finished command: output, exit code, processor seconds, most resident bytes."""

    def __init__(self, command, folder=None):
        with tempfile.TemporaryFile('w+') as out:
            child = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, cwd=folder)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            self.code, self.text = child.returncode, out.read()
        self.seconds, self.bytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def rumur_verifier(model, program, threads, packed, architecture, symmetry='off'):
    """Compiles Rumur's verifier of a model, without deadlock detection. packed: 'on' or 'off'."""
    source = program + '.c'
    subprocess.run(['rumur', '--value-type', 'auto', '--symmetry-reduction', symmetry, '--deadlock-detection', 'off', '--quiet',
                    '--output-format', 'machine-readable', '--counterexample-trace', 'off', '--pack-state', packed,
                    '--threads', str(threads), '-o', source, model], check=True)
    subprocess.run(['cc', '-std=gnu11', '-O3', '-march=' + architecture, '-mcx16', '-w', '-o', program, source, '-lpthread',
                    '-latomic'], check=True)
    os.remove(source)

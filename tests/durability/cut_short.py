"""Signal the demonstration as soon as a command of its appears; say how many commands stay behind."""

import os
import signal
import sys
import threading

from processes import children

from weighbridge.demo.serving import unwind_on_signals, weighbridge


def signal_at_the_first_child():
    while not children(os.getpid()):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


unwind_on_signals()
behind = 0
for _ in range(int(sys.argv[1])):
    watcher = threading.Thread(target=signal_at_the_first_child)
    try:
        watcher.start()
        weighbridge("verify", "--help")
    except SystemExit:
        watcher.join()
    for left in children(os.getpid()):
        behind += 1
        os.kill(left, signal.SIGKILL)
        os.waitpid(left, 0)
sys.stdout.write(f"{behind}\n")

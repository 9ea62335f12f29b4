"""Where the suite's own cyclic garbage ends (`tests.collecting`)."""

import threading


class _Cycle:
    def __init__(self, ended_in: list[str]) -> None:
        self._me = self
        self._ended_in = ended_in

    def __del__(self) -> None:
        self._ended_in.append(threading.current_thread().name)


def test_no_worker_thread_of_a_test_destroys_what_the_main_thread_left():
    ended_in: list[str] = []
    for _ in range(10):
        _Cycle(ended_in)
    worker = threading.Thread(target=lambda: [[[]] for _ in range(100_000)], name="worker")  # Python would collect here
    worker.start()
    worker.join()
    assert "worker" not in ended_in

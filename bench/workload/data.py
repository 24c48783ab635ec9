"""The bytes of a checkpoint: unique, incompressible, and known from file and offset alone.

A fixed random block is combined with a key of each CHUNK. That costs no more than a copy, so
generation keeps up with storage, and a reader needs nothing but the file's identity to verify
every byte, on whatever host, in whatever later invocation.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from bench.storage.base import Mismatch
from bench.storage.buffers import CHUNK, Buffer

Words = npt.NDArray[np.uint64]

WORD = 8
SEED = 0x636C61757365


@cache
def _block() -> Words:
    """One chunk of random words. The raw stream of a generator is the same in every numpy."""
    return np.random.PCG64(SEED).random_raw(CHUNK // WORD).astype("<u8")


class Pattern:
    """The content of one file, by its identity: a text that no other file of the run has."""

    __slots__ = ("_identity", "_scratch")

    def __init__(self, identity: str) -> None:
        self._identity = blake2b(identity.encode(), digest_size=32).digest()
        self._scratch: Words | None = None

    def fill(self, buffer: Buffer, offset: int, count: int) -> None:
        """Put the `count` bytes from `offset` of the file into the buffer. What follows them is undefined."""
        words = buffer.view("<u8")
        for start in range(0, count, CHUNK):
            part = words[start // WORD : (min(count, start + CHUNK) + WORD - 1) // WORD]
            np.bitwise_xor(_block()[: part.size], self._key(offset + start), out=part)

    def check(self, buffer: Buffer, offset: int, count: int) -> Mismatch | None:
        """Where the first `count` bytes of the buffer are not the file's bytes from `offset`."""
        if self._scratch is None:
            self._scratch = np.empty(CHUNK // WORD, dtype="<u8")
        words = buffer.view("<u8")
        for start in range(0, count, CHUNK):
            length = min(CHUNK, count - start)
            whole = length // WORD
            expected = self._scratch[: (length + WORD - 1) // WORD]
            np.bitwise_xor(_block()[: expected.size], self._key(offset + start), out=expected)
            same = np.array_equal(words[start // WORD :][:whole], expected[:whole])
            if not same or length % WORD:
                found = self._compare(buffer[start : start + length], expected, offset + start)
                if found is not None:
                    return found
        return None

    def _compare(self, found: Buffer, expected: Words, offset: int) -> Mismatch | None:
        wanted = expected.view(np.uint8)[: found.size]
        different = np.flatnonzero(found != wanted)
        if not different.size:
            return None
        at = int(different[0])
        return Mismatch(offset + at, int(wanted[at]), int(found[at]))

    def _key(self, offset: int) -> np.uint64:
        digest = blake2b(offset.to_bytes(8, "little"), digest_size=WORD, key=self._identity)
        return np.uint64(int.from_bytes(digest.digest(), "little"))

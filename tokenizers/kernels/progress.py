"""How far the encoding of a batch is: what a kernel notes when it ends, and begins from when it is called again."""

TEXTS, IDS, ROOM, MISSES, EXACT = range(5)  # places; ROOM: bytes of a unit that there is no room for
NOT_ENOUGH = -1  # in place of the end of a text's ids

"""The SHA-256 digest of each row of a DataFrame's column, as a column beside it."""

import hashlib

import cryptostitch
import polars

names = [f"customer {n}" * (n % 7) for n in range(10_000)]
frame = polars.DataFrame({"name": names, "amount": range(len(names))})
digests = cryptostitch.hash_column("sha256", frame["name"])
frame = frame.with_columns(
    polars.Series("digest", [digests[at : at + 32].hex() for at in range(0, len(digests), 32)]),
)
assert frame["digest"].to_list() == [hashlib.sha256(name.encode()).hexdigest() for name in names]
assert frame.filter(polars.col("name") == names[5])["digest"][0] == hashlib.sha256(names[5].encode()).hexdigest()
print(frame.head(3))

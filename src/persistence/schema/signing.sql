-- The keys that sign tokens. The first has the generation 1, and each rotation adds the next, so that of two instances
-- that make a key at the same time one stores it.
create table signing_keys (
  kid text primary key check (kid ~ '^[0-9a-f]{16}$'),
  generation integer not null unique check (generation >= 1),
  -- The public half, in base64url.
  modulus text not null check (modulus ~ '^[A-Za-z0-9_-]+$' and char_length(modulus) = 342),
  exponent text not null check (exponent ~ '^[A-Za-z0-9_-]{1,8}$'),
  -- The private half, encrypted by a key that is not in the database.
  private_key bytea not null check (octet_length(private_key) between 1000 and 4096),
  created_at timestamptz not null,
  signs_from timestamptz not null
);

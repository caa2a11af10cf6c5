-- Where each account last wrote in the log of the database; kept while replicas are read.
create table account_writes (
  account_id text primary key references accounts (id) on delete cascade,
  place pg_lsn not null,
  written_at timestamptz not null
) with (fillfactor = 50);

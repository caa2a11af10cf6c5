-- Text messages that are to be sent. They contain codes, so that they are removed once they are sent or given up.
create table text_messages (
  id text primary key,
  queued_at timestamptz not null,
  phone_number text not null check (phone_number ~ '^\+[1-9][0-9]{6,14}$'),
  body text not null check (char_length(body) between 1 and 500),
  -- When it is of no use any more.
  valid_until timestamptz not null,
  due_at timestamptz not null,
  tries integer not null default 0 check (tries >= 0)
);

create index text_messages_due on text_messages (due_at, id);
create index text_messages_valid_until on text_messages (valid_until);

-- When each of the messages was queued that count for the limit of a number or of a network.
create table text_message_counts (
  name text primary key check (name ~ '^(number|network) '),
  queued timestamptz[] not null,
  last_queued_at timestamptz not null,
  constraint text_message_counts_number
    check (cardinality(queued) <= case when name ^@ 'number ' then 5 else 20 end)
);

create index text_message_counts_last on text_message_counts (last_queued_at);

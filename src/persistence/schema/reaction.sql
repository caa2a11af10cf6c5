create table reacts (
  id text primary key,
  post_id text not null references posts (id) on delete cascade,
  account_id text not null references accounts (id) on delete cascade,
  emoji text not null,
  created_at timestamptz not null,
  unique (post_id, account_id, emoji),
  -- The longest emoji has ten characters.
  constraint reacts_emoji check (char_length(emoji) between 1 and 16)
);

create index reacts_account_id on reacts (account_id);

create function count_reacts_insert() returns trigger language plpgsql as $$
begin
  update posts p set react_count = p.react_count + c.n
    from (select post_id, count(*)::int as n from changed group by post_id) c where p.id = c.post_id;
  return null;
end $$;
create trigger reacts_count_insert after insert on reacts referencing new table as changed
  for each statement execute function count_reacts_insert();

create function count_reacts_delete() returns trigger language plpgsql as $$
begin
  update posts p set react_count = p.react_count - c.n
    from (select post_id, count(*)::int as n from changed group by post_id) c where p.id = c.post_id;
  return null;
end $$;
create trigger reacts_count_delete after delete on reacts referencing old table as changed
  for each statement execute function count_reacts_delete();

create function note_people_of_reacts() returns trigger language plpgsql as $$
begin
  insert into thread_references as r (thread_id, people)
    select found.thread_id, (array(select distinct unnest(array_agg(found.id))))[1:33]
      from (select p.thread_id, added.account_id from added join posts p on p.id = added.post_id) found (thread_id, id)
      where not exists (
        select from thread_references known where known.thread_id = found.thread_id
          and (cardinality(known.people) > 32 or found.id = any(known.people)))
      group by found.thread_id order by found.thread_id
    on conflict (thread_id) do update
      set people = (array(select distinct unnest(r.people || excluded.people)))[1:33];
  return null;
end $$;
create trigger reacts_note_people after insert on reacts referencing new table as added
  for each statement execute function note_people_of_reacts();

-- Numbers in these files that repeat a limit of the rules, such as how many rows an account may have, change by a
-- migration only.

-- Advisory locks have two keys, whose first part no other program on the same database is likely to use:
--   731620001 which categories there are and which contains which
--   731620002 the entrance of a category
--   731620003 the tree of the library
--   731620004 a group of siblings in the library
--   731620005 a slug of the library
--   731620006 the open reports of an account
--   731620030 roles and who holds them
--   731620034 how many rows have one value
--   731620035 how many remote connections there are
--   731620053 the sessions of an account
--   731620054 what an account has granted clients of OAuth
--   731620061 which initial access tokens there are
--   731620062 which clients of OAuth registered by themselves
--   731620055 how many devices wait for an answer
--   731620070 which webhooks there are
--   731620090 the files that a backup reads
--   731620091 which backup of a schedule is being made
--   731620095 an import, as long as it runs

-- Texts are searched by their trigrams.
create extension if not exists pg_trgm;

-- Everything that a validator depends on is versioned by triggers, so that no writer has to remember it.
create function bump_version() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  return new;
end $$;

-- What a thread or a page shows of people and links has a version of its own, so that a change of somebody's
-- name does not make others of everything that was read.
create function bump_shown_version() returns trigger language plpgsql as $$
begin
  new.shown_version := old.shown_version + 1;
  return new;
end $$;

-- Profiles, links and the like show in many answers, whose validators have the sum of these numbers. Several
-- rows, and each connection has its own, so that writers rarely wait for each other. The triggers that raise
-- them are deferred, so that a transaction takes the one row that others may wait for when it has taken all
-- others.
create table change_versions (
  shard smallint primary key,
  people bigint not null default 0,
  links bigint not null default 0,
  -- Categories and tags, for lists: what a list shows is of many of them.
  tags_and_categories bigint not null default 0,
  roles bigint not null default 0
);

insert into change_versions (shard) select generate_series(0, 15);

create function bump_people_version() returns trigger language plpgsql as $$
begin
  -- Once in a transaction, however many rows it changes.
  if current_setting('forum.people_version_raised', true) is distinct from pg_current_xact_id()::text then
    perform set_config('forum.people_version_raised', pg_current_xact_id()::text, true);
    update change_versions set people = people + 1 where shard = pg_backend_pid() % 16;
  end if;
  return null;
end $$;

create function bump_tags_and_categories_version() returns trigger language plpgsql as $$
begin
  -- Once in a transaction, however many rows it changes.
  if current_setting('forum.tags_and_categories_version_raised', true) is distinct from pg_current_xact_id()::text then
    perform set_config('forum.tags_and_categories_version_raised', pg_current_xact_id()::text, true);
    update change_versions set tags_and_categories = tags_and_categories + 1 where shard = pg_backend_pid() % 16;
  end if;
  return null;
end $$;

-- Holds how many rows of a table may have one value in a column: (column, maximum). Those who add some wait
-- for each other. The constraint that it names is the trigger's.
create function check_number_of_rows() returns trigger language plpgsql as $$
declare
  value text := to_jsonb(new) ->> tg_argv[0];
  rows bigint;
begin
  perform pg_advisory_xact_lock(731620034, hashtext(tg_table_name || ' ' || value));
  execute format('select count(*) from %I where %I = $1', tg_table_name, tg_argv[0]) into rows using value;
  if rows >= tg_argv[1]::bigint then
    raise exception 'There are too many rows in % for one %', tg_table_name, tg_argv[0]
      using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
  end if;
  return new;
end $$;

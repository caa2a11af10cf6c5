-- The row that lists sort and filter on; what people wrote is in its post.
create table threads (
  id text primary key,
  created_at timestamptz not null,
  deleted_at timestamptz,
  author_id text not null references accounts (id),
  category_id text references categories (id),
  link_id text references links (id),
  visibility text not null check (visibility in ('draft', 'unlisted', 'review', 'published')),
  pinned integer not null default 0,
  reply_count integer not null default 0 check (reply_count >= 0),
  last_reply_at timestamptz,
  -- As exact as what is read of it to go on after a thread.
  active_at timestamptz(3) not null,
  -- Counts every change that an answer about the thread shows.
  version bigint not null default 0,
  -- Every reply the thread ever had; deleted ones keep their number.
  replies_made integer not null default 0,
  -- Which tags a thread has is read with the thread. `thread_tags` finds threads by tag, and decides.
  tag_ids text[] not null default '{}',
  -- Replies that only some viewers see are counted on their thread, so that where there are none nobody looks
  -- for them.
  unpublished_replies integer not null default 0 check (unpublished_replies >= 0),
  -- About how many bytes posts take in answers, so that pages can be made before what they show is read.
  opening_weight integer not null default 0,
  -- Of the heaviest reply that there ever was.
  reply_weight integer not null default 0,
  -- A change of it raises the version of the thread.
  in_collections integer not null default 0 check (in_collections >= 0),
  -- When the last reply was made, whatever became of it: the next is not older.
  last_made_at timestamptz,
  -- How often a reply was published later than it was made.
  published_later integer not null default 0
);

-- Lists that do not set pinned threads apart, of a category or of an author, have orders of their own.
create index threads_by_activity on threads (active_at desc, id desc)
  include (visibility, author_id, category_id) where deleted_at is null;
create index threads_by_pin on threads (pinned desc, active_at desc, id desc)
  include (visibility, author_id, category_id) where deleted_at is null;
create index threads_of_category on threads (category_id, pinned desc, active_at desc, id desc)
  include (visibility, author_id) where deleted_at is null;
create index threads_of_author on threads (author_id, pinned desc, active_at desc, id desc)
  include (visibility, category_id) where deleted_at is null;
-- It has deleted threads, too, so that the foreign key needs no index of its own: each costs every reply
-- time.
create index threads_of_category_by_activity on threads
  (category_id, (deleted_at is null), active_at desc, id desc) include (visibility, author_id, deleted_at);
create index threads_of_author_by_activity on threads (author_id, active_at desc, id desc)
  include (visibility, category_id) where deleted_at is null;
-- What is not published is counted where it is listed; there is little of it. Staff see what waits for review
-- in a category.
create index threads_unpublished on threads (author_id, visibility) include (category_id)
  where deleted_at is null and visibility <> 'published';
-- What is published about a link is found without what is not, of which there may be any number.
create index threads_link_id on threads (link_id, visibility, id) where link_id is not null;
-- Threads that take more than a fiftieth of the 2 MiB of a list, in the order of lists.
create index threads_large on threads (pinned desc, active_at desc, id desc)
  where opening_weight + 200 * cardinality(tag_ids) > 41943 and deleted_at is null;

create trigger threads_version before update on threads
  for each row when (old.* is distinct from new.*) execute function bump_version();

-- The newest published threads of a tag are found without those that are hidden, of which there may be any
-- number.
create function list_tags_of_thread() returns trigger language plpgsql as $$
begin
  update thread_tags g set listed = not g.listed
    where thread_id = new.id and g.listed <> (new.visibility = 'published' and new.deleted_at is null);
  return null;
end $$;
create trigger threads_listed after update of visibility, deleted_at on threads
  for each row when (old.visibility <> new.visibility or old.deleted_at is distinct from new.deleted_at)
  execute function list_tags_of_thread();

-- An event shows its thread, so that it lives as long, whichever way the thread is deleted.
create function delete_calendar_event() returns trigger language plpgsql as $$
begin
  update calendar_events set deleted_at = new.deleted_at
    where thread_id = new.id and deleted_at is null;
  return null;
end $$;
create trigger threads_calendar_event after update of deleted_at on threads
  for each row when (old.deleted_at is null and new.deleted_at is not null)
  execute function delete_calendar_event();

-- The likes of a thread count for the authors of its posts as long as it can be read.
create function score_threads() returns trigger language plpgsql as $$
begin
  if (new.visibility = 'published' and new.deleted_at is null) then
    insert into account_counts as c (account_id, like_score)
      select p.author_id, count(*)::int
        from likes l join posts p on p.id = l.post_id
          where l.thread_id = new.id and l.account_id <> p.author_id
            and (p.ordinal = 0 or (p.visibility = 'published' and p.deleted_at is null))
        group by p.author_id order by p.author_id
      on conflict (account_id) do update set like_score = c.like_score + excluded.like_score;
  else
    perform from account_counts where account_id in (
        select p.author_id
          from likes l join posts p on p.id = l.post_id
            where l.thread_id = new.id and l.account_id <> p.author_id
              and (p.ordinal = 0 or (p.visibility = 'published' and p.deleted_at is null)))
      order by account_id for no key update;
    update account_counts c set like_score = c.like_score - n.likes
      from (
        select p.author_id, count(*)::int as likes
          from likes l join posts p on p.id = l.post_id
            where l.thread_id = new.id and l.account_id <> p.author_id
              and (p.ordinal = 0 or (p.visibility = 'published' and p.deleted_at is null))
          group by p.author_id) n
      where n.author_id = c.account_id;
  end if;
  return null;
end $$;
create trigger threads_score after update of visibility, deleted_at on threads for each row
  when ((old.visibility = 'published' and old.deleted_at is null)
    <> (new.visibility = 'published' and new.deleted_at is null))
  execute function score_threads();

-- What an erased account opened is of nobody.
create function follow_author_of_thread() returns trigger language plpgsql as $$
begin
  if new.visibility = 'published' and new.deleted_at is null then
    insert into author_totals as t (author_id, category_id, published) values (new.author_id, new.category_id, 1)
      on conflict (author_id, category_id) do update set published = t.published + 1;
    update author_totals set published = published - 1
      where author_id = old.author_id and category_id is not distinct from old.category_id;
  end if;
  return null;
end $$;
create trigger threads_author after update of author_id on threads for each row
  when (old.author_id <> new.author_id) execute function follow_author_of_thread();

create function follow_links_of_thread() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform follow_links(array[new.link_id], true);
    return null;
  end if;
  if old.link_id is distinct from new.link_id and old.link_id is not null then
    perform follow_links(array[old.link_id], false);
  end if;
  perform follow_links(array(
      select new.link_id where new.link_id is not null
      union select l.link_id from posts p join post_links l on l.post_id = p.id
        where p.thread_id = new.id and p.link_count > 0
          and (new.visibility <> 'published' or new.deleted_at is not null
            or p.visibility = 'published' and p.deleted_at is null)
    ), new.visibility = 'published' and new.deleted_at is null);
  return null;
end $$;
create trigger threads_links_insert after insert on threads for each row
  when (new.link_id is not null and new.visibility = 'published') execute function follow_links_of_thread();
create trigger threads_links_update after update of visibility, deleted_at, link_id on threads for each row
  when (old.link_id is distinct from new.link_id or (old.visibility = 'published' and old.deleted_at is null)
    <> (new.visibility = 'published' and new.deleted_at is null)) execute function follow_links_of_thread();

-- What threads lost of their place in lists: how they were pinned, and when they had been active because of a
-- reply that was taken back. With their replies it tells where they were when a walk through a list began. It is
-- never much, as it is about a reply that there was, or by staff, and is forgotten after a month.
create table thread_moves (
  id bigint generated always as identity primary key,
  thread_id text not null references threads (id) on delete cascade,
  -- By the clock of the database, by which it is forgotten as well.
  moved_at timestamptz not null default now(),
  moved_in xid8 not null default pg_current_xact_id(),
  pinned integer,
  active_at timestamptz(3),
  -- The transaction that showed the reply.
  shown_in xid8,
  constraint thread_moves_what check (
    (pinned is null) <> (active_at is null) and (active_at is null) = (shown_in is null))
);

create index thread_moves_moved_in on thread_moves (moved_in);
create index thread_moves_thread_id on thread_moves (thread_id);

create function note_pin_of_thread() returns trigger language plpgsql as $$
begin
  insert into thread_moves (thread_id, pinned) values (old.id, old.pinned);
  return null;
end $$;
create trigger threads_moves after update of pinned on threads
  for each row when (old.pinned <> new.pinned) execute function note_pin_of_thread();

-- Published, undeleted threads. Several rows, so that writers rarely wait for each other.
create table thread_totals (
  shard smallint primary key,
  published integer not null
);

insert into thread_totals (shard, published) select generate_series(0, 15), 0;

-- How many published threads each author has in each category, or in none, as they may be very many.
create table author_totals (
  author_id text not null references accounts (id),
  category_id text references categories (id),
  published integer not null check (published >= 0),
  unique nulls not distinct (author_id, category_id)
);

create index author_totals_category_id on author_totals (category_id) where category_id is not null;

create table posts (
  id text primary key,
  thread_id text not null references threads (id),
  reply_to_id text references posts (id),
  author_id text not null references accounts (id),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  visibility text not null check (visibility in ('draft', 'unlisted', 'review', 'published')),
  title text,
  slug text,
  body text not null,
  description text not null,
  meta jsonb not null default '{}',
  like_count integer not null default 0 check (like_count >= 0),
  -- 0 for the post that opens a thread.
  ordinal integer not null default 0,
  -- What few posts have is counted on the post, so that the others are not asked.
  react_count integer not null default 0 check (react_count >= 0),
  link_count integer not null default 0 check (link_count >= 0),
  -- When it was last published, and which of these times of its thread that was; null if when it was made.
  published_at timestamptz,
  publication integer,
  -- The transaction that made it or, if it was published later, that published it last.
  shown_in xid8 not null default pg_current_xact_id(),
  -- Whether those whom a reply concerns have been told of it, so that they are told once. One that is held is
  -- told when others can first read it.
  told boolean not null default true,
  -- The post that opens a thread shares its id, and only it has a title of its own.
  check ((id = thread_id) = (title is not null)),
  check ((id = thread_id) = (slug is not null)),
  -- A page shows all reactions of its posts.
  constraint posts_react_count_max check (react_count <= 200),
  constraint posts_publication check ((published_at is null) = (publication is null)),
  constraint posts_titled check (title <> '' or visibility = 'draft')
);

create index posts_of_thread on posts (thread_id, created_at, id)
  where deleted_at is null and id <> thread_id;
create index posts_reply_to_id on posts (reply_to_id) where reply_to_id is not null;
create index posts_deleted_of_thread on posts (thread_id, ordinal)
  where deleted_at is not null and id <> thread_id;
-- A thread's replies are found by their numbers; no two of a thread can have the same.
create unique index posts_ordinal on posts (thread_id, ordinal);
create index posts_unpublished on posts (thread_id, ordinal)
  where (ordinal > 0 and deleted_at is null and visibility <> 'published');
create index posts_of_author on posts (author_id, thread_id, ordinal);
create unique index posts_publication on posts (thread_id, publication) where publication is not null;
create index posts_unpublished_links on posts (author_id, visibility)
  where visibility <> 'published' and deleted_at is null and link_count > 0;

-- How many replies that were there at a mark were published after it.
create function published_since(thread text, account text, replies integer, publications integer)
returns integer language sql stable as $$
  select count(*)::int from posts where thread_id = thread and publication > publications and ordinal <= replies
    and (visibility = 'published' and deleted_at is null) and author_id <> account
$$;

-- A link repeats its address twice, which counts where addresses may be long.
create function post_weight(body text, meta jsonb, links integer, reacts integer) returns integer
language sql immutable as $$
  select 1500 + octet_length(to_json(body)::text) + octet_length(meta::text) + 500 * links + 1000 * reacts
    + case when links > 0 and octet_length(body) > 16384 then 2 * octet_length(body) else 0 end
$$;

-- Replies are counted on their thread when they are made, which is a change of it.
create function bump_thread_of_posts() returns trigger language plpgsql as $$
begin
  update threads t
    set version = t.version + 1, unpublished_replies = t.unpublished_replies + c.unpublished,
      opening_weight = coalesce(c.opening, t.opening_weight), reply_weight = greatest(t.reply_weight, c.reply)
    from (
      select thread_id, sum(unpublished)::int as unpublished, max(weight) filter (where ordinal = 0) as opening,
        max(weight) filter (where ordinal > 0) as reply
      from (
        select n.thread_id, n.ordinal,
          (n.ordinal > 0 and n.deleted_at is null and n.visibility <> 'published')::int
            - (o.ordinal > 0 and o.deleted_at is null and o.visibility <> 'published')::int as unpublished,
          case when (n.body, n.meta, n.link_count, n.react_count)
              is distinct from (o.body, o.meta, o.link_count, o.react_count)
            then post_weight(n.body, n.meta, n.link_count, n.react_count) end as weight
        from changed n join former o on o.id = n.id where o.* is distinct from n.*
      ) p group by thread_id
    ) c where t.id = c.thread_id;
  return null;
end $$;
create trigger posts_version after update on posts referencing old table as former new table as changed
  for each statement execute function bump_thread_of_posts();

create function follow_post_in_search() returns trigger language plpgsql as $$
begin
  if new.deleted_at is null then
    update search_texts set visibility = new.visibility where id = new.id;
  else
    delete from search_texts where id = new.id;
  end if;
  return null;
end $$;
create trigger posts_search after update of visibility, deleted_at on posts for each row
  when (old.visibility is distinct from new.visibility or old.deleted_at is distinct from new.deleted_at)
  execute function follow_post_in_search();

-- Not by a key: to check that the thread of a text exists was a third of what storing the text costs, for
-- each reply that anyone writes. The texts of posts are written by the statements that write the posts, whose
-- own key says the same.
create function forget_post_in_search() returns trigger language plpgsql as $$
begin
  delete from search_texts where id = old.id;
  return null;
end $$;
create trigger posts_search_deleted after delete on posts for each row execute function forget_post_in_search();

create function note_withdrawal_of_post() returns trigger language plpgsql as $$
begin
  insert into thread_moves (thread_id, active_at, shown_in)
    values (old.thread_id, coalesce(old.published_at, old.created_at), old.shown_in);
  return null;
end $$;
create trigger posts_moves after update of visibility, deleted_at on posts for each row
  when (old.ordinal > 0 and old.visibility = 'published' and old.deleted_at is null
    and (new.visibility <> 'published' or new.deleted_at is not null))
  execute function note_withdrawal_of_post();

create function score_posts() returns trigger language plpgsql as $$
begin
  if (new.visibility = 'published' and new.deleted_at is null) then
    insert into account_counts as c (account_id, like_score)
      select p.author_id, count(*)::int
        from likes l join threads t on t.id = l.thread_id cross join (select new.author_id) p
          where l.post_id = new.id and l.account_id <> p.author_id
            and (t.visibility = 'published' and t.deleted_at is null)
        group by p.author_id order by p.author_id
      on conflict (account_id) do update set like_score = c.like_score + excluded.like_score;
  else
    perform from account_counts where account_id in (
        select p.author_id
          from likes l join threads t on t.id = l.thread_id cross join (select new.author_id) p
            where l.post_id = new.id and l.account_id <> p.author_id
              and (t.visibility = 'published' and t.deleted_at is null))
      order by account_id for no key update;
    update account_counts c set like_score = c.like_score - n.likes
      from (
        select p.author_id, count(*)::int as likes
          from likes l join threads t on t.id = l.thread_id cross join (select new.author_id) p
            where l.post_id = new.id and l.account_id <> p.author_id
              and (t.visibility = 'published' and t.deleted_at is null)
          group by p.author_id) n
      where n.author_id = c.account_id;
  end if;
  return null;
end $$;
create trigger posts_score after update of visibility, deleted_at on posts for each row
  when (new.ordinal > 0 and (old.visibility = 'published' and old.deleted_at is null)
    <> (new.visibility = 'published' and new.deleted_at is null))
  execute function score_posts();

-- What an erased account wrote is of nobody: with all that is known of it by its author.
create function follow_author_of_post() returns trigger language plpgsql as $$
declare
  others integer;
begin
  update search_texts set author_id = new.author_id where id = new.id;
  if new.ordinal > 0 and new.deleted_at is null then
    insert into thread_participants as p (thread_id, account_id, replies) values (new.thread_id, new.author_id, 1)
      on conflict (account_id, thread_id) do update set replies = p.replies + 1;
    update thread_participants set replies = replies - 1
      where thread_id = new.thread_id and account_id = old.author_id;
  end if;
  if new.like_count > 0 and (new.ordinal = 0 or (new.visibility = 'published' and new.deleted_at is null))
    and exists (select from threads
      where id = new.thread_id and visibility = 'published' and deleted_at is null) then
    others := (select count(*) from likes where post_id = new.id and account_id <> old.author_id);
    perform from account_counts where account_id in (old.author_id, new.author_id)
      order by account_id for no key update;
    update account_counts set like_score = like_score - others where account_id = old.author_id;
    insert into account_counts as c (account_id, like_score)
      select new.author_id, count(*)::int from likes where post_id = new.id and account_id <> new.author_id
      on conflict (account_id) do update set like_score = c.like_score + excluded.like_score;
  end if;
  return null;
end $$;
create trigger posts_author after update of author_id on posts for each row
  when (old.author_id <> new.author_id) execute function follow_author_of_post();

create function follow_links_of_post() returns trigger language plpgsql as $$
begin
  perform follow_links(array(select link_id from post_links where post_id = new.id),
    new.visibility = 'published' and new.deleted_at is null and exists (select from threads t
      where t.id = new.thread_id and t.visibility = 'published' and t.deleted_at is null));
  return null;
end $$;
create trigger posts_links_update after update of visibility, deleted_at on posts for each row
  when (new.link_count > 0 and (old.visibility = 'published' and old.deleted_at is null)
    <> (new.visibility = 'published' and new.deleted_at is null)) execute function follow_links_of_post();

-- Who takes part in a thread beside its author, and what its texts link to, as far as these are few: with
-- more than 32, any change of one counts for the thread. Nothing is taken away again: it is few, and costs
-- nothing.
create table thread_references (
  thread_id text primary key references threads (id) on delete cascade,
  people text[] not null default '{}' check (cardinality(people) <= 33),
  links text[] not null default '{}' check (cardinality(links) <= 33)
);

create table thread_tags (
  thread_id text not null references threads (id) on delete cascade,
  tag_id text not null references tags (id) on delete cascade,
  listed boolean not null default false,
  primary key (thread_id, tag_id)
);

create index thread_tags_tag_id on thread_tags (tag_id);
create index thread_tags_listed on thread_tags (tag_id, thread_id desc) where listed;

create function bump_thread_of_tags() returns trigger language plpgsql as $$
begin
  update threads t
    set tag_ids = array(select tag_id from thread_tags where thread_id = t.id order by tag_id)
    where id in (select thread_id from changed);
  return null;
end $$;
create trigger thread_tags_version_insert after insert on thread_tags referencing new table as changed
  for each statement execute function bump_thread_of_tags();
create trigger thread_tags_version_delete after delete on thread_tags referencing old table as changed
  for each statement execute function bump_thread_of_tags();

create function list_thread_tag() returns trigger language plpgsql as $$
begin
  new.listed := exists (
    select from threads where id = new.thread_id and visibility = 'published' and deleted_at is null
  );
  return new;
end $$;
create trigger thread_tags_listed before insert on thread_tags
  for each row execute function list_thread_tag();

create table post_links (
  post_id text not null references posts (id) on delete cascade,
  link_id text not null references links (id) on delete cascade,
  position integer not null,
  primary key (post_id, link_id)
);

create index post_links_link_id on post_links (link_id);

create function count_post_links_insert() returns trigger language plpgsql as $$
begin
  update posts p set link_count = p.link_count + c.n
    from (select post_id, count(*)::int as n from changed group by post_id) c where p.id = c.post_id;
  return null;
end $$;
create trigger post_links_count_insert after insert on post_links referencing new table as changed
  for each statement execute function count_post_links_insert();

create function count_post_links_delete() returns trigger language plpgsql as $$
begin
  update posts p set link_count = p.link_count - c.n
    from (select post_id, count(*)::int as n from changed group by post_id) c where p.id = c.post_id;
  return null;
end $$;
create trigger post_links_count_delete after delete on post_links referencing old table as changed
  for each statement execute function count_post_links_delete();

create function show_links_of_posts() returns trigger language plpgsql as $$
begin
  perform follow_links(array(
    select c.link_id from changed c join posts p on p.id = c.post_id join threads t on t.id = p.thread_id
    where p.visibility = 'published' and p.deleted_at is null
      and t.visibility = 'published' and t.deleted_at is null), true);
  return null;
end $$;
create trigger post_links_public_insert after insert on post_links referencing new table as changed
  for each statement execute function show_links_of_posts();

create trigger post_links_public_delete after delete on post_links referencing old table as changed
  for each statement execute function hide_links_of_texts();

create function note_links_of_post_links() returns trigger language plpgsql as $$
begin
  insert into thread_references as r (thread_id, links)
    select found.thread_id, (array(select distinct unnest(array_agg(found.id))))[1:33]
      from (select p.thread_id, added.link_id from added join posts p on p.id = added.post_id) found (thread_id, id)
      where not exists (
        select from thread_references known where known.thread_id = found.thread_id
          and (cardinality(known.links) > 32 or found.id = any(known.links)))
      group by found.thread_id order by found.thread_id
    on conflict (thread_id) do update
      set links = (array(select distinct unnest(r.links || excluded.links)))[1:33];
  return null;
end $$;
create trigger post_links_note_links after insert on post_links referencing new table as added
  for each statement execute function note_links_of_post_links();

-- Whom posts mention; anyone can be named, so that `account_id` refers to an account only when it is written.
-- A row that was told stays when the mention is removed.
create table post_mentions (
  post_id text not null references posts (id) on delete cascade,
  thread_id text not null,
  account_id text not null,
  told boolean not null,
  primary key (post_id, account_id)
);

create index post_mentions_untold on post_mentions (thread_id) where not told;

-- How many undeleted replies an account has in a thread.
create table thread_participants (
  thread_id text not null references threads (id) on delete cascade,
  account_id text not null references accounts (id) on delete cascade,
  replies integer not null check (replies >= 0),
  -- What an account has of the threads of a list lies together, and is found by few descents of the index.
  primary key (account_id, thread_id)
);

create index thread_participants_thread_id on thread_participants (thread_id);

create function note_people_of_thread_participants() returns trigger language plpgsql as $$
begin
  insert into thread_references as r (thread_id, people)
    select found.thread_id, (array(select distinct unnest(array_agg(found.id))))[1:33]
      from (select thread_id, account_id from added) found (thread_id, id)
      where not exists (
        select from thread_references known where known.thread_id = found.thread_id
          and (cardinality(known.people) > 32 or found.id = any(known.people)))
      group by found.thread_id order by found.thread_id
    on conflict (thread_id) do update
      set people = (array(select distinct unnest(r.people || excluded.people)))[1:33];
  return null;
end $$;
create trigger thread_participants_note_people after insert on thread_participants referencing new table as added
  for each statement execute function note_people_of_thread_participants();

create table read_marks (
  account_id text not null references accounts (id) on delete cascade,
  thread_id text not null references threads (id) on delete cascade,
  read_at timestamptz not null,
  -- A mark says which replies were there, which no clock can.
  replies_read integer not null default 0,
  -- And which publications were.
  publications_read integer not null default 0,
  -- What an account has of the threads of a list lies together, and is found by few descents of the index.
  primary key (account_id, thread_id)
);

create index read_marks_thread_id on read_marks (thread_id);

-- Replies are counted by their numbers, less those that are not meant. A function, because the plan of a
-- statement is set up with all that it may ask, and few viewers have anything of this.
create function replies_for(thread text, account text, own_readable text[], read_until integer,
  made integer, undeleted integer, unpublished integer, has_replied boolean)
returns integer[] language plpgsql stable as $$
declare
  own_unpublished integer := 0;
  new_replies integer := 0;
  new_unpublished integer := 0;
begin
  if unpublished > 0 and has_replied then
    own_unpublished := (select count(*) from posts
      where thread_id = thread and (ordinal > 0 and deleted_at is null and visibility <> 'published')
        and author_id = account and visibility = any(own_readable));
  end if;
  if read_until < made then
    new_replies := made - read_until;
    if undeleted < made then
      new_replies := new_replies - (select count(*) from posts
        where thread_id = thread and ordinal > read_until and deleted_at is not null and id <> thread_id);
    end if;
    if has_replied then
      new_replies := new_replies - (select count(*) from posts
        where author_id = account and thread_id = thread and ordinal > read_until and deleted_at is null);
    end if;
    if unpublished > 0 then
      new_unpublished := (select count(*) from posts
        where thread_id = thread and ordinal > read_until
          and (ordinal > 0 and deleted_at is null and visibility <> 'published') and author_id <> account);
    end if;
  end if;
  return array[own_unpublished, new_replies, new_unpublished];
end $$;

create table likes (
  id text primary key,
  post_id text not null references posts (id) on delete cascade,
  account_id text not null references accounts (id) on delete cascade,
  created_at timestamptz not null,
  -- Whether an account likes anything in a thread is one look into an index.
  thread_id text not null references threads (id),
  unique (post_id, account_id)
);

create index likes_thread_id on likes (thread_id, account_id);
-- Who likes a post, oldest first, and what an account likes, newest first.
create index likes_of_post on likes (post_id, created_at, id);
create index likes_of_account on likes (account_id, created_at desc, id desc) include (post_id);

create function count_likes_insert() returns trigger language plpgsql as $$
begin
  update posts p set like_count = p.like_count + c.n
    from (select post_id, count(*)::int as n from changed group by post_id) c where p.id = c.post_id;
  return null;
end $$;
create trigger likes_count_insert after insert on likes referencing new table as changed
  for each statement execute function count_likes_insert();

create function count_likes_delete() returns trigger language plpgsql as $$
begin
  update posts p set like_count = p.like_count - c.n
    from (select post_id, count(*)::int as n from changed group by post_id) c where p.id = c.post_id;
  return null;
end $$;
create trigger likes_count_delete after delete on likes referencing old table as changed
  for each statement execute function count_likes_delete();

-- What others like of an account, as far as it can be read. After the count of likes on posts, by the names
-- of the triggers: posts are locked before the counts of their authors.
create function score_insert() returns trigger language plpgsql as $$
begin
  insert into account_counts as c (account_id, like_score)
    select p.author_id, count(*)::int
      from changed l join posts p on p.id = l.post_id join threads t on t.id = p.thread_id
        where (t.visibility = 'published' and t.deleted_at is null) and l.account_id <> p.author_id
          and (p.ordinal = 0 or (p.visibility = 'published' and p.deleted_at is null))
      group by p.author_id order by p.author_id
    on conflict (account_id) do update set like_score = c.like_score + excluded.like_score;
  return null;
end $$;
create trigger likes_score_insert after insert on likes referencing new table as changed
  for each statement execute function score_insert();

create function score_delete() returns trigger language plpgsql as $$
begin
  perform from account_counts where account_id in (
      select p.author_id
        from changed l join posts p on p.id = l.post_id join threads t on t.id = p.thread_id
          where (t.visibility = 'published' and t.deleted_at is null) and l.account_id <> p.author_id
            and (p.ordinal = 0 or (p.visibility = 'published' and p.deleted_at is null)))
    order by account_id for no key update;
  update account_counts c set like_score = c.like_score - n.likes
    from (
      select p.author_id, count(*)::int as likes
        from changed l join posts p on p.id = l.post_id join threads t on t.id = p.thread_id
          where (t.visibility = 'published' and t.deleted_at is null) and l.account_id <> p.author_id
            and (p.ordinal = 0 or (p.visibility = 'published' and p.deleted_at is null))
        group by p.author_id) n
    where n.author_id = c.account_id;
  return null;
end $$;
create trigger likes_score_delete after delete on likes referencing old table as changed
  for each statement execute function score_delete();

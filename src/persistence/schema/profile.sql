-- Apart from accounts, whose rows change seldom. An account without a row has nothing of all this. All
-- writers lock the rows in one order.
create table account_counts (
  account_id text primary key references accounts (id) on delete cascade,
  followers integer not null default 0 check (followers >= 0),
  following integer not null default 0 check (following >= 0),
  like_score integer not null default 0 check (like_score >= 0)
) with (fillfactor = 50);

create table follows (
  id text primary key,
  follower_id text not null references accounts (id) on delete cascade,
  followed_id text not null references accounts (id) on delete cascade check (followed_id <> follower_id),
  created_at timestamptz not null,
  unique (follower_id, followed_id)
);

create index follows_followers on follows (followed_id, created_at desc, id desc) include (follower_id);
create index follows_following on follows (follower_id, created_at desc, id desc) include (followed_id);

create function followed_insert() returns trigger language plpgsql as $$
begin
  insert into account_counts as c (account_id, followers, following)
    select account_id, sum(followers)::int as followers, sum(following)::int as following
      from (
        select followed_id as account_id, 1 as followers, 0 as following from changed
        union all select follower_id, 0, 1 from changed
      ) n
      group by account_id order by account_id
    on conflict (account_id) do update
      set followers = c.followers + excluded.followers, following = c.following + excluded.following;
  return null;
end $$;
create trigger follows_followed_insert after insert on follows referencing new table as changed
  for each statement execute function followed_insert();

create function followed_delete() returns trigger language plpgsql as $$
begin
  perform from account_counts
    where account_id in (
      select account_id from (
        select followed_id as account_id, 1 as followers, 0 as following from changed
        union all select follower_id, 0, 1 from changed
      ) n
    )
    order by account_id for no key update;
  update account_counts c set followers = c.followers - n.followers, following = c.following - n.following
    from (
      select account_id, sum(followers)::int as followers, sum(following)::int as following
        from (
          select followed_id as account_id, 1 as followers, 0 as following from changed
          union all select follower_id, 0, 1 from changed
        ) n
        group by account_id
    ) n
    where n.account_id = c.account_id;
  return null;
end $$;
create trigger follows_followed_delete after delete on follows referencing old table as changed
  for each statement execute function followed_delete();

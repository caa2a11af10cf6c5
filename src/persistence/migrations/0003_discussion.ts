import { migration } from "../shared/migration.ts"

const visibility = `text not null check (visibility in ('draft', 'unlisted', 'review', 'published'))`

export default migration([
  `create extension if not exists pg_trgm`,

  `create table categories (
    id text primary key,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    name text not null unique,
    slug text not null unique,
    description text not null,
    colour text not null,
    sort integer not null default 0,
    parent_id text references categories (id) on delete set null check (parent_id <> id),
    meta jsonb not null default '{}',
    post_count integer not null default 0 check (post_count >= 0),
    version bigint not null default 0
  )`,
  `create index categories_parent on categories (parent_id, sort)`,

  `create table tags (
    id text primary key,
    created_at timestamptz not null,
    name text not null unique check (name <> ''),
    item_count integer not null default 0 check (item_count >= 0)
  )`,
  `create table account_interests (
    account_id text not null references accounts (id) on delete cascade,
    tag_id text not null references tags (id) on delete cascade,
    primary key (account_id, tag_id)
  )`,
  `create index account_interests_tag_id on account_interests (tag_id)`,

  `create table links (
    id text primary key,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    url text not null,
    slug text not null unique,
    domain text not null,
    title text not null default '',
    description text not null default ''
  )`,

  // The row that lists sort and filter on; what people wrote is in its post.
  `create table threads (
    id text primary key,
    created_at timestamptz not null,
    deleted_at timestamptz,
    author_id text not null references accounts (id),
    category_id text references categories (id),
    link_id text references links (id),
    visibility ${visibility},
    pinned integer not null default 0,
    reply_count integer not null default 0 check (reply_count >= 0),
    last_reply_at timestamptz,
    active_at timestamptz not null,
    -- Counts every change that an answer about the thread shows.
    version bigint not null default 0
  )`,
  `create index threads_by_activity on threads (active_at desc, id desc)
    include (visibility, author_id, category_id) where deleted_at is null`,
  `create index threads_by_pin on threads (pinned desc, active_at desc, id desc)
    include (visibility, author_id, category_id) where deleted_at is null`,
  `create index threads_of_category on threads (category_id, pinned desc, active_at desc, id desc)
    include (visibility, author_id) where deleted_at is null`,
  `create index threads_of_author on threads (author_id, pinned desc, active_at desc, id desc)
    include (visibility, category_id) where deleted_at is null`,
  `create index threads_in_review on threads (author_id) where deleted_at is null and visibility = 'review'`,
  `create index threads_link_id on threads (link_id) where link_id is not null`,

  `create table posts (
    id text primary key,
    thread_id text not null references threads (id),
    reply_to_id text references posts (id),
    author_id text not null references accounts (id),
    created_at timestamptz not null,
    updated_at timestamptz not null,
    deleted_at timestamptz,
    visibility ${visibility},
    title text,
    slug text,
    body text not null,
    description text not null,
    meta jsonb not null default '{}',
    like_count integer not null default 0 check (like_count >= 0),
    -- The post that opens a thread shares its id, and only it has a title of its own.
    check ((id = thread_id) = (title is not null)),
    check ((id = thread_id) = (slug is not null))
  )`,
  `create index posts_of_thread on posts (thread_id, created_at, id)
    where deleted_at is null and id <> thread_id`,
  `create index posts_thread_id on posts (thread_id)`,
  `create index posts_author_id on posts (author_id)`,
  `create index posts_reply_to_id on posts (reply_to_id) where reply_to_id is not null`,
  `create index posts_search on posts using gin ((title || ' ' || slug || ' ' || body) gin_trgm_ops)
    where id = thread_id`,

  `create table thread_tags (
    thread_id text not null references threads (id) on delete cascade,
    tag_id text not null references tags (id) on delete cascade,
    primary key (thread_id, tag_id)
  )`,
  `create index thread_tags_tag_id on thread_tags (tag_id)`,

  `create table post_links (
    post_id text not null references posts (id) on delete cascade,
    link_id text not null references links (id) on delete cascade,
    position integer not null,
    primary key (post_id, link_id)
  )`,
  `create index post_links_link_id on post_links (link_id)`,

  // How many undeleted replies an account has in a thread.
  `create table thread_participants (
    thread_id text not null references threads (id) on delete cascade,
    account_id text not null references accounts (id) on delete cascade,
    replies integer not null check (replies >= 0),
    primary key (thread_id, account_id)
  )`,
  `create index thread_participants_account_id on thread_participants (account_id)`,

  `create table read_marks (
    account_id text not null references accounts (id) on delete cascade,
    thread_id text not null references threads (id) on delete cascade,
    read_at timestamptz not null,
    primary key (thread_id, account_id)
  )`,
  `create index read_marks_account_id on read_marks (account_id)`,

  `create table likes (
    id text primary key,
    post_id text not null references posts (id) on delete cascade,
    account_id text not null references accounts (id) on delete cascade,
    created_at timestamptz not null,
    unique (post_id, account_id)
  )`,
  `create index likes_account_id on likes (account_id, created_at)`,

  `create table reacts (
    id text primary key,
    post_id text not null references posts (id) on delete cascade,
    account_id text not null references accounts (id) on delete cascade,
    emoji text not null,
    created_at timestamptz not null,
    unique (post_id, account_id, emoji)
  )`,
  `create index reacts_account_id on reacts (account_id)`,

  // Published, undeleted threads. Several rows, so that writers rarely wait for each other.
  `create table thread_totals (
    shard smallint primary key,
    published integer not null
  )`,
  `insert into thread_totals (shard, published) select generate_series(0, 15), 0`
])

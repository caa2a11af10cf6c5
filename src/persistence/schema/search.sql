-- What people see of threads, replies and pages, as `searchKey` makes it. Apart from them, so that nothing
-- else reads it, and without what is deleted. Whether the thread of a reply is published is asked of the
-- thread: it may have any number of replies.
create table search_texts (
  -- Of the thread, the reply or the page.
  id text primary key,
  kind text not null check (kind in ('thread', 'reply', 'node')),
  -- The thread that it is or that it is in.
  thread_id text check ((kind = 'node') = (thread_id is null)),
  -- As it says of itself: who made it, which changes only when that account is erased, and when.
  author_id text not null,
  created_at timestamptz not null,
  visibility text not null check (visibility in ('draft', 'unlisted', 'review', 'published')),
  title text check ((kind = 'reply') = (title is null)),
  slug text check ((kind = 'reply') = (slug is null)),
  -- Of the title from each of its words on.
  beginnings text[] check ((kind = 'reply') = (beginnings is null)),
  body text not null,
  -- Of text without spaces, each two characters that follow each other; null where there is none.
  pieces tsvector
);

create index search_texts_newest on search_texts (created_at desc, id desc) where visibility = 'published';
create index search_texts_of_author on search_texts (author_id, created_at desc, id desc);
create index search_texts_thread_id on search_texts (thread_id);
-- A pending list, in kilobytes, has what a few thousand texts add to an index before it is merged, which is
-- done beside requests.
create index search_texts_replies on search_texts using gin (body gin_trgm_ops)
  with (gin_pending_list_limit = 65536) where title is null;
-- Trigrams say nothing about one or two characters, which are whole words in some scripts.
create index search_texts_pieces on search_texts using gin (pieces) where pieces is not null;
-- Pages have titles as threads do, and are looked for by themselves.
create index search_texts_titled on search_texts
  using gin (title gin_trgm_ops, slug gin_trgm_ops, body gin_trgm_ops)
  with (gin_pending_list_limit = 65536) where kind = 'thread';
create index search_texts_newest_titled on search_texts (created_at desc, id desc)
  where visibility = 'published' and kind = 'thread';
create index search_texts_newest_nodes on search_texts (created_at desc, id desc)
  where visibility = 'published' and kind = 'node';
create index search_texts_nodes on search_texts using gin (title gin_trgm_ops, body gin_trgm_ops)
  with (gin_pending_list_limit = 65536) where kind = 'node';
create index search_texts_node_pieces on search_texts using gin (pieces) where kind = 'node' and pieces is not null;

-- Only what is published has words here, so that nothing else takes the place of what is suggested.
create table search_words (
  word text collate "C" not null,
  item_id text not null references search_texts (id) on delete cascade,
  -- Words of each kind apart, so that many titles of one do not take the place of those of another.
  kind text not null
);

create index search_words_item_id on search_words (item_id);
create unique index search_words_word on search_words (kind, word, item_id desc);

create function keep_search_words() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from search_words where item_id = new.id;
  end if;
  if new.visibility = 'published' then
    insert into search_words (word, item_id, kind) select distinct unnest(new.beginnings), new.id, new.kind;
  end if;
  return null;
end $$;
create trigger search_words_insert after insert on search_texts for each row
  when (new.title is not null) execute function keep_search_words();
create trigger search_words_update after update of visibility, beginnings on search_texts for each row
  when (new.title is not null and
    (old.visibility, old.beginnings) is distinct from (new.visibility, new.beginnings))
  execute function keep_search_words();

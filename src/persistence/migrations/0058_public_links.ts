import { migration } from "../shared/migration.ts"

const columns = [
  // What earlier migrations of the same transaction left for its end.
  `set constraints all immediate`,
  // Both would have to do something for every link that there is.
  `drop trigger links_stamp on links`,
  `drop trigger links_count on links`,
  `alter table links
    -- Whether somebody added it as a link, and did not only write it into a text.
    add column is_added boolean not null default false,
    -- Whether it was added, or stands in something that is published and not deleted.
    add column is_public boolean not null default false`,
  `create index posts_unpublished_links on posts (author_id, visibility)
    where visibility <> 'published' and deleted_at is null and link_count > 0`
]

const standing = [
  // Whether a link stands in something that everybody reads who reads its kind.
  `create function is_link_published(link text) returns boolean language sql stable as $$
    select exists (select from threads t
        where t.link_id = link and t.visibility = 'published' and t.deleted_at is null)
      or exists (select from nodes n where n.link_id = link and n.visibility = 'published')
      or exists (select from post_links l join posts p on p.id = l.post_id join threads t on t.id = p.thread_id
        where l.link_id = link and p.visibility = 'published' and p.deleted_at is null
          and t.visibility = 'published' and t.deleted_at is null)
      or exists (select from node_links l join nodes n on n.id = l.node_id
        where l.link_id = link and n.visibility = 'published')
    $$`,
  // Who described a link had added it. Of all other links nobody knows whether they were added.
  `update links set is_added = true where described_by is not null`,
  `update links l set is_public = is_added or is_link_published(id)`
]

const following = [
  // These links stand in something that has become public.
  `create function show_links(ids text[]) returns void language plpgsql as $$
    begin
      -- Whoever hides one of them waits for this transaction, or this one for that.
      perform from links where id = any(ids) order by id for key share;
      perform from links where id = any(ids) and not is_public order by id for no key update;
      if found then
        update links set is_public = true where id = any(ids) and not is_public;
      end if;
    end $$`,
  // These no longer stand in something that was public.
  `create function hide_links(ids text[]) returns void language plpgsql as $$
    begin
      -- A statement of its own: once they are locked, the next one sees what others have published or taken back.
      perform from links where id = any(ids) and is_public and not is_added order by id for update;
      if found then
        update links set is_public = false
          where id = any(ids) and is_public and not is_added and not is_link_published(id);
      end if;
    end $$`,
  `create function follow_links(ids text[], becomes_public boolean) returns void language plpgsql as $$
    begin
      if ids is null or ids = '{}' then
        return;
      elsif becomes_public then
        perform show_links(ids);
      else
        perform hide_links(ids);
      end if;
    end $$`,

  `create function follow_links_of_thread() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        perform show_links(array[new.link_id]);
        return null;
      end if;
      if old.link_id is distinct from new.link_id and old.link_id is not null then
        perform hide_links(array[old.link_id]);
      end if;
      perform follow_links(array(
          select new.link_id where new.link_id is not null
          union select l.link_id from posts p join post_links l on l.post_id = p.id
            where p.thread_id = new.id and p.link_count > 0
              and (new.visibility <> 'published' or new.deleted_at is not null
                or p.visibility = 'published' and p.deleted_at is null)
        ), new.visibility = 'published' and new.deleted_at is null);
      return null;
    end $$`,
  `create trigger threads_links_insert after insert on threads for each row
    when (new.link_id is not null and new.visibility = 'published') execute function follow_links_of_thread()`,
  `create trigger threads_links_update after update of visibility, deleted_at, link_id on threads for each row
    when (old.link_id is distinct from new.link_id or (old.visibility = 'published' and old.deleted_at is null)
      <> (new.visibility = 'published' and new.deleted_at is null)) execute function follow_links_of_thread()`,

  `create function follow_links_of_post() returns trigger language plpgsql as $$
    begin
      perform follow_links(array(select link_id from post_links where post_id = new.id),
        new.visibility = 'published' and new.deleted_at is null and exists (select from threads t
          where t.id = new.thread_id and t.visibility = 'published' and t.deleted_at is null));
      return null;
    end $$`,
  `create trigger posts_links_update after update of visibility, deleted_at on posts for each row
    when (new.link_count > 0 and (old.visibility = 'published' and old.deleted_at is null)
      <> (new.visibility = 'published' and new.deleted_at is null)) execute function follow_links_of_post()`,
  `create function show_links_of_posts() returns trigger language plpgsql as $$
    begin
      perform follow_links(array(
        select c.link_id from changed c join posts p on p.id = c.post_id join threads t on t.id = p.thread_id
        where p.visibility = 'published' and p.deleted_at is null
          and t.visibility = 'published' and t.deleted_at is null), true);
      return null;
    end $$`,
  `create trigger post_links_public_insert after insert on post_links referencing new table as changed
    for each statement execute function show_links_of_posts()`,

  `create function follow_links_of_node() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        perform hide_links(array[old.link_id]);
        return null;
      end if;
      if tg_op = 'UPDATE' and old.link_id is distinct from new.link_id and old.link_id is not null then
        perform hide_links(array[old.link_id]);
      end if;
      perform follow_links(array(
          select new.link_id where new.link_id is not null
          union select link_id from node_links where node_id = new.id
        ), new.visibility = 'published');
      return null;
    end $$`,
  `create trigger nodes_links_insert after insert on nodes for each row
    when (new.link_id is not null and new.visibility = 'published') execute function follow_links_of_node()`,
  `create trigger nodes_links_update after update of visibility, link_id on nodes for each row
    when (old.link_id is distinct from new.link_id
      or (old.visibility = 'published') <> (new.visibility = 'published'))
    execute function follow_links_of_node()`,
  `create trigger nodes_links_delete after delete on nodes for each row
    when (old.link_id is not null and old.visibility = 'published') execute function follow_links_of_node()`,
  `create function show_links_of_nodes() returns trigger language plpgsql as $$
    begin
      perform follow_links(array(select c.link_id from changed c join nodes n on n.id = c.node_id
        where n.visibility = 'published'), true);
      return null;
    end $$`,
  `create trigger node_links_public_insert after insert on node_links referencing new table as changed
    for each statement execute function show_links_of_nodes()`,

  `create function hide_links_of_texts() returns trigger language plpgsql as $$
    begin
      perform follow_links(array(select distinct link_id from changed), false);
      return null;
    end $$`,
  ...["post_links", "node_links"].map(
    (
      table
    ) => `create trigger ${table}_public_delete after delete on ${table} referencing old table as changed
      for each statement execute function hide_links_of_texts()`
  )
]

const lists = [
  `drop index links_newest`,
  `create index links_public_newest on links (created_at desc, id desc) where is_public`,
  // How many public links there are.
  `create or replace function count_links() returns trigger language plpgsql as $$
    begin
      update link_totals set links = links + case when tg_op <> 'DELETE' and new.is_public then 1 else -1 end
        where shard = pg_backend_pid() % 16;
      return null;
    end $$`,
  `update link_totals set links = case when shard = 0 then (select count(*) from links where is_public) else 0 end`,
  `create constraint trigger links_count_insert after insert on links deferrable initially deferred
    for each row when (new.is_public) execute function count_links()`,
  `create constraint trigger links_count_update after update of is_public on links deferrable initially deferred
    for each row when (old.is_public <> new.is_public) execute function count_links()`,
  `create constraint trigger links_count_delete after delete on links deferrable initially deferred
    for each row when (old.is_public) execute function count_links()`,
  // Only what answers show of a link makes them other answers.
  `create constraint trigger links_stamp after update of id, created_at, updated_at, url, slug, domain, title,
      description, favicon_id, primary_image_id on links deferrable initially deferred
    for each row execute function bump_links_stamp()`
]

export default migration([...columns, ...standing, ...following, ...lists])

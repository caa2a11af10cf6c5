import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { nodeTextForm, valueForms } from "../../domain/library/NodeSearchText.ts"
import type { RichText } from "../../domain/text/RichText.ts"
import { searchForm, searchKey } from "../../domain/text/SearchText.ts"
import { beginningsOf, piecesOf } from "../../domain/text/Terms.ts"
import { migration } from "../shared/migration.ts"

// As in 0024.
const pendingMax = 65_536

// Few enough that the longest texts fit into memory together.
const batchSize = 50

const published = "visibility = 'published'"

const collections = migration([
  // Pages are deleted at once, and so that no writer of pages has to lock collections, items are removed later; until
  // then nobody sees them.
  `alter table collection_items add column node_id text`,
  `alter table collection_items drop constraint collection_items_one_item`,
  `alter table collection_items
    add constraint collection_items_one_item check (num_nonnulls(post_id, node_id) = 1)`,
  `create unique index collection_items_node on collection_items (collection_id, node_id)`,
  `create index collection_items_node_id on collection_items (node_id) where node_id is not null`
])

const notifications = migration([
  `alter table notifications drop constraint notifications_item_kind`,
  `alter table notifications add constraint notifications_item_kind check (item_kind in ('post', 'node'))`
])

// The newest published pages of a tag, without those that are hidden, of which there may be any number.
const tags = migration([
  `alter table node_tags add column listed boolean not null default false`,
  `update node_tags set listed = true where node_id in (select id from nodes where ${published})`,
  `create index node_tags_listed on node_tags (tag_id, node_id desc) where listed`,
  `create function list_node_tag() returns trigger language plpgsql as $$
    begin
      new.listed := exists (select from nodes where id = new.node_id and ${published});
      return new;
    end $$`,
  `create trigger node_tags_listed before insert on node_tags for each row execute function list_node_tag()`,
  `create function list_tags_of_node() returns trigger language plpgsql as $$
    begin
      update node_tags g set listed = not g.listed
        where node_id = new.id and g.listed <> (new.${published});
      return null;
    end $$`,
  `create trigger nodes_listed after update of visibility on nodes
    for each row when (old.visibility <> new.visibility) execute function list_tags_of_node()`
])

const properties = migration([
  // What is searched of a value, as 'valueForms' makes it; pieces as those of \`search_texts\`.
  `alter table property_values add column search text, add column pieces tsvector`,
  `create index property_values_pieces on property_values using gin (pieces) where pieces is not null`
])

interface NodeRow {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly content: RichText | null
  readonly description: string
}

interface ValueRow {
  readonly node_id: string
  readonly fid: string
  readonly value: string
}

const formOf = ({ content, description, id, name, slug }: NodeRow) => {
  const title = searchForm(name).trim()
  const body = nodeTextForm({ content: content ?? undefined, description })
  return {
    id,
    title: searchKey(title),
    slug: searchKey(searchForm(slug)),
    beginnings: beginningsOf(title).join("\n"),
    body: searchKey(body),
    pieces: piecesOf(body).join("\n")
  }
}

const piecesFrom = (column: string) => `array_to_tsvector(string_to_array(nullif(${column}, ''), e'\\n'))`

/** The texts of the pages that there are, a batch at a time: one pass over them in the order of their ids. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const fillValues = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const values = yield* sql<ValueRow>`select node_id, fid, value from property_values
      where node_id = any(${ids}::text[])`
    const forms = values.map(({ value }) => valueForms(value))
    yield* sql`update property_values v set search = f.search, pieces = ${sql.literal(piecesFrom("f.pieces"))}
      from unnest(${values.map(({ node_id }) => node_id)}::text[], ${values.map(({ fid }) => fid)}::text[],
        ${forms.map(({ search }) => search)}::text[], ${forms.map(({ pieces }) => pieces)}::text[])
        f (node_id, fid, search, pieces)
      where v.node_id = f.node_id and v.fid = f.fid`
  })

  let done = ""
  for (;;) {
    const rows = yield* sql<NodeRow>`select id, name, slug, content, description from nodes
      where id > ${done} order by id limit ${batchSize}`
    const last = rows.at(-1)
    if (last === undefined) return
    yield* fillValues(rows.map(({ id }) => id))
    const forms = rows.map(formOf)
    const column = (name: keyof ReturnType<typeof formOf>) => forms.map((form) => form[name])
    yield* sql`insert into search_texts
        (id, kind, author_id, created_at, visibility, title, slug, beginnings, body, pieces)
      select n.id, 'node', n.owner_id, n.created_at, n.visibility, f.title, f.slug,
        string_to_array(f.beginnings, e'\n'), f.body || searched_values(n.id),
        ${sql.literal(piecesFrom("f.pieces"))}
      from unnest(${column("id")}::text[], ${column("title")}::text[], ${column("slug")}::text[],
        ${column("beginnings")}::text[], ${column("body")}::text[], ${column("pieces")}::text[])
        f (id, title, slug, beginnings, body, pieces)
      join nodes n on n.id = f.id`
    done = last.id
  }
})

const kinds = migration([
  // Words of each kind apart, so that many titles of one do not take the place of those of another.
  `alter table search_words add column kind text`,
  `update search_words w set kind = s.kind from search_texts s where s.id = w.item_id`,
  `alter table search_words alter column kind set not null`,
  `drop index search_words_word`,
  `create unique index search_words_word on search_words (kind, word, item_id desc)`,
  `create or replace function keep_search_words() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        delete from search_words where item_id = new.id;
      end if;
      if new.${published} then
        insert into search_words (word, item_id, kind) select distinct unnest(new.beginnings), new.id, new.kind;
      end if;
      return null;
    end $$`,
  // Pages have titles as threads do, and are looked for by themselves.
  `drop index search_texts_titled`,
  `create index search_texts_titled on search_texts
    using gin (title gin_trgm_ops, slug gin_trgm_ops, body gin_trgm_ops)
    with (gin_pending_list_limit = ${pendingMax}) where kind = 'thread'`,
  `drop index search_texts_newest_titled`,
  `create index search_texts_newest_titled on search_texts (created_at desc, id desc)
    where ${published} and kind = 'thread'`,
  `create index search_texts_newest_nodes on search_texts (created_at desc, id desc)
    where ${published} and kind = 'node'`
])

const following = migration([
  // A line for each value of a page's properties, after those of 'nodeTextForm'.
  `create or replace function searched_values(node text) returns text language sql stable as $$
    select coalesce(string_agg(e'\\n' || search, '' order by search), '') from property_values where node_id = node
  $$`,
  // Their names come after those of the triggers that raise the version of the page: a page is locked before what is
  // searched of it, as by all who write one.
  ...["insert", "update", "delete"].flatMap((event) => [
    `create or replace function property_values_text_${event}() returns trigger language plpgsql as $$
      begin
        update search_texts s set body = c.body from (
            select id, split_part(t.body, e'\\n', 1) || e'\\n' || split_part(t.body, e'\\n', 2)
              || searched_values(t.id) as body
            from search_texts t where id in (select node_id from changed)
          ) c where s.id = c.id and s.body <> c.body;
        return null;
      end $$`,
    `create or replace trigger property_values_text_${event} after ${event} on property_values
      referencing ${event === "delete" ? "old" : "new"} table as changed
      for each statement execute function property_values_text_${event}()`
  ]),
  `create or replace function follow_node_in_search() returns trigger language plpgsql as $$
    begin
      update search_texts set visibility = new.visibility where id = new.id;
      return null;
    end $$`,
  `create or replace trigger nodes_search after update of visibility on nodes for each row
    when (old.visibility <> new.visibility) execute function follow_node_in_search()`,
  `create or replace function leave_search_with_nodes() returns trigger language plpgsql as $$
    begin
      delete from search_texts where id in (select id from gone);
      return null;
    end $$`,
  `create or replace trigger nodes_search_gone after delete on nodes referencing old table as gone
    for each statement execute function leave_search_with_nodes()`
])

const filled = migration([
  `alter table property_values alter column search set not null`,
  `create index search_texts_nodes on search_texts using gin (title gin_trgm_ops, body gin_trgm_ops)
    with (gin_pending_list_limit = ${pendingMax}) where kind = 'node'`,
  `create index search_texts_node_pieces on search_texts using gin (pieces) where kind = 'node' and pieces is not null`
])

/** Searches find pages. */
export const search = Effect.all([kinds, following, fill, filled], { discard: true })

export default Effect.all([collections, notifications, tags, properties, search], { discard: true })

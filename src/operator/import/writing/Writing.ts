/**
 * Writes what was decided. Counts, versions and what else follows is made by the triggers of the tables, as for what the
 * service writes; here is what its stores write beside the rows themselves.
 */
import type { PreparedKind } from "../preparing/Kinds.ts"
import { schema, tableOf } from "../Staging.ts"
import { idsOf } from "./References.ts"

/** The records of a kind that are written. */
export const from = (kind: PreparedKind) => `from ${tableOf(kind)} s where s.fate is null`

/** The id of a part of an account `s`: another one where a row has it, or an earlier part. */
export const partId = (id: string, table: string, order: string) =>
  `case when exists (select from ${table} t where t.id = ${id}) or row_number() over (partition by ${id} order by ${order}) > 1
    then ${schema}.other_id(s.id || (${id})) else ${id} end`

export const builtInRoles = `update roles r set name = s.name, colour = s.colour, meta = s.meta, created_at = s.created_at,
    updated_at = s.updated_at,
    permissions = case when r.id = '00000000000000000020' then r.permissions
      else array(select jsonb_array_elements_text(s.permissions)) end
  from ${tableOf("roles")} s where s.id = r.id and r.built_in and s.built_in`

export const people = [
  `insert into roles (id, created_at, updated_at, name, colour, permissions, meta, rank)
    select s.id, s.created_at, s.updated_at, s.name, s.colour, array(select jsonb_array_elements_text(s.permissions)), s.meta,
      (select coalesce(max(rank), 0) from roles where not built_in) + row_number() over (order by s.rank, s.line)
    ${from("roles")}`,
  `insert into tags (id, created_at, name) select s.id, s.created_at, s.name ${from("tags")}`,
  `insert into accounts (id, created_at, updated_at, suspended_at, kind, admin, handle, name, bio, signature, links, meta,
      verified_status, handle_key, name_form, handle_form)
    select s.id, s.created_at, s.updated_at, s.suspended_at, s.kind, s.admin, s.handle, s.name, s.bio, s.signature, s.links,
      s.meta, s.verified_status, s.handle_key, s.name_form, s.handle_form
    ${from("accounts")} order by s.line`,
  `update accounts a set invited_by = s.invited_by from ${tableOf("accounts")} s
    where s.fate is null and s.id = a.id and s.invited_by is not null`,
  `insert into account_roles (account_id, role_id, badge)
    select account_id, role_id, badge and row_number() over (partition by account_id order by badge desc, place) = 1 from (
      select distinct on (s.id, r.id) s.id as account_id, r.id as role_id, coalesce((given.value->>'badge')::boolean, false) as badge, given.place
      from ${tableOf("accounts")} s cross join lateral ${idsOf("accounts", "roles")}
        join roles r on r.id = given.named and not r.built_in
      where s.fate is null order by s.id, r.id, given.place
    ) held`,
  `insert into account_interests (account_id, tag_id)
    select distinct s.id, t.id from ${tableOf("accounts")} s cross join lateral ${idsOf("accounts", "interests")}
      join tags t on t.id = given.named
    where s.fate is null`,
  `insert into account_emails (id, account_id, created_at, address, verified)
    select ${partId("e.value->>'id'", "account_emails", "s.line, e.place")}, s.id, (e.value->>'created_at')::timestamptz,
      e.value->>'address', (e.value->>'verified')::boolean
    from (
      select distinct on (e.value->>'address') s.id, s.line, e.value, e.place
      from ${tableOf("accounts")} s cross join lateral jsonb_array_elements(s.emails) with ordinality e (value, place)
      where s.fate is null and s.emails is not null
        and not exists (select from account_emails t where t.address = e.value->>'address')
      order by e.value->>'address', s.line, e.place
    ) s cross join lateral (select s.value, s.place) e`,
  `insert into code_sign_ins (account_id, created_at)
    select s.id, s.signs_in_by_email_since ${from("accounts")} and s.signs_in_by_email_since is not null
      and exists (select from account_emails e where e.account_id = s.id)`,
  `insert into passwords (account_id, created_at, updated_at, hash)
    select s.account_id, coalesce(s.created_at, a.created_at), coalesce(s.created_at, a.created_at), s.hash
    from ${tableOf("passwords")} s join accounts a on a.id = s.account_id where s.fate is null`,
  `insert into follows (id, follower_id, followed_id, created_at)
    select s.id, s.follower_id, s.followed_id, s.created_at ${from("follows")}`
]

/** Whoever signs up first founds an instance that nobody has founded. */
export const founder = `insert into founder (account_id)
  select s.id from ${tableOf("accounts")} s where s.fate is null and s.line > 0
    order by s.founder desc, s.admin desc, s.created_at, s.id limit 1
  on conflict do nothing`

export const noAdministrator = `insert into ${schema}.findings (kind, line, outcome, reason)
  select 'accounts', 0, 'repaired', 'no_administrator' where not exists (select from accounts where admin)`

export const settings = `update settings t set value = s.value, updated_at = s.updated_at from ${tableOf("settings")} s
  where s.fate is null and t.part = s.id`

export const places = (store: string) => [
  `insert into assets (id, created_at, account_id, filename, original_name, mime_type, size, width, height, parent_id, store)
    select s.id, s.created_at, s.account_id, s.filename, s.name, s.mime_type, s.size, s.width, s.height, s.parent_id, '${store}'
    ${from("assets")}`,
  `update accounts a set avatar_id = s.avatar_id from ${tableOf("accounts")} s
    where s.fate is null and s.id = a.id and s.avatar_id is not null`,
  `insert into links (id, created_at, updated_at, url, slug, domain, title, description, search_text, described_by, favicon_id,
      primary_image_id, is_added, is_public)
    select s.id, s.created_at, s.updated_at, s.url, s.slug, s.domain, s.title, s.description, s.search_text, s.described_by,
      s.favicon_id, s.primary_image_id, s.is_added, s.is_added
    ${from("links")}`,
  `insert into categories (id, created_at, updated_at, name, slug, description, colour, sort, parent_id, meta, cover_image_asset_id)
    select s.id, s.created_at, s.updated_at, s.name, s.slug, s.description, s.colour, s.sort, s.parent_id, s.meta, s.cover_image_id
    ${from("categories")}`
]

const posts = ["threads", "replies"] as const

const texts = [...posts, "nodes"] as const

/** The addresses in texts that are no links yet. */
export const linksInTexts = [
  `create temp table found_links on commit drop as
    select distinct on (l.url) ${schema}.other_id(s.id || l.url) as id, s.created_at, l.url, l.slug, l.domain, lower(l.url) as form
    from (${texts.map((kind) => `select id, created_at, text_links from ${tableOf(kind)} where fate is null and text_links is not null`).join(" union all ")}) s
      cross join lateral jsonb_to_recordset(s.text_links) l (url text, slug text, domain text)
    where not exists (select from links k where k.url = l.url)
    order by l.url, s.created_at, s.id`,
  `insert into links (id, created_at, updated_at, url, slug, domain, search_text)
    select f.id, f.created_at, f.created_at, f.url,
      case when row_number() over (partition by f.slug order by f.url) = 1 and not exists (select from links k where k.slug = f.slug)
        then f.slug else f.slug || '-' || f.id end,
      f.domain, e'\\n\\n' || f.form
    from found_links f`
]

/** The place of each reply in its thread, after those that are there. */
export const numbers = [
  `create temp table numbered on commit drop as
    select s.line, s.id, s.thread_id, (row_number() over (partition by s.thread_id order by s.created_at, s.line)
      + coalesce(t.replies_made, 0))::int as ordinal, null::int as publication
    from ${tableOf("replies")} s left join threads t on t.id = s.thread_id where s.fate is null`,
  `update numbered n set publication = p.publication from (
      select s.line, (row_number() over (partition by s.thread_id order by s.published_at, s.line)
        + coalesce(t.published_later, 0))::int as publication
      from ${tableOf("replies")} s left join threads t on t.id = s.thread_id where s.fate is null and s.published_at is not null
    ) p where p.line = n.line`,
  "analyze numbered",
  // A reply answers one that was there.
  `with answering as (
      select s.line, s.id from ${tableOf("replies")} s join numbered n on n.line = s.line
      where s.fate is null and s.reply_to_id is not null and s.reply_to_id <> s.thread_id
        and not exists (select from numbered o where o.id = s.reply_to_id and o.thread_id = s.thread_id and o.ordinal < n.ordinal)
        and not exists (select from posts p where p.id = s.reply_to_id and p.thread_id = s.thread_id)
    ), changed as (
      update ${tableOf("replies")} s set reply_to_id = null from answering a where s.line = a.line
    )
    insert into ${schema}.findings (kind, line, id, outcome, reason, field)
      select 'replies', line, id, 'repaired', 'order', 'reply_to_id' from answering order by line`
]

const both = (columns: (kind: "threads" | "replies") => string) => posts.map(columns).join(" union all ")

/**
 * How many links, likes and reactions posts have. Where a post is new it is written with these numbers: the triggers that
 * count them would write each such post again.
 */
const ofPosts = [
  `create temp table links_of_posts on commit drop as
    select s.id as post_id, k.id as link_id, min(l.place)::int - 1 as position
    from (${both((kind) => `select id, text_links from ${tableOf(kind)} where fate is null and text_links is not null`)}) s
      cross join lateral jsonb_array_elements(s.text_links) with ordinality l (value, place)
      join links k on k.url = l.value->>'url'
    group by 1, 2`,
  `create temp table of_posts on commit drop as
    select id, sum(links)::int as links, sum(likes)::int as likes, sum(reacts)::int as reacts from (
      select post_id as id, 1 as links, 0 as likes, 0 as reacts from links_of_posts
      union all select s.post_id, 0, 1, 0 ${from("likes")}
      union all select s.post_id, 0, 0, 1 ${from("reactions")}
    ) counted group by id`,
  "analyze links_of_posts",
  "analyze of_posts",
  // Those that are there already are counted by what is there of them.
  `update posts p set like_count = p.like_count + c.likes, react_count = p.react_count + c.reacts from of_posts c
    where p.id = c.id and (c.likes, c.reacts) <> (0, 0)`
]

/** Triggers that count what is counted here. */
export const counting = [
  ["likes", "likes_count_insert"],
  ["reacts", "reacts_count_insert"],
  ["post_links", "post_links_count_insert"],
  // Each of these runs for every row, and passes what it did for the rows before.
  ["link_changes", "link_changes_settled"],
  ["links", "links_count_insert"],
  ["links", "links_count_update"],
  ["calendar_events", "calendar_events_count"]
] as const

/** What becomes public and is counted of all that there is, once all is written. */
export const totals = [
  `with changed as (delete from link_changes where xact = pg_current_xact_id() returning link_id, becomes_public)
    update links l set is_public = c.becomes_public or is_link_published(l.id) from changed c
    where l.id = c.link_id and not l.is_added and l.is_public <> (c.becomes_public or is_link_published(l.id))`,
  `update link_totals set links = links + (select count(*)::int from links where is_public)
      - (select sum(links)::int from link_totals)
    where shard = 0`,
  `update calendar_totals t set draft = t.draft + made.draft, unlisted = t.unlisted + made.unlisted,
      review = t.review + made.review, published = t.published + made.published
    from (
      select count(*) filter (where visibility = 'draft')::int as draft,
        count(*) filter (where visibility = 'unlisted')::int as unlisted,
        count(*) filter (where visibility = 'review')::int as review,
        count(*) filter (where visibility = 'published')::int as published
      ${from("events")} and s.deleted_at is null
    ) made where shard = 0`
]

const weight = "post_weight(s.body, s.meta, coalesce(c.links, 0), coalesce(c.reacts, 0))"

/** What threads know of their replies. */
const ofReplies = `select s.thread_id, count(*)::int as made,
    count(*) filter (where s.deleted_at is null)::int as undeleted,
    count(*) filter (where s.deleted_at is null and s.visibility <> 'published')::int as unpublished,
    greatest(max(s.created_at) filter (where s.deleted_at is null and s.visibility = 'published'),
      max(s.published_at) filter (where s.deleted_at is null and s.visibility = 'published')) as last_reply_at,
    max(s.created_at) as last_made_at, count(s.published_at)::int as later, max(${weight}) as weight
  from ${tableOf("replies")} s left join of_posts c on c.id = s.id where s.fate is null group by s.thread_id`

const numbersOf = "coalesce(c.links, 0), coalesce(c.likes, 0), coalesce(c.reacts, 0)"

const words = (column: string) => `string_to_array(s.${column}, e'\\n')`

const pieces = `array_to_tsvector(string_to_array(s.pieces, e'\\n'))`

export const discussions = [
  ...ofPosts,
  `create temp table of_replies on commit drop as ${ofReplies}`,
  "analyze of_replies",
  `update threads t set reply_count = t.reply_count + r.undeleted, replies_made = t.replies_made + r.made,
      unpublished_replies = t.unpublished_replies + r.unpublished, reply_weight = greatest(t.reply_weight, r.weight),
      last_made_at = greatest(t.last_made_at, r.last_made_at), published_later = t.published_later + r.later,
      last_reply_at = greatest(t.last_reply_at, r.last_reply_at),
      active_at = greatest(t.active_at, r.last_reply_at)
    from of_replies r where r.thread_id = t.id`,
  `insert into threads (id, created_at, deleted_at, author_id, category_id, link_id, visibility, pinned, reply_count, last_reply_at,
      active_at, replies_made, unpublished_replies, opening_weight, reply_weight, last_made_at, published_later)
    select s.id, s.created_at, s.deleted_at, s.author_id, s.category_id, s.link_id, s.visibility, s.pinned,
      coalesce(r.undeleted, 0), r.last_reply_at, coalesce(r.last_reply_at, s.created_at), coalesce(r.made, 0),
      coalesce(r.unpublished, 0), ${weight}, coalesce(r.weight, 0), r.last_made_at, coalesce(r.later, 0)
    from ${tableOf("threads")} s left join of_replies r on r.thread_id = s.id left join of_posts c on c.id = s.id
    where s.fate is null`,
  `insert into posts (id, thread_id, ordinal, author_id, created_at, updated_at, deleted_at, visibility, title, slug, body,
      description, meta, link_count, like_count, react_count)
    select s.id, s.id, 0, s.author_id, s.created_at, s.updated_at, s.deleted_at, s.visibility, s.title, s.slug, s.body,
      s.description, s.meta, ${numbersOf}
    from ${tableOf("threads")} s left join of_posts c on c.id = s.id where s.fate is null`,
  `insert into posts (id, thread_id, ordinal, reply_to_id, author_id, created_at, updated_at, deleted_at, visibility, told, body,
      description, meta, published_at, publication, link_count, like_count, react_count)
    select s.id, s.thread_id, n.ordinal, s.reply_to_id, s.author_id, s.created_at, s.updated_at, s.deleted_at, s.visibility,
      coalesce(s.told, true), s.body, s.description, s.meta, s.published_at, n.publication,
      ${numbersOf}
    from ${tableOf("replies")} s join numbered n on n.line = s.line left join of_posts c on c.id = s.id
    where s.fate is null`,
  `insert into search_texts (kind, id, thread_id, author_id, created_at, visibility, title, slug, beginnings, body, pieces)
    select 'thread', s.id, s.id, s.author_id, s.created_at, s.visibility, s.search_title, s.search_slug, ${words("beginnings")},
      s.search_body, ${pieces}
    ${from("threads")} and s.deleted_at is null`,
  `insert into search_texts (kind, id, thread_id, author_id, created_at, visibility, body, pieces)
    select 'reply', s.id, s.thread_id, s.author_id, s.created_at, s.visibility, s.search_body, ${pieces}
    ${from("replies")} and s.deleted_at is null`,
  `insert into thread_participants as known (thread_id, account_id, replies)
    select s.thread_id, s.author_id, count(*) filter (where s.deleted_at is null)::int ${from("replies")}
      group by s.author_id, s.thread_id
    on conflict (thread_id, account_id) do update set replies = known.replies + excluded.replies`,
  "insert into post_links (post_id, link_id, position) select post_id, link_id, position from links_of_posts",
  ...posts.map(
    (kind) => `insert into post_mentions (post_id, thread_id, account_id, told)
      select distinct s.id, ${kind === "threads" ? "s.id" : "s.thread_id"}, m.value, true from ${tableOf(kind)} s
        cross join lateral jsonb_array_elements_text(s.mentions) m (value)
      where s.fate is null and s.mentions is not null`
  ),
  `insert into thread_tags (thread_id, tag_id)
    select distinct s.id, t.id from ${tableOf("threads")} s cross join lateral ${idsOf("threads", "tag_ids")}
      join tags t on t.id = given.named
    where s.fate is null`,
  `insert into likes (id, post_id, account_id, created_at, thread_id)
    select s.id, s.post_id, s.account_id, s.created_at, p.thread_id
    from ${tableOf("likes")} s join posts p on p.id = s.post_id where s.fate is null`,
  `insert into reacts (id, post_id, account_id, emoji, created_at)
    select s.id, s.post_id, s.account_id, s.emoji, s.created_at ${from("reactions")}`
]

const isListed = "s.fate is null and s.visibility = 'published' and s.deleted_at is null"

/** Where threads that everybody reads are counted. */
export const counts = [
  `update thread_totals set published = published + (select count(*)::int from ${tableOf("threads")} s where ${isListed})
    where shard = 0`,
  `insert into author_totals as known (author_id, category_id, published)
    select s.author_id, s.category_id, count(*)::int from ${tableOf("threads")} s where ${isListed} group by 1, 2
    on conflict (author_id, category_id) do update set published = known.published + excluded.published`,
  `update tags t set item_count = t.item_count + c.n from (
      select g.tag_id, count(*)::int as n from thread_tags g join ${tableOf("threads")} s on s.id = g.thread_id
        where ${isListed} group by g.tag_id
    ) c where c.tag_id = t.id`,
  `update categories t set post_count = t.post_count + c.n from (
      select s.category_id, count(*)::int as n from ${tableOf("threads")} s where ${isListed} group by s.category_id
    ) c where c.category_id = t.id`
]

/** What is about discussions. */
export const around = [
  `insert into collections (id, created_at, updated_at, owner_id, name, slug, description)
    select s.id, s.created_at, s.updated_at, s.owner_id, s.name, s.slug, s.description ${from("collections")}`,
  `insert into collection_items (id, collection_id, owner_id, added_by, added_at, membership_type, post_id, thread_id, node_id)
    select s.id, s.collection_id, c.owner_id, s.added_by, s.added_at, s.membership_type, s.post_id, p.thread_id, s.node_id
    from ${tableOf("collection_items")} s join collections c on c.id = s.collection_id left join posts p on p.id = s.post_id
    where s.fate is null`,
  `insert into calendar_events (id, created_at, updated_at, deleted_at, thread_id, name, slug, description, starts_at, ends_at,
      primary_image_id, policy, visibility, location, capacity, meta, search)
    select s.id, s.created_at, s.updated_at, s.deleted_at, s.thread_id, s.name, s.slug, s.description, s.starts_at, s.ends_at,
      s.primary_image_id, s.policy, s.visibility, s.location, s.capacity, s.meta, s.search
    ${from("events")}`,
  `insert into calendar_participants (event_id, account_id, created_at, updated_at, role, status)
    select s.event_id, s.account_id, s.created_at, s.updated_at, s.role, s.status ${from("participants")}`,
  `insert into read_marks (account_id, thread_id, read_at, replies_read, publications_read)
    select s.account_id, s.thread_id, s.read_at,
      coalesce((select p.ordinal from posts p where p.id = s.last_reply_id and p.thread_id = s.thread_id),
        (select count(*)::int from posts p where p.thread_id = s.thread_id and p.ordinal > 0 and p.created_at <= s.read_at)),
      (select count(*)::int from posts p where p.thread_id = s.thread_id and p.publication is not null
        and p.published_at <= s.read_at)
    ${from("read_marks")}`
]

/** The statements of the floor that is written by hand. */

/** Every person with each role that was assigned, or none. */
const people = `select a.id, a.created_at as joined, a.suspended_at as suspended, a.handle, a.name, a.signature, a.admin,
    h.role_id, h.badge
  from accounts a left join account_roles h on h.account_id = a.id`

export const caller = `${people} join sessions s on s.account_id = a.id
  where s.token_hash = $1 and s.expires_at > now()`

export const peopleById = `${people} where a.id = any($1)`

export const roles = `select id, name, colour, nullif(meta, '{}') as meta, built_in as "default" from roles order by rank desc`

const postColumns = `p.id, p.created_at, p.updated_at, p.author_id, p.visibility, p.body, p.description, p.meta,
  p.like_count`

const threadColumns = `${postColumns}, p.title, p.slug, t.pinned, t.reply_count, t.last_reply_at, t.category_id`

export const thread = `select ${threadColumns} from threads t join posts p on p.id = t.id where t.id = $1`

export const replies = `select ${postColumns} from posts p
  where thread_id = $1 and id <> thread_id and deleted_at is null order by created_at, id limit 50`

export const nodes = `select n.id, n.created_at, n.updated_at, n.owner_id, n.parent_id, n.name, n.slug, n.current_version_id,
    n.description, n.content, n.hide_child_tree, n.visibility, n.meta, n.link_id, n.primary_image_id
  from nodes n where n.id = $1 or (n.parent_id = $1 and n.visibility = 'published')
  order by n.parent_id nulls first, n.position limit 101`

/** The values of properties, of which a page has twenty times as many rows. */
export const nodeValues = `select v.node_id, v.fid, v.value from property_values v
  where v.node_id = $1 or v.node_id in (select id from nodes where parent_id = $1 and visibility = 'published')`

export const list = (direction: "" | "desc") => `select ${threadColumns}
  from threads t join posts p on p.id = t.id where t.deleted_at is null and t.visibility = 'published'
  order by t.pinned ${direction}, t.active_at ${direction}, t.id ${direction} limit 50`

export const total = "select sum(published)::int as published from thread_totals"

export const categories = `select id, created_at, updated_at, name, slug, description, colour, sort, meta, post_count
  from categories where id = any($1)`

export const reacts = "select post_id, account_id, id, emoji from reacts where post_id = any($1) order by id"

export const links = `select b.post_id, l.id, l.created_at, l.updated_at, l.url, l.slug, l.domain, l.title, l.description
  from post_links b join links l on l.id = b.link_id where b.post_id = any($1) order by b.position`

export const tags = `select b.thread_id, g.name, g.item_count
  from thread_tags b join tags g on g.id = b.tag_id where b.thread_id = any($1) order by g.name`

export const likes = "select post_id from likes where post_id = any($1) and account_id = $2"

/** What of these threads is a viewer's own. */
export const own = `select o.id, m.replies, s.read_at, t.replies_made - n.ordinal + 1 as since
  from unnest($1::text[]) o (id)
  left join thread_participants m on m.thread_id = o.id and m.account_id = $2
  left join read_marks s on s.thread_id = o.id and s.account_id = $2
  left join threads t on t.id = s.thread_id
  left join lateral (select ordinal from posts where thread_id = s.thread_id and id <> thread_id
    and deleted_at is null and created_at > s.read_at order by created_at, id limit 1) n on true`

export const countReply = `update threads t
  set reply_count = reply_count + 1, replies_made = replies_made + 1, version = version + 1,
    last_reply_at = $2, active_at = $2
  from posts o where t.id = $1 and o.id = $1 returning t.id, t.author_id, t.replies_made, o.title, o.slug`

export const participate = `insert into thread_participants as mine (thread_id, account_id, replies)
  values ($1, $2, 1) on conflict (thread_id, account_id) do update set replies = mine.replies + 1`

export const insertReply = `insert into posts
    (id, thread_id, ordinal, author_id, created_at, updated_at, visibility, body, description)
  values ($1, $2, $3, $4, $5, $5, 'published', $6, $7)`

export const appendEvent =
  "insert into event_log (occurred_at, actor_id, event) values ($1, $2, $3::text::jsonb)"

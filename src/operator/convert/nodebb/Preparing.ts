/** Decides what of a forum of NodeBB is taken over, in tables made of what was read. */
import { decideDiscussion, decidePeople, telling } from "../records/Deciding.ts"
import { settleSlugs } from "../records/Slugs.ts"
import type { Options } from "../shared/Conversion.ts"
import { webAddress } from "../shared/Fields.ts"
import { settleHandles } from "../shared/Handles.ts"
import type { Rule } from "../shared/Rules.ts"
import type { Scratch } from "../shared/Scratch.ts"
import { deriving } from "./Deriving.ts"
import { forumTables } from "./Tables.ts"
import { settleUploads } from "./Uploads.ts"

const isUnreadable = "case when json_valid(data) then json_type(data) <> 'object' else 1 end"

const tellingOf = (kind: string, of: string, rule: Rule) =>
  telling(of, rule, `legacy_hash x where x.kind = '${kind}'`)

const checking: ReadonlyArray<string> = [
  `insert or ignore into findings select 'legacy_hash', _key, 'row_unreadable', '' from legacy_hash where ${isUnreadable}`,
  `delete from legacy_hash where ${isUnreadable}`,
  tellingOf("elsewhere", "objects", "federated"),
  tellingOf("room", "chats", "private_message"),
  tellingOf("queued", "posts", "post_queued"),
  tellingOf("flag", "flags", "flag"),
  telling(
    "users",
    "account_without_name",
    `(select cast(id as integer) as id from legacy_hash where kind = 'user' and coalesce(trim(data ->> '$.username'), '') = '') x`
  )
]

/** Privileges that guests have where everybody could read. Releases that do not know one give it to nobody. */
const asked = `(select 'read' as name union all select name from (select 'find' as name union all select 'topics:read') p
  where exists (select 1 from legacy_zset z where z.kind = 'members' and z.id like 'cid:%:privileges:groups:' || p.name))`

const isRestricted = `exists (select 1 from ${asked} a where not exists (select 1 from legacy_zset z
  where z.kind = 'members' and z.id = 'cid:' || c.id || ':privileges:groups:' || a.name and z.value = 'guests'))`

const missing = "category_id not in (select id from categories)"

const closing: ReadonlyArray<string> = [
  `insert or ignore into closed_categories select c.id from categories c where c.disabled = 't' or ${isRestricted}`,
  telling("categories", "category_disabled", "categories x where x.disabled = 't'"),
  telling(
    "categories",
    "category_restricted",
    "closed_categories x join categories c on c.id = x.id where c.disabled = 'f'"
  ),
  // Who could read the topics of a category that is gone is not known.
  `insert or ignore into closed_categories select category_id from topics where ${missing}`
]

const decisions = (withRestricted: boolean): ReadonlyArray<string> => [
  "create table if not exists closed_categories (id integer primary key)",
  ...(withRestricted ? [] : closing),
  telling(
    "categories",
    "parent_missing",
    "categories x where x.parent_category_id in (select id from closed_categories) and x.id not in (select id from closed_categories)"
  ),
  "update categories set parent_category_id = null where parent_category_id in (select id from closed_categories)",
  telling(
    "categories",
    "category_moderator",
    `categories x where x.id not in (select id from closed_categories) and exists (select 1 from legacy_zset z where z.kind = 'members'
      and z.id in ('cid:' || x.id || ':privileges:moderate', 'cid:' || x.id || ':privileges:groups:moderate'))`
  ),
  ...decideDiscussion({ topics: "true", posts: "true" }),
  telling("topics", "scheduled", "topics x join shown_topics s on s.id = x.id where x.visible = 'draft'"),
  telling("topics", "title_missing", "topics x join shown_topics s on s.id = x.id where trim(x.title) = ''"),
  "update topics set title = '…' where trim(title) = ''",
  telling("posts", "guest_author", "posts x join shown_posts s on s.id = x.id where x.user_id is null"),
  telling(
    "posts",
    "downvotes",
    "shown_posts x where cast(x.id as text) in (select id from legacy_set where kind = 'downvote')"
  ),
  `insert or ignore into tags select g.tag_id, g.tag_id, min(t.created_at) from topic_tags g join shown_topics s on s.id = g.topic_id
    join topics t on t.id = s.id group by g.tag_id`,
  ...decidePeople
]

export const prepareNodebb = (scratch: Scratch, { address, withRestricted }: Options) => {
  scratch.makeTables(forumTables)
  scratch.inTransaction(() => {
    for (const statement of [...checking, ...deriving, ...decisions(withRestricted)]) scratch.exec(statement)
    settleSlugs(scratch)
    settleHandles(scratch, "users", "select id, userslug as name from users order by id")
    settleUploads(scratch, webAddress(address))
  })
}

/** Decides what of a forum of Discourse is taken over, in tables beside its own. */
import { decideDiscussion, decidePeople, telling } from "../records/Deciding.ts"
import { settleSlugs } from "../records/Slugs.ts"
import { settleHandles } from "../shared/Handles.ts"
import type { Scratch } from "../shared/Scratch.ts"

/** Kinds of posts; others are what the program itself noted. */
const written = "p.post_type in (1, 2)"

const restricted = `
  with recursive closed (id) as (
    select id from categories where read_restricted = 't'
    union select c.id from categories c join closed on c.parent_category_id = closed.id
  )`

const decisions = (withRestricted: boolean): ReadonlyArray<string> => [
  // What Discourse itself brings along, such as emoji.
  "delete from uploads where id <= 0",
  "create table if not exists closed_categories (id integer primary key)",
  ...(withRestricted ? [] : [`insert or ignore into closed_categories ${restricted} select id from closed`]),
  telling("categories", "category_restricted", "closed_categories x"),
  ...decideDiscussion({ topics: "t.archetype = 'regular'", posts: written }),
  telling("topics", "private_message", "topics x where x.archetype = 'private_message'"),
  telling(
    "topics",
    "archetype_unknown",
    "topics x where x.archetype not in ('regular', 'private_message') or x.archetype is null"
  ),
  telling("posts", "whisper", "posts x join shown_topics s on s.id = x.topic_id where x.post_type = 4"),
  telling("posts", "small_action", "posts x join shown_topics s on s.id = x.topic_id where x.post_type = 3"),
  telling(
    "posts",
    "post_type_unknown",
    `posts x join shown_topics s on s.id = x.topic_id
    where x.post_type not in (1, 2, 3, 4) or x.post_type is null`
  ),
  telling(
    "post_actions",
    "flag",
    "post_actions x where x.post_action_type_id in (3, 4, 6, 7, 8, 10) and x.deleted_at is null"
  ),
  telling(
    "post_actions",
    "bookmark",
    "post_actions x where x.post_action_type_id = 1 and x.deleted_at is null"
  ),
  ...decidePeople,
  telling("users", "silenced", "users x where x.silenced_till is not null")
]

export const prepareDiscourse = (scratch: Scratch, withRestricted: boolean) => {
  scratch.inTransaction(() => {
    for (const decision of decisions(withRestricted)) scratch.exec(decision)
    settleSlugs(scratch)
    settleHandles(scratch, "users", "select id, username as name from users order by id <= 0, id")
  })
}

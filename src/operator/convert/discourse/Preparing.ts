/** Decides what of a forum of Discourse is taken over, in tables beside its own. */

import { settleHandles } from "../shared/Handles.ts"
import type { Rule } from "../shared/Rules.ts"
import type { Scratch } from "../shared/Scratch.ts"

/** Kinds of posts; others are what the program itself noted. */
const written = "p.post_type in (1, 2)"

/** Says of what a condition finds which rule it is left out by. */
const telling = (kind: string, rule: Rule, from: string) =>
  `insert or ignore into findings select '${kind}', x.id, '${rule}', '' from ${from}`

const restricted = `
  with recursive closed (id) as (
    select id from categories where read_restricted = 't'
    union select c.id from categories c join closed on c.parent_category_id = closed.id
  )`

const decisions = (withRestricted: boolean): ReadonlyArray<string> => [
  "create table if not exists closed_categories (id integer primary key)",
  ...(withRestricted ? [] : [`insert or ignore into closed_categories ${restricted} select id from closed`]),
  telling("categories", "category_restricted", "closed_categories x"),
  "create table if not exists first_posts (topic_id integer primary key, post_id integer)",
  `insert or ignore into first_posts select topic_id, id from (
    select p.topic_id, p.id, row_number() over (partition by p.topic_id order by p.post_number, p.id) as place
    from posts p where ${written} and p.topic_id is not null) where place = 1`,
  "create table if not exists shown_topics (id integer primary key)",
  `insert or ignore into shown_topics select t.id from topics t join first_posts f on f.topic_id = t.id
    where t.archetype = 'regular' and (t.category_id is null or t.category_id not in (select id from closed_categories))`,
  telling("topics", "private_message", "topics x where x.archetype = 'private_message'"),
  telling(
    "topics",
    "archetype_unknown",
    "topics x where x.archetype not in ('regular', 'private_message') or x.archetype is null"
  ),
  telling(
    "topics",
    "category_restricted",
    "topics x where x.archetype = 'regular' and x.category_id in (select id from closed_categories)"
  ),
  telling(
    "topics",
    "topic_without_posts",
    "topics x where x.archetype = 'regular' and x.id not in (select topic_id from first_posts)"
  ),
  telling(
    "topics",
    "first_post_missing",
    `topics x join shown_topics s on s.id = x.id join first_posts f on f.topic_id = x.id
    join posts p on p.id = f.post_id where p.post_number <> 1`
  ),
  telling(
    "topics",
    "closed",
    "topics x join shown_topics s on s.id = x.id where x.closed = 't' or x.archived = 't'"
  ),
  telling(
    "topics",
    "category_missing",
    `topics x join shown_topics s on s.id = x.id
    where x.category_id is not null and x.category_id not in (select id from categories)`
  ),
  telling(
    "posts",
    "topic_missing",
    "posts x where x.topic_id is null or x.topic_id not in (select id from topics)"
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
    "posts",
    "hidden",
    `posts x join shown_topics s on s.id = x.topic_id
    where x.hidden = 't' and x.post_type in (1, 2)`
  ),
  "create table if not exists shown_posts (id integer primary key, kind text, new_id text)",
  `insert or ignore into shown_posts select p.id,
      case when f.post_id = p.id then 'thread' else 'reply' end,
      case when f.post_id = p.id then new_id('topics', p.topic_id) else new_id('posts', p.id) end
    from posts p join shown_topics s on s.id = p.topic_id join first_posts f on f.topic_id = p.topic_id where ${written}`,
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
  telling("groups", "group_hidden", "groups x where x.automatic is not 't' and x.visibility_level > 0"),
  "create table if not exists owned_emails (id integer primary key)",
  `insert or ignore into owned_emails select id from (
    select e.id, row_number() over (partition by lower(e.email) order by u.active is not 't', u.id, e.id) as place
    from user_emails e join users u on u.id = e.user_id) where place = 1`,
  telling(
    "user_emails",
    "address_taken",
    "user_emails x join users u on u.id = x.user_id where x.id not in (select id from owned_emails)"
  ),
  telling("users", "silenced", "users x where x.silenced_till is not null")
]

export const prepareDiscourse = (scratch: Scratch, withRestricted: boolean) => {
  scratch.inTransaction(() => {
    for (const decision of decisions(withRestricted)) scratch.exec(decision)
    settleHandles(scratch, "users", "select id, username as name from users order by id <= 0, id")
  })
}

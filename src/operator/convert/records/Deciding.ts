/** Decides what of a forum is taken over, in tables beside those that were read. */
import type { Rule } from "../shared/Rules.ts"

/** Says of what a condition finds, as `x`, which rule it is left out or changed by. */
export const telling = (kind: string, rule: Rule, from: string) =>
  `insert or ignore into findings select '${kind}', x.id, '${rule}', '' from ${from}`

/** Conditions of SQL for what people wrote for everybody; the rest is a program's own, or private. */
interface Written {
  /** Of a topic `t`. */
  readonly topics: string
  /** Of a post `p`. */
  readonly posts: string
}

/** Which topics and posts are taken over, once `closed_categories` has those that are not. */
export const decideDiscussion = ({ posts, topics }: Written): ReadonlyArray<string> => [
  "create table if not exists first_posts (topic_id integer primary key, post_id integer)",
  `insert or ignore into first_posts select topic_id, id from (
    select p.topic_id, p.id, row_number() over (partition by p.topic_id order by p.post_number, p.id) as place
    from posts p where ${posts} and p.topic_id is not null) where place = 1`,
  "create table if not exists shown_topics (id integer primary key)",
  `insert or ignore into shown_topics select t.id from topics t join first_posts f on f.topic_id = t.id
    where ${topics} and (t.category_id is null or t.category_id not in (select id from closed_categories))`,
  telling(
    "topics",
    "category_restricted",
    `(select t.id from topics t where ${topics} and t.category_id in (select id from closed_categories)) x`
  ),
  telling(
    "topics",
    "topic_without_posts",
    `(select t.id from topics t where ${topics} and t.id not in (select topic_id from first_posts)) x`
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
  telling(
    "posts",
    "hidden",
    `(select p.id from posts p join shown_topics s on s.id = p.topic_id where p.hidden = 't' and ${posts}) x`
  ),
  "create table if not exists shown_posts (id integer primary key, kind text, new_id text)",
  `insert or ignore into shown_posts select p.id,
      case when f.post_id = p.id then 'thread' else 'reply' end,
      case when f.post_id = p.id then new_id('topics', p.topic_id) else new_id('posts', p.id) end
    from posts p join shown_topics s on s.id = p.topic_id join first_posts f on f.topic_id = p.topic_id where ${posts}`
]

/** Who has an address that several have, and which groups are nobody else's business. */
export const decidePeople: ReadonlyArray<string> = [
  telling("groups", "group_hidden", "groups x where x.automatic is not 't' and x.visibility_level > 0"),
  "create table if not exists owned_emails (id integer primary key)",
  `insert or ignore into owned_emails select id from (
    select e.id, row_number() over (partition by lower(e.email) order by u.active is not 't', u.id, e.id) as place
    from user_emails e join users u on u.id = e.user_id) where place = 1`,
  telling(
    "user_emails",
    "address_taken",
    "user_emails x join users u on u.id = x.user_id where x.id not in (select id from owned_emails)"
  )
]

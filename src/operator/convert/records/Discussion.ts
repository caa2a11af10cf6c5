/** Records of topics, posts and likes. */
import { slugWithin } from "../../../domain/shared/Slug.ts"
import { cutTo, existing, textOf, timesOf } from "../shared/Fields.ts"
import { timeOf } from "../shared/Ids.ts"
import type { Row, Scratch } from "../shared/Scratch.ts"
import type { Texts } from "../shared/Texts.ts"

/** The slug of a thread, which begins with its id. */
export const threadSlugOf = (id: unknown, title: unknown): string => {
  const end = slugWithin(textOf(title), 80)
  return end === "" ? textOf(id) : `${id}-${end}`
}

/** Who wrote something; an import puts a placeholder where nobody has the id. */
const author = (column: string) => `new_id('users', coalesce(${column}, 'deleted'))`

const visibilityOf = ({ hidden, visible }: Row) => {
  if (hidden === "t") return "review"
  if (visible === "draft") return "draft"
  return visible === "f" ? "unlisted" : "published"
}

const threadRows = `select new_id('topics', t.id) as new_id, t.id as old, t.title, t.created_at, max(t.created_at, coalesce(p.updated_at, '')) as updated_at,
    coalesce(t.deleted_at, p.deleted_at) as deleted_at, ${author("t.user_id")} as author_id, c.id as category,
    new_id('categories', c.id) as category_id, t.visible, p.hidden, t.pinned_at, t.pinned_globally, p.raw, p.id as post
  from shown_topics s join topics t on t.id = s.id join first_posts f on f.topic_id = t.id join posts p on p.id = f.post_id
    left join categories c on c.id = t.category_id order by 1`

export const threads = function* (scratch: Scratch, texts: Texts) {
  for (const row of scratch.each(threadRows)) {
    const title = cutTo(textOf(row.title), 255)
    const pinned = row.pinned_at === null ? 0 : 1
    const tags = scratch.all(
      "select distinct new_id('tags', tag_id) as id from topic_tags where topic_id = ? and tag_id in (select id from tags where name <> '') order by 1",
      Number(row.old)
    )
    yield existing({
      id: row.new_id,
      ...timesOf(row),
      deleted_at: timeOf(row.deleted_at),
      author_id: row.author_id,
      category_id: row.category_id ?? undefined,
      visibility: visibilityOf(row),
      pinned: pinned + (pinned === 1 && row.pinned_globally === "t" ? 1 : 0),
      title,
      slug: threadSlugOf(row.new_id, title),
      body: texts.htmlOf(row.raw, "posts", row.post),
      meta: {},
      tag_ids: tags.map(({ id }) => id)
    })
  }
}

const replyRows = `select s.new_id, p.id as old, p.created_at, p.updated_at, p.deleted_at, p.topic_id, new_id('topics', p.topic_id) as thread_id,
    ${author("p.user_id")} as author_id, p.hidden, p.raw, p.reply_to_post_number as target, p.post_number
  from shown_posts s join posts p on p.id = s.id where s.kind = 'reply'
  order by new_id('topics', p.topic_id), p.created_at, p.post_number, p.id`

const targetOf = (scratch: Scratch, { created_at, old, post_number, target, topic_id }: Row) => {
  if (target === null) return undefined
  const found = scratch.find(
    `select s.new_id as id from posts p join shown_posts s on s.id = p.id
      where p.topic_id = ? and p.post_number = ? and (s.kind = 'thread' or (p.created_at, p.post_number) < (?, ?)) limit 1`,
    Number(topic_id),
    Number(target),
    textOf(created_at),
    Number(post_number)
  )
  if (found === undefined) scratch.tell("posts", old, "reply_target_missing")
  return found?.id
}

export const replies = function* (scratch: Scratch, texts: Texts) {
  for (const row of scratch.each(replyRows))
    yield existing({
      id: row.new_id,
      ...timesOf(row),
      deleted_at: timeOf(row.deleted_at),
      thread_id: row.thread_id,
      reply_to_id: targetOf(scratch, row),
      author_id: row.author_id,
      visibility: visibilityOf(row),
      body: texts.htmlOf(row.raw, "posts", row.old),
      meta: {}
    })
}

const likeRows = `select new_id('post_actions', min(a.id)) as id, min(a.created_at) as created_at, s.new_id as post_id,
    new_id('users', a.user_id) as account_id
  from post_actions a join shown_posts s on s.id = a.post_id join users u on u.id = a.user_id
  where a.post_action_type_id = 2 and a.deleted_at is null group by a.post_id, a.user_id order by 1`

export const likes = function* (scratch: Scratch) {
  for (const { account_id, created_at, id, post_id } of scratch.each(likeRows))
    yield { id, created_at: timesOf({ created_at }).created_at, post_id, account_id }
}

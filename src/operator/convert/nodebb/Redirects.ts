/** Which addresses of a forum of NodeBB lead to what. */
import { slugWithin } from "../../../domain/shared/Slug.ts"
import { threadSlugOf } from "../records/Discussion.ts"
import { segment, textOf } from "../shared/Fields.ts"
import { noteRedirect } from "../shared/Redirects.ts"
import type { Scratch } from "../shared/Scratch.ts"

const topicRows = `select t.id, t.slug, t.title, new_id('topics', t.id) as new_id from shown_topics s join topics t on t.id = s.id`

const mergedRows = `select m.id, m.slug, t.title, new_id('topics', t.id) as new_id from topics m
  join shown_topics s on s.id = m.merged_into join topics t on t.id = s.id where m.id not in (select id from shown_topics)`

const postRows = `select p.id, p.post_number, t.id as topic, t.slug, t.title, s.new_id, s.kind, new_id('topics', t.id) as thread
  from shown_posts s join posts p on p.id = s.id join topics t on t.id = p.topic_id`

const personRows = `select u.id, u.username, u.userslug, h.handle, new_id('users', u.id) as new_id
  from users u join handles h on h.id = cast(u.id as text)`

const categoryRows = `select c.id, c.slug, l.slug as here, new_id('categories', c.id) as new_id from categories c
  join category_slugs l on l.id = c.id`

export const settleRedirects = (scratch: Scratch, prefix: string) => {
  const noteBelow = noteRedirect(scratch)
  // Without its slug, an address ends with "/" or has two of them: nobody has such a link.
  const note = (from: string, to: string, kind: string, id: unknown) => {
    if (!/\/(?:\/|$)/.test(from)) noteBelow(`${prefix}${from}`, to, kind, id)
  }
  for (const rows of [topicRows, mergedRows])
    for (const { id, new_id, slug, title } of scratch.each(rows)) {
      const to = `/t/${segment(threadSlugOf(new_id, title))}`
      for (const from of [`/topic/${id}/${textOf(slug)}`, `/topic/${id}`]) note(from, to, "threads", new_id)
    }
  for (const row of scratch.each(postRows)) {
    const thread = `/t/${segment(threadSlugOf(row.thread, row.title))}`
    const to = row.kind === "thread" ? thread : `${thread}#${row.new_id}`
    const kind = row.kind === "thread" ? "threads" : "replies"
    note(`/topic/${row.topic}/${textOf(row.slug)}/${row.post_number}`, to, kind, row.new_id)
    note(`/post/${row.id}`, to, kind, row.new_id)
  }
  for (const { handle, id, new_id, userslug } of scratch.each(personRows))
    for (const from of [`/user/${userslug}`, `/uid/${id}`])
      note(from, `/m/${segment(handle)}`, "accounts", new_id)
  for (const { here, id, new_id, slug } of scratch.each(categoryRows)) {
    for (const from of [`/category/${id}/${textOf(slug)}`, `/category/${id}`])
      note(from, `/d/${segment(here)}`, "categories", new_id)
  }
  for (const { id, name } of scratch.each("select new_id('tags', id) as id, name from tags"))
    note(`/tags/${name}`, `/tags/${segment(slugWithin(textOf(name), 100))}`, "tags", id)
}

/** Which addresses of a forum of Discourse lead to what. */
import { slugWithin } from "../../../domain/shared/Slug.ts"
import { threadSlugOf } from "../records/Discussion.ts"
import { segment, textOf } from "../shared/Fields.ts"
import { noteRedirect } from "../shared/Redirects.ts"
import type { Scratch } from "../shared/Scratch.ts"

const topicRows = `select t.id, t.slug, t.title, new_id('topics', t.id) as new_id from shown_topics s join topics t on t.id = s.id`

const replyRows = `select p.id, p.post_number, t.id as topic, t.slug, t.title, s.new_id, s.kind, new_id('topics', t.id) as thread
  from shown_posts s join posts p on p.id = s.id join topics t on t.id = p.topic_id`

const permalinkRows = `select l.*, t.title, new_id('topics', x.id) as thread, c.slug as category, u.handle
  from permalinks l left join shown_posts s on s.id = l.post_id left join posts p on p.id = s.id
    left join shown_topics x on x.id = coalesce(l.topic_id, p.topic_id) left join topics t on t.id = x.id
    left join category_slugs c on c.id = l.category_id
    left join handles u on u.id = cast(l.user_id as text)`

const slugIn = (slug: unknown) => textOf(slug) || "-"

export const settleRedirects = (scratch: Scratch) => {
  const note = noteRedirect(scratch)
  for (const { id, new_id, slug, title } of scratch.each(topicRows)) {
    const to = `/t/${segment(threadSlugOf(new_id, title))}`
    for (const from of [`/t/${slugIn(slug)}/${id}`, `/t/${id}`]) note(from, to, "threads", new_id)
  }
  for (const row of scratch.each(replyRows)) {
    const thread = `/t/${segment(threadSlugOf(row.thread, row.title))}`
    const to = row.kind === "thread" ? thread : `${thread}#${row.new_id}`
    const kind = row.kind === "thread" ? "threads" : "replies"
    note(`/t/${slugIn(row.slug)}/${row.topic}/${row.post_number}`, to, kind, row.new_id)
    note(`/p/${row.id}`, to, kind, row.new_id)
  }
  for (const { handle, id, username } of scratch.each(
    "select new_id('users', u.id) as id, u.username, h.handle from users u join handles h on h.id = cast(u.id as text)"
  ))
    for (const from of [`/u/${username}`, `/users/${username}`])
      note(from, `/m/${segment(handle)}`, "accounts", id)
  for (const { here, id, new_id, parent, slug } of scratch.each(
    `select c.id, c.slug, p.slug as parent, l.slug as here, new_id('categories', c.id) as new_id from categories c
      join category_slugs l on l.id = c.id left join categories p on p.id = c.parent_category_id where c.slug <> ''`
  )) {
    const to = `/d/${segment(here)}`
    note(`/c/${parent === null ? "" : `${parent}/`}${slug}/${id}`, to, "categories", new_id)
    note(`/c/${parent === null ? "" : `${parent}/`}${slug}`, to, "categories", new_id)
  }
  for (const { id, name } of scratch.each("select new_id('tags', id) as id, name from tags where name <> ''"))
    note(`/tag/${name}`, `/tags/${segment(slugWithin(textOf(name), 100))}`, "tags", id)
  for (const row of scratch.each(permalinkRows)) {
    const from = `/${textOf(row.url).replace(/^\/+/, "")}`
    if (row.thread !== null)
      note(from, `/t/${segment(threadSlugOf(row.thread, row.title))}`, "threads", row.thread)
    else if (row.category !== null)
      note(
        from,
        `/d/${segment(row.category)}`,
        "categories",
        scratch.find("select new_id('categories', ?) as id", Number(row.category_id))?.id
      )
    else if (row.handle !== null)
      note(
        from,
        `/m/${segment(row.handle)}`,
        "accounts",
        scratch.find("select new_id('users', ?) as id", Number(row.user_id))?.id
      )
    else scratch.tell("permalinks", row.id, "permalink_leads_nowhere", textOf(row.url))
  }
}

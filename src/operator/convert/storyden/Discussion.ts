/** Records of threads, replies, likes, reactions, collections and events. */
import { cutTo, existing } from "../shared/Fields.ts"
import { unknownTime } from "../shared/Ids.ts"
import { referring, tagIds } from "./People.ts"
import { Collection, Event, Item, Like, Reply, Thread } from "./Shapes.ts"
import type { Kept } from "./Storyden.ts"
import { kept } from "./Things.ts"
import { instantOf, madeAt, timesOf } from "./Values.ts"

export const threads = function* (found: Kept) {
  for (const { id, value } of kept(found.scratch, "threads", Thread))
    yield existing({
      id,
      ...timesOf(value),
      deleted_at: instantOf(value.deletedAt),
      author_id: value.author.id,
      category_id: referring(found, "categories", value.category?.id),
      link_id: referring(found, "links", value.link?.id),
      visibility: value.visibility,
      pinned: value.pinned ?? 0,
      title: cutTo(value.title, 255),
      slug: cutTo(value.slug, 255),
      body: value.body ?? "",
      meta: value.meta ?? {},
      tag_ids: tagIds(found, value.tags)
    })
}

const targetOf = (found: Kept, reply: typeof Reply.Type, thread: string) => {
  const target = reply.reply_to?.id
  if (target === undefined || target === thread) return target
  const known = found.scratch.find(
    "select 1 as found from things where kind = 'replies' and id = ? and parent = ?",
    target,
    thread
  )
  if (known === undefined) found.scratch.tell("replies", reply.id, "reply_target_missing")
  return known === undefined ? undefined : target
}

/** Thread by thread, in the order of the service, which is that in which they were made. */
export const replies = function* (found: Kept) {
  for (const { id, parent, value } of kept(found.scratch, "replies", Reply, "parent, place, id"))
    yield existing({
      id,
      ...timesOf(value),
      deleted_at: instantOf(value.deletedAt),
      thread_id: parent,
      reply_to_id: targetOf(found, value, parent),
      author_id: value.author.id,
      visibility: value.visibility,
      body: value.body ?? "",
      meta: value.meta ?? {}
    })
}

export const likes = function* (found: Kept) {
  for (const { id, parent, value } of kept(found.scratch, "likes", Like))
    yield {
      id,
      created_at: instantOf(value.created_at) ?? madeAt(id, unknownTime, found.readAt),
      post_id: parent,
      account_id: value.owner.id
    }
}

/** Reactions have no time but that of their ids. They are sorted by these in a table, as they are within posts. */
export const reactions = function* (found: Kept) {
  const { readAt, scratch } = found
  scratch.exec(
    "create table if not exists reacts (id text primary key, created_at text, post_id text, account_id text, emoji text) without rowid; delete from reacts"
  )
  for (const [kind, shape] of [
    ["threads", Thread],
    ["replies", Reply]
  ] as const)
    for (const { value } of kept<Pick<typeof Reply.Type, "createdAt" | "id" | "reacts">>(
      scratch,
      kind,
      shape
    ))
      for (const { author, emoji, id } of value.reacts ?? [])
        scratch.run(
          "insert or ignore into reacts values (?, ?, ?, ?, ?)",
          id,
          madeAt(id, timesOf(value).created_at, readAt),
          value.id,
          author.id,
          emoji
        )
  yield* scratch.each("select * from reacts order by id")
}

/** Answers have the id before the slug. */
const ownSlug = (id: string, slug: string) => (slug.startsWith(`${id}-`) ? slug.slice(id.length + 1) : slug)

export const collections = function* (found: Kept) {
  for (const { id, value } of kept(found.scratch, "collections", Collection))
    yield existing({
      id,
      ...timesOf(value),
      owner_id: value.owner.id,
      name: value.name,
      slug: cutTo(ownSlug(id, value.slug), 100),
      description: value.description ? cutTo(value.description, 2000) : undefined
    })
}

/** A service does not tell who added something: nobody is named. */
export const collectionItems = function* (found: Kept) {
  for (const { id, parent, value } of kept(found.scratch, "collection_items", Item, "new_id(kind, id)")) {
    const { kind, ref } = value.item
    if (
      kind !== "node" &&
      referring(found, "threads", ref.id) === undefined &&
      referring(found, "replies", ref.id) === undefined
    ) {
      found.scratch.tell("collection_items", id, "item_missing")
      continue
    }
    yield existing({
      id: found.scratch.find("select new_id('collection_items', ?) as id", id)?.id,
      collection_id: parent,
      added_at: instantOf(value.added_at) ?? unknownTime,
      membership_type: value.membership_type ?? "normal",
      post_id: kind === "node" ? undefined : ref.id,
      node_id: kind === "node" ? ref.id : undefined
    })
  }
}

export const events = function* (found: Kept) {
  for (const { id, value } of kept(found.scratch, "events", Event))
    yield existing({
      id,
      ...timesOf(value),
      deleted_at: instantOf(value.deletedAt),
      thread_id: value.thread.id,
      name: value.name,
      slug: value.slug,
      description: value.description ?? "",
      starts_at: instantOf(value.time_range.start) ?? unknownTime,
      ends_at: instantOf(value.time_range.end) ?? unknownTime,
      primary_image_id: referring(found, "files", value.primary_image?.id),
      policy: value.participation_policy ?? "open",
      visibility: value.visibility,
      location: value.location ?? undefined,
      capacity: value.capacity ?? undefined,
      meta: value.meta ?? {}
    })
}

/** A service does not tell since when: since the event is there. */
export const participants = function* (found: Kept) {
  for (const { id, value } of kept(found.scratch, "events", Event))
    for (const { profile, role, status } of (value.participants ?? []).toSorted((one, other) =>
      one.profile.id < other.profile.id ? -1 : 1
    )) {
      const { created_at } = timesOf(value)
      yield { event_id: id, account_id: profile.id, created_at, updated_at: created_at, role, status }
    }
}

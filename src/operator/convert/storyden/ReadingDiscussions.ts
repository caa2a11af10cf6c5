/** Reads threads, replies, likes, collections and events. */
import type { Wanting } from "./Assets.ts"
import { Collection, Event, Item, Items, Like, Likes, Named, Replies, Reply, Thread } from "./Shapes.ts"
import { eachThing, pagesOf, placeOf, type Walk, walkList } from "./Walking.ts"

const segment = encodeURIComponent

/** How often a thread is read of which replies went away while it was read. */
const readingsMax = 3

type Post = typeof Reply.Type | typeof Thread.Type

/** Notes what a post refers to: who likes it is asked for later. */
const noteParts = ({ things }: Walk, wanting: Wanting, post: Post) => {
  wanting.text(post.body)
  wanting.assets(post.assets)
  for (const { id } of post.body_links ?? []) things.expect("linked", id)
  if ("link" in post && post.link) things.expect("linked", post.link.id)
  if ((post.likes?.likes ?? 0) > 0) things.expect("liked", post.id)
}

/** The page of replies in a thread. */
const repliesIn = (answer: unknown): unknown =>
  typeof answer === "object" && answer !== null && "replies" in answer ? answer.replies : {}

const readThread = async (walk: Walk, wanting: Wanting, id: string): Promise<void> => {
  const { scratch, service, things } = walk
  for (let reading = 1; reading <= readingsMax; reading += 1) {
    let [seen, results] = [0, 0]
    for await (const { answer, page } of pagesOf(service, `/api/threads/${id}`, repliesIn)) {
      const thread = things.decode("threads", Thread, answer, id)
      const list = things.decode("threads", Replies, answer, id)?.replies
      if (thread === undefined || list === undefined) return
      const rows = list.replies ?? []
      scratch.inTransaction(() => {
        if (page === 1) {
          things.fill("threads", id, thread)
          noteParts(walk, wanting, thread)
        }
        for (const [index, row] of rows.entries()) {
          const reply = things.decode("replies", Reply, row)
          if (reply === undefined) continue
          things.keep("replies", reply.id, reply, { parent: id, place: placeOf(page, index) })
          noteParts(walk, wanting, reply)
        }
      })
      seen += rows.length
      results = list.results ?? 0
    }
    if (seen >= results) return
  }
  scratch.tell("threads", id, "changed_while_read")
}

const listThreads = (walk: Walk, name: string, query: string) =>
  walkList(walk, {
    name,
    isNeeded: true,
    path: `/api/threads?${query}`,
    rows: "threads",
    take: (row) => {
      const thread = walk.things.decode("threads", Named, row)
      return thread !== undefined && walk.things.expect("threads", thread.id)
    }
  })

const readEvents = async (walk: Walk, wanting: Wanting) => {
  const { service, things } = walk
  await walkList(walk, {
    name: "events",
    path: "/api/events",
    rows: "events",
    take: (row) => {
      const event = things.decode("events", Named, row)
      return event !== undefined && things.expect("events", event.id, { parent: event.slug ?? event.id })
    }
  })
  await eachThing(walk, "events", "events", async ({ id, parent }) => {
    const event = things.decode("events", Event, await service.json(`/api/events/${segment(parent)}`), id)
    if (event === undefined) return
    wanting.asset(event.primary_image)
    // It may be in no list of threads.
    things.expect("threads", event.thread.id)
    things.fill("events", id, event)
  })
}

/** Drafts are in lists of one author only. */
const listed = ["published", "unlisted", "review"].map((name) => `visibility=${name}`).join("&")

const readLikes = (walk: Walk) =>
  eachThing(walk, "liked", "likes", async ({ id }) => {
    const { scratch, service, things } = walk
    const answer = things.decode("likes", Likes, await service.json(`/api/likes/posts/${id}`), id)
    scratch.inTransaction(() => {
      for (const row of answer?.likes ?? []) {
        const like = things.decode("likes", Like, row)
        if (like !== undefined) things.keep("likes", like.id, like, { parent: id })
      }
    })
  })

const readCollections = async (walk: Walk) => {
  const { scratch, service, things } = walk
  await walkList(walk, {
    name: "collections",
    path: "/api/collections",
    rows: "collections",
    take: (row) => {
      const collection = things.decode("collections", Collection, row)
      return collection !== undefined && things.keep("collections", collection.id, collection)
    }
  })
  await eachThing(walk, "collections", "collections", async ({ id }) => {
    const answer = things.decode("collections", Items, await service.json(`/api/collections/${id}`), id)
    scratch.inTransaction(() => {
      for (const [place, row] of (answer?.items ?? []).entries()) {
        const item = things.decode("collection_items", Item, row, `${id} ${place}`)
        if (item !== undefined)
          things.keep("collection_items", `${id}/${item.item.ref.id}`, item, { parent: id, place })
      }
    })
  })
}

export const readDiscussions = async (walk: Walk, wanting: Wanting, handle: string) => {
  await readEvents(walk, wanting)
  await listThreads(walk, "threads", `ignore_pinned=true&${listed}`)
  await listThreads(walk, "own drafts", `visibility=draft&author=${segment(handle)}`)
  await eachThing(walk, "threads", "threads", ({ id }) => readThread(walk, wanting, id))
  await readLikes(walk)
  await readCollections(walk)
}

/** Feeds, whoever asks for them, against what guests read of each thing. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { entriesMax } from "../../../src/domain/feed/Feed.ts"
import { type Comparison, idsIn, isPublished, type Json, same, type View } from "./Reader.ts"

const sameInFeed = (actual: ReadonlyArray<string>, expected: ReadonlyArray<string>, about: string) => {
  if (expected.length <= entriesMax) return same(actual, expected, about)
  assert.lengthOf(actual, entriesMax, about)
  assert.includeMembers([...expected], [...actual], about)
}

/** The ids that the entries of a feed are named by. */
const entriesOf = Effect.fnUntraced(function* ({ person }: View, path: string, query = "") {
  const answer = yield* person.get(`/feeds${path}.json${query}`)
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.json.items.map(({ id }: Json) => String(id).split("/").at(-1))
})

/** Threads, all of them and those of a category, a tag and an author. */
export const threadFeeds: Comparison = Effect.fnUntraced(function* ({ everyone, view, world }) {
  const check = Effect.fnUntraced(function* (query: string, is: (thread: Json) => boolean) {
    const found = yield* entriesOf(view, "/threads", query)
    const about = `the feed ${query} as ${view.name}`
    sameInFeed(
      found,
      idsIn(everyone.threads, (thread) => isPublished(thread) && is(thread)),
      about
    )
  })
  yield* check("", () => true)
  for (const { slug } of world.categories)
    yield* check(`?category=${slug}`, ({ category }) => category?.slug === slug)
  for (const { id } of world.people) yield* check(`?author=${id}`, ({ author }) => author.id === id)
  for (const name of everyone.tags.keys()) {
    yield* check(`?tag=${name}`, ({ tags }) => tags.some((tag: Json) => tag.name === name))
  }
})

export const replyFeeds: Comparison = Effect.fnUntraced(function* ({ everyone, view, world }) {
  for (const id of world.threads) {
    const path = `/threads/${id}`
    const about = `${id} as ${view.name}`
    if (everyone.threads.has(id)) {
      const expected = idsIn(everyone.replies, ({ root_id }) => root_id === id)
      sameInFeed(yield* entriesOf(view, path), expected, about)
    } else {
      const { status } = yield* view.person.get(`/feeds${path}.json`)
      assert.include([403, 404], status, about)
    }
  }
})

export const libraryFeed: Comparison = Effect.fnUntraced(function* ({ everyone, view }) {
  sameInFeed(yield* entriesOf(view, "/library"), idsIn(everyone.nodes, isPublished), view.name)
})

export const calendarFeeds: Comparison = Effect.fnUntraced(function* ({ everyone, view, world }) {
  const answer = yield* view.person.get("/feeds/events.ics?from=1900-01-01T00:00:00Z")
  const found = [...answer.text.matchAll(/^UID:(\w+)@/gm)].map(([, id = ""]) => id)
  sameInFeed(found, idsIn(everyone.events), view.name)
  for (const id of world.events) {
    const { status } = yield* view.person.get(`/events/${id}.ics`)
    assert.strictEqual(status, everyone.events.has(id) ? 200 : 404, `${id} as ${view.name}`)
  }
})

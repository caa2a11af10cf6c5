/** How programs find the feeds of what they look at. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"

/** The addresses in a `Link` header, by their types. */
const linked = (header: string | undefined) =>
  Object.fromEntries(
    [...(header ?? "").matchAll(/<([^>]+)>; rel="alternate"; type="([^"]+)"/g)].map(
      ([, address = "", type = ""]) => [type, address]
    )
  )

layer(People.layer)("a list that can be followed", (it) => {
  it.effect("names its feeds, which are there", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* open(freya, "Found")
      const root = "http://forum.test/api/feeds"
      const feeds = (path: string, query = "") => ({
        "application/atom+xml": `${root}${path}.atom${query}`,
        "application/rss+xml": `${root}${path}.rss${query}`,
        "application/feed+json": `${root}${path}.json${query}`
      })
      for (const [list, expected] of [
        ["/threads", feeds("/threads")],
        ["/threads?author=freya", feeds("/threads", "?author=freya")],
        ["/threads?categories=null", feeds("/threads")],
        ["/threads?categories=a&categories=b", feeds("/threads")],
        ["/threads?categories=a%26b", feeds("/threads", "?category=a%26b")],
        ["/nodes", feeds("/library")],
        ["/nodes?format=flat", feeds("/library")],
        ["/events", { "text/calendar": `${root}/events.ics` }]
      ] as const) {
        for (const person of [guest, freya]) {
          const answer = yield* person.get(list)
          assert.strictEqual(answer.status, 200)
          assert.deepStrictEqual(linked(answer.headers.link), expected, list)
        }
        for (const [type, address] of Object.entries(expected)) {
          if (address.includes("%26")) continue
          const feed = yield* guest.get(address.slice("http://forum.test/api".length))
          assert.strictEqual(feed.status, 200, address)
          assert.strictEqual(feed.headers["content-type"], `${type}; charset=utf-8`)
        }
      }
    })
  )
})

/** How much the service reads and keeps because somebody links to it. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { LinkFetching } from "../../src/domain/link/LinkFetching.ts"
import { LinkStore } from "../../src/domain/link/LinkStore.ts"
import { copiedPerDay } from "../../src/domain/link/PictureCopier.ts"
import type { OutboundRequest } from "../../src/domain/outbound/Outbound.ts"
import { AssetId, LinkId } from "../../src/domain/shared/Id.ts"
import { Transaction } from "../../src/domain/storage/Transaction.ts"
import { ok } from "../support/answers.ts"
import { asset } from "../support/discussion.ts"
import { png } from "../support/files.ts"
import * as Pages from "../support/pages.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"

const mebibyte = 1024 * 1024

const fetchAll = Effect.flatMap(LinkFetching, ({ drain }) => drain)

const picture = (bytes: Uint8Array) => Pages.page("", { body: bytes })

/** A page on a host of this name, with an icon and a picture. */
const putPage = (name: string, bytes: Uint8Array) => {
  const url = `https://${name}.test/`
  Pages.put(url, Pages.page("<meta name=description content=Words><meta property=og:image content=/p.png>"))
  for (const path of ["favicon.ico", "p.png"]) Pages.put(`${url}${path}`, picture(bytes))
  return url
}

const add = (url: string) =>
  Effect.flatMap(Cast, ({ freya }) => Effect.map(freya.post("/links", { url, title: "Added" }), ok))

const assetsOf = (slug: string) =>
  Effect.flatMap(Cast, ({ freya }) => Effect.map(freya.get(`/links/${slug}`), (answer) => ok(answer).assets))

const counted = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{ readonly day: string; readonly bytes: number }>`select day::text, bytes::float8 as bytes
      from link_picture_totals`,
    (rows) => rows.map(({ bytes, day }) => [day, bytes])
  )
)

layer(People.layer)("a page and its pictures", (it) => {
  it.effect("keeps the pictures that it has, and gets those that it lacks", () =>
    Effect.gen(function* () {
      const store = yield* LinkStore
      const transaction = yield* Transaction
      const ids = ["asset000000000000010", "asset000000000000020"].map((id) => AssetId.make(id))
      for (const id of ids) yield* asset(id)
      const [favicon, picture] = ids
      const id = LinkId.make((yield* add("https://kept.test/")).id)
      const at = yield* DateTime.now
      yield* transaction(store.addPictures(id, { favicon, primaryImage: undefined }, at))
      yield* transaction(store.addPictures(id, { favicon: picture, primaryImage: picture }, at))
      yield* transaction(store.addPictures(id, { favicon: undefined, primaryImage: favicon }, at))
      assert.deepStrictEqual(yield* store.findPictures(id), { favicon, primaryImage: picture })
    })
  )

  it.effect("are asked for within limits of time, size and redirects", () =>
    Effect.gen(function* () {
      const requests: Array<OutboundRequest> = []
      const noting = (answer: ReturnType<typeof Pages.page>) => (request: OutboundRequest) => {
        requests.push(request)
        return answer
      }
      Pages.put("https://noted.test/", noting(Pages.page("<title>Page</title>")))
      Pages.put("https://noted.test/favicon.ico", noting(picture(png(1, 1))))
      yield* add("https://noted.test/")
      yield* fetchAll
      assert.deepStrictEqual(requests, [
        {
          url: "https://noted.test/",
          accept: "text/html, application/xhtml+xml;q=0.9",
          maxBytes: mebibyte,
          beyond: "cut",
          redirects: 5,
          within: "10 seconds"
        },
        {
          url: "https://noted.test/favicon.ico",
          accept: "image/*",
          maxBytes: 8 * mebibyte,
          beyond: "failure",
          redirects: 5,
          within: "30 seconds"
        }
      ])
    })
  )

  it.effect("are asked for two pictures at a time, of any number of pages", () =>
    Effect.gen(function* () {
      const began = yield* Queue.unbounded<string>()
      const release = yield* Deferred.make<void>()
      for (let n = 0; n < 5; n++) {
        const url = putPage(`parallel${n}`, png(1, 1))
        Pages.put(`${url}favicon.ico`, ({ url }) =>
          Queue.offer(began, url).pipe(
            Effect.andThen(Deferred.await(release)),
            Effect.andThen(picture(png(1, 1)))
          )
        )
        yield* add(url)
      }
      const fetching = yield* LinkFetching
      const worker = yield* Effect.forkChild(fetching.follow)
      yield* Queue.takeN(began, 2)
      // The texts of all five pages are there, and three of them wait for a place.
      const sql = yield* SqlClient.SqlClient
      yield* sql`select from links where slug like 'parallel%' and description = 'Words'`.pipe(
        Effect.repeat({ until: (rows) => rows.length === 5 })
      )
      yield* assetsOf("parallel0-test")
      assert.strictEqual(yield* Queue.size(began), 0)
      yield* Deferred.succeed(release, undefined)
      yield* Queue.takeN(began, 3)
      yield* Fiber.interrupt(worker)
    })
  )
})

layer(People.layer)("the pictures of one day", (it) => {
  it.effect("take so much together, and later pages have none until the next day", () =>
    Effect.gen(function* () {
      yield* Pages.clear
      const sql = yield* SqlClient.SqlClient
      yield* add(putPage("first", Buffer.concat([png(1, 1), Buffer.alloc(100_000)])))
      yield* add(putPage("second", png(1, 1)))
      yield* fetchAll
      // A short one counts as more than it has.
      assert.deepStrictEqual(yield* counted, [["1970-01-01", 2 * (100_000 + png(1, 1).length) + 2 * 65_536]])

      yield* sql`update link_picture_totals set bytes = ${copiedPerDay - 1}`
      yield* add(putPage("last", png(1, 1)))
      yield* fetchAll
      assert.strictEqual((yield* assetsOf("last-test")).length, 1)
      Pages.asked.length = 0
      yield* add(putPage("late", png(1, 1)))
      yield* fetchAll
      assert.deepStrictEqual(Pages.asked, ["https://late.test/"])
      assert.deepStrictEqual(yield* assetsOf("late-test"), [])

      yield* TestClock.adjust("1 day")
      yield* add("https://late.test/")
      yield* fetchAll
      assert.strictEqual((yield* assetsOf("late-test")).length, 2)
      assert.deepStrictEqual(yield* counted, [["1970-01-02", 2 * 65_536]])
    })
  )

  it.effect("do not count where they could not be stored", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const before = yield* counted
      yield* sql`create function refuse_asset() returns trigger language plpgsql as $$
        begin raise exception 'refused'; end $$`
      yield* sql`create trigger refuse before insert on assets for each row execute function refuse_asset()`
      yield* add(putPage("refused", png(1, 1)))
      yield* fetchAll
      assert.deepStrictEqual(yield* counted, before)
    })
  )
})

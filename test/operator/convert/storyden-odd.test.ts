/** Services that break off, ask to wait, change while they are read, or are none. */
import { existsSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { sourceKey } from "../../../src/operator/convert/storyden/Key.ts"
import { jsonMax, triesMax } from "../../../src/operator/convert/storyden/Service.ts"
import { storyden } from "../../../src/operator/convert/storyden/Storyden.ts"
import { OperatorFailure } from "../../../src/operator/OperatorFailure.ts"
import { directory } from "../import/inputs.ts"
import { convertFrom, recordsIn, rulesIn } from "./converting.ts"
import { type Answering, account, at, give, peer, post, xid } from "./storyden-peer.ts"

const key = Redacted.make("a-key")

const waits = () => {
  const told: Array<number> = []
  return {
    told,
    wait: (milliseconds: number) => {
      told.push(milliseconds)
      return Promise.resolve()
    }
  }
}

const convertPeer = Effect.fnUntraced(function* (paths: Readonly<Record<string, Answering>>) {
  const service = yield* peer(paths)
  const destination = join(yield* directory, "export")
  const { told, wait } = waits()
  const convert = convertFrom(storyden({ key, wait }), service.address, destination)
  return { ...service, destination, waited: told, convert }
})

const refusal = <A, E, R>(effect: Effect.Effect<A, E, R>, message: RegExp) =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.instanceOf(error, OperatorFailure)
    assert.match(error.message, message)
    assert.notInclude(error.message, Redacted.value(key))
  })

const oneThread = { "/api/threads": () => ({ threads: [post(10)] }) }

describe("what is no service that can be read", () => {
  it.effect("is refused with a reason", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [Readonly<Record<string, Answering>>, RegExp]> = [
        [{ "/api/info": () => undefined }, /is no such service/],
        [{ "/api/info": () => ({ other: 1 }) }, /is no such service/],
        [
          {
            "/api/info": (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>")
          },
          /answers no JSON/
        ],
        [{ "/api/accounts": (_, response) => give(response, 401) }, /key is not valid/],
        [{ "/api/accounts": (_, response) => give(response, 403) }, /does not say whose/],
        [{ "/api/accounts": () => account(2) }, /person-2, who is no administrator/],
        [
          {
            "/api/info": (_, response) =>
              give(response, 302, undefined, { location: "https://other.example/" })
          },
          /leads to another address \(https:\/\/other\.example\/\)/
        ],
        [{ "/api/admin/accounts": (_, response) => give(response, 403) }, /nothing to convert/],
        [{ "/api/threads": () => undefined }, /nothing to convert/]
      ]
      for (const [paths, message] of cases) {
        const { convert, destination } = yield* convertPeer(paths)
        yield* refusal(convert, message)
        assert.isFalse(existsSync(destination))
      }
    })
  )

  it.effect("is not even asked where its address is none", () =>
    Effect.gen(function* () {
      const root = yield* directory
      for (const address of [
        "forum",
        "ftp://forum.example",
        "https://me:secret@forum.example",
        "https://a.example/?q",
        "/tmp"
      ])
        yield* refusal(convertFrom(storyden({ key }), address, join(root, "x")), /address/)
    })
  )

  it.effect("gets the key at its own address only, of which /api may be a part", () =>
    Effect.gen(function* () {
      const keys: Array<string | undefined> = []
      const { address } = yield* peer({
        "/api/info": ({ key }) => {
          keys.push(key)
          return { title: "Here" }
        }
      })
      const destination = join(yield* directory, "export")
      yield* convertFrom(storyden({ key }), `${address}/api/`, destination)
      assert.deepStrictEqual(keys, ["Bearer a-key"])
    })
  )
})

describe("a service that cannot answer now", () => {
  it.effect("is asked again, not before it says", () =>
    Effect.gen(function* () {
      const { convert, destination, waited } = yield* convertPeer({
        ...oneThread,
        [`/api/threads/${xid(10)}`]: ({ time }, response) => {
          if (time === 1) give(response, 429, {}, { "retry-after": "77" })
          else if (time === 2) response.destroy()
          else if (time === 3) give(response, 503, {}, { "retry-after": "999999" })
          else if (time === 4)
            response.writeHead(200, { "content-type": "application/json" }).end('{"id":"cut')
          else if (time === 5)
            give(response, 429, {}, { "retry-after": new Date(Date.now() + 500_000).toUTCString() })
          else return { ...post(10), replies: { replies: [] } }
          return undefined
        }
      })
      yield* convert
      assert.lengthOf(yield* recordsIn(destination, "threads"), 1)
      assert.lengthOf(waited, 5)
      assert.deepStrictEqual([waited[0], waited[2]], [77_000, 3_600_000])
      assert.isBelow(waited[1] ?? 0, 31_000)
      // An instant, whose seconds are whole.
      assert.approximately(waited[4] ?? 0, 490_000, 11_000)
    })
  )

  it.effect("is left after some tries, and the same command goes on with the next page", () =>
    Effect.gen(function* () {
      let isDown = true
      const { asked, convert, destination, waited } = yield* convertPeer({
        "/api/threads": ({ page, path }, response) => {
          if (path.includes("draft")) return { threads: [] }
          if (page === 3 && isDown) return give(response, 502)
          return { results: 4, threads: [post(10 + page)], ...(page < 4 ? { next_page: page + 1 } : {}) }
        },
        ...Object.fromEntries(
          [11, 12, 13, 14].map((number) => [
            `/api/threads/${xid(number)}`,
            () => ({ ...post(number), replies: { replies: [] } })
          ])
        )
      })
      yield* refusal(convert, /does not answer: GET .* answers 502\. The same command goes on later/)
      assert.lengthOf(waited, triesMax - 1)
      isDown = false
      const before = asked.length
      yield* convert
      const later = asked
        .slice(before)
        .filter((path) => path.startsWith("/api/threads?") && !path.includes("draft"))
      // The last page that was read, those after it, and whether something came before.
      assert.deepStrictEqual(
        later.map((path) => new URL(path, "http://x").searchParams.get("page") ?? "1"),
        ["2", "3", "4", "1"]
      )
      assert.notInclude(asked.slice(before), "/api/roles?page=2")
      assert.lengthOf(yield* recordsIn(destination, "threads"), 4)
    })
  )
})

describe("a service that asks to wait", () => {
  it.effect("is not waited for without an end", () =>
    Effect.gen(function* () {
      const { convert, waited } = yield* convertPeer({
        "/api/roles": (_, response) => give(response, 429, {}, { "retry-after": "1" })
      })
      yield* refusal(
        convert,
        /does not answer: GET \/api\/roles answers 429\. The same command goes on later/
      )
      assert.lengthOf(waited, 999)
    })
  )
})

describe("people and places of a service", () => {
  it.effect("are what they can be here", () =>
    Effect.gen(function* () {
      const people = [
        account(1, { createdAt: "2024-05-06T07:08:09Z" }),
        account(2, { createdAt: "2023-01-01T00:00:00Z", admin: true }),
        account(3, { deletedAt: "2024-06-01T00:00:00Z" }),
        account(4, { createdAt: "2022-01-01T00:00:00Z" })
      ]
      interface Nested {
        readonly [key: string]: unknown
      }
      /** Categories that contain each other, too many times. */
      const nested = (depth: number): Nested => ({
        id: xid(100 + depth),
        createdAt: at,
        name: `Level ${depth}`,
        slug: `level-${depth}`,
        ...(depth < 60 ? { children: [nested(depth + 1)] } : {})
      })
      const item = (number: number, kind: string) => ({ item: { kind, ref: { id: xid(number) } } })
      const { convert, destination } = yield* convertPeer({
        "/api/admin/accounts": () => ({ results: people.length, accounts: people }),
        "/api/categories": () => ({ categories: [nested(1)] }),
        "/api/threads": () => ({ threads: [post(10), post(11)] }),
        [`/api/threads/${xid(10)}`]: () => ({ ...post(10), replies: { replies: [post(20)] } }),
        [`/api/threads/${xid(11)}`]: () => ({
          ...post(11),
          replies: {
            replies: [post(21, { reply_to: { id: xid(20) } }), post(22, { reply_to: { id: xid(21) } })]
          }
        }),
        "/api/collections": () => ({
          collections: [
            { id: xid(30), createdAt: at, name: "Kept", slug: `${xid(30)}-kept`, owner: { id: xid(1) } }
          ]
        }),
        [`/api/collections/${xid(30)}`]: () => ({
          items: [item(10, "thread"), item(22, "reply"), item(40, "thread"), item(41, "node")]
        })
      })
      yield* convert
      const accounts = yield* recordsIn(destination, "accounts")
      assert.deepStrictEqual(
        accounts.map(({ founder, handle, suspended_at }) => [handle, founder, suspended_at]),
        [
          ["person-1", false, undefined],
          ["person-2", true, undefined],
          ["person-3", false, "2024-06-01T00:00:00Z"],
          ["person-4", false, undefined]
        ]
      )
      const categories = yield* recordsIn(destination, "categories")
      assert.deepStrictEqual(
        categories.map(({ id, parent_id }) => [id, parent_id]),
        Array.from({ length: 50 }, (_, index) => [
          xid(101 + index),
          index === 0 ? undefined : xid(100 + index)
        ])
      )
      const replies = yield* recordsIn(destination, "replies")
      assert.deepStrictEqual(
        replies.map(({ id, reply_to_id }) => [id, reply_to_id]),
        [
          [xid(20), undefined],
          [xid(21), undefined],
          [xid(22), xid(21)]
        ]
      )
      assert.sameDeepMembers(
        (yield* recordsIn(destination, "collection_items")).map(({ node_id, post_id }) => [post_id, node_id]),
        [
          [xid(10), undefined],
          [xid(22), undefined],
          [undefined, xid(41)]
        ]
      )
      assert.deepInclude((yield* recordsIn(destination, "collections"))[0], { slug: "kept" })
      assert.includeMembers(
        [...(yield* rulesIn(destination))],
        [`collection_items ${xid(30)}/${xid(40)} item_missing`, `replies ${xid(21)} reply_target_missing`]
      )
    })
  )

  it.effect("have the files that texts show of the service, and none of another one", () =>
    Effect.gen(function* () {
      const shown = (base: string, number: number) => `<img src="${base}/api/assets/${xid(number)}-x.png">`
      const body = [
        shown("", 40),
        shown("https://web.example", 41),
        shown("https://api.example", 42),
        shown("https://other.example", 43),
        shown("https://web.example.other.example", 44)
      ].join("")
      const { asked, convert, destination } = yield* convertPeer({
        "/api/info": () => ({
          title: "Elsewhere",
          web_address: "https://web.example/",
          api_address: "https://api.example"
        }),
        "/api/threads": () => ({ threads: [post(10)] }),
        [`/api/threads/${xid(10)}`]: () => ({ ...post(10, { body }), replies: { replies: [] } })
      })
      yield* convert
      assert.deepStrictEqual(
        asked.filter((path) => path.startsWith("/api/assets/")).toSorted(),
        [40, 41, 42].map((number) => `/api/assets/${xid(number)}-x.png`)
      )
      assert.deepStrictEqual(
        (yield* recordsIn(destination, "assets")).map(({ id }) => id).toSorted(),
        [40, 41, 42].map(xid)
      )
    })
  )
})

describe("what changes while it is read", () => {
  it.effect("is read again: what moved to the beginning, and what moved up", () =>
    Effect.gen(function* () {
      const moved: Answering = ({ page, path, time }) => {
        if (path.includes("draft")) return { threads: [] }
        // While the first page is read, 13 moves from the last page to the first.
        const pages = time === 1 ? [[11], [12], [11]] : [[13], [11], [12]]
        return {
          results: 3,
          threads: (pages[page - 1] ?? []).map((number) => post(number)),
          ...(page < 3 ? { next_page: page + 1 } : {})
        }
      }
      const thread =
        (number: number): Answering =>
        () => ({ ...post(number), replies: { replies: [] } })
      const { convert, destination } = yield* convertPeer({
        "/api/threads": moved,
        ...Object.fromEntries([11, 12, 13].map((number) => [`/api/threads/${xid(number)}`, thread(number)]))
      })
      yield* convert
      assert.deepStrictEqual(
        (yield* recordsIn(destination, "threads")).map(({ id }) => id),
        [xid(11), xid(12), xid(13)]
      )
      assert.deepStrictEqual(yield* rulesIn(destination), [])
    })
  )

  it.effect("and never settles is named", () =>
    Effect.gen(function* () {
      const { asked, convert, destination } = yield* convertPeer({
        "/api/collections": () => ({ results: 9, collections: [] }),
        ...oneThread,
        [`/api/threads/${xid(10)}`]: () => ({ ...post(10), replies: { results: 2, replies: [post(20)] } })
      })
      yield* convert
      assert.deepStrictEqual(yield* rulesIn(destination), [
        "collections  changed_while_read",
        `threads ${xid(10)} changed_while_read`
      ])
      assert.lengthOf(
        asked.filter((path) => path === "/api/collections"),
        5
      )
      assert.lengthOf(yield* recordsIn(destination, "replies"), 1)
    })
  )

  it.effect("or is gone, or hidden, is left out by its rule", () =>
    Effect.gen(function* () {
      const file = `${xid(30)}-note.txt`
      const { convert, destination } = yield* convertPeer({
        "/api/threads": () => ({ threads: [post(10), post(11), post(12)] }),
        [`/api/threads/${xid(11)}`]: (_, response) => give(response, 403),
        [`/api/threads/${xid(12)}`]: () => ({
          ...post(12, { body: `<img src="/api/assets/${file}"><a href="/api/assets/odd.txt">x</a>` }),
          replies: {
            replies: [post(20, { reply_to: { id: xid(21) } }), { id: xid(22) }, post(23, { author: {} })]
          }
        }),
        "/api/events": (_, response) => give(response, 501)
      })
      yield* convert
      assert.deepStrictEqual(yield* rulesIn(destination), [
        "events  list_not_readable",
        `files ${xid(30)} file_missing`,
        `files ${xid(30)} gone_while_read`,
        "files odd.txt file_address_unknown",
        `replies ${xid(20)} reply_target_missing`,
        `replies ${xid(22)} answer_unreadable`,
        `replies ${xid(23)} answer_unreadable`,
        `threads ${xid(10)} gone_while_read`,
        `threads ${xid(11)} not_readable`
      ])
      const [asset] = yield* recordsIn(destination, "assets")
      assert.deepInclude(asset, { id: xid(30), filename: file, name: "note.txt", size: 0 })
      assert.notProperty(asset, "sha256")
    })
  )
})

describe("what a service may not do to who reads it", () => {
  it.effect("go in a circle, or answer without an end", () =>
    Effect.gen(function* () {
      const long = Buffer.alloc(1024 * 1024, " ")
      const { asked, convert, waited } = yield* convertPeer({
        "/api/links": ({ page }) => ({ links: [], next_page: page }),
        "/api/nodes": () => ({ nodes: [], next_page: 1 }),
        "/api/collections": (_, response) => {
          response.writeHead(200, { "content-type": "application/json" })
          for (let written = 0; written <= jsonMax; written += long.length) response.write(long)
          response.end()
        }
      })
      yield* convert
      assert.lengthOf(
        asked.filter((path) => path.startsWith("/api/links")),
        2
      )
      assert.lengthOf(
        asked.filter((path) => path === "/api/collections"),
        1
      )
      assert.deepStrictEqual(waited, [])
    })
  )
})

describe("the key", () => {
  it.effect("is in the environment or a file, and no argument", () =>
    Effect.gen(function* () {
      const file = join(yield* directory, "key")
      yield* Effect.promise(() => writeFile(file, "fpk_file\n"))
      const read = (path: string | undefined, environment: Readonly<Record<string, string>>) =>
        sourceKey(Option.fromNullishOr(path), environment)
      const variable = { FORUM_SOURCE_KEY: "fpk_variable" }
      assert.strictEqual(Redacted.value(yield* read(undefined, variable)), "fpk_variable")
      assert.strictEqual(Redacted.value(yield* read(file, variable)), "fpk_file")
      yield* refusal(read(undefined, {}), /FORUM_SOURCE_KEY/)
      yield* refusal(read(`${file}-none`, variable), /cannot be read/)
      for (const text of ["two\nlines", " ", "ümlaut", "x".repeat(5000)]) {
        yield* Effect.promise(() => writeFile(file, text))
        yield* refusal(read(file, {}), /has no access key/)
      }
    })
  )
})

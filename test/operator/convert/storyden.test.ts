/** What a service answers becomes an export, and that a forum which answers the same. */
import { createHash, randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { rules } from "../../../src/operator/convert/shared/Rules.ts"
import { storyden } from "../../../src/operator/convert/storyden/Storyden.ts"
import { freshDatabase } from "../../process/support.ts"
import { exportTo } from "../exports.ts"
import { directory, findingsOf, importFrom, rows } from "../import/inputs.ts"
import { convertFrom, recordsIn, rulesIn } from "./converting.ts"
import { asking, filledService, replyCount, serving } from "./storyden-fixture.ts"

type Json = Readonly<Record<string, unknown>>

/** What an answer has that depends on when it was read, or on replies that were deleted. */
const passing = ["read_status", "next_cursor"]

const withoutReading = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer), (name, value) => (passing.includes(name) ? undefined : value))

const byId = (records: ReadonlyArray<Json>) =>
  records.toSorted((one, other) => (String(one.id) < String(other.id) ? -1 : 1))

/** Records without some of their fields. */
const without = (records: ReadonlyArray<Json>, ...fields: ReadonlyArray<string>) =>
  records.map((record) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !fields.includes(name)))
  )

/** Signs somebody in who has no password yet. */
const enter = (url: string, accountId: string) =>
  Effect.gen(function* () {
    const token = randomBytes(32).toString("base64url")
    const hash = createHash("sha256").update(token).digest("hex")
    yield* rows(
      url,
      `insert into sessions values ('\\x${hash}', '${accountId}', now(), now() + interval '1 day')`
    )
    return token
  })

const converted = Effect.gen(function* () {
  const service = yield* filledService
  const root = yield* directory
  const destination = join(root, "converted")
  const summary = yield* convertFrom(storyden({ key: service.key }), service.address, destination)
  return { ...service, root, destination, summary }
})

describe("a running service", () => {
  it.effect("becomes what its own export has, as far as its answers tell", () =>
    Effect.gen(function* () {
      const { address, dataDir, destination, hers, root, summary, url } = yield* converted
      const own = join(root, "own")
      yield* exportTo({ DATABASE_URL: url, DATA_DIR: dataDir }, own, { withAddresses: true })
      const pair = (kind: string) =>
        Effect.all([recordsIn(destination, kind), recordsIn(own, kind)]).pipe(
          Effect.map(([made, exported]) => [byId(made), byId(exported)] as const)
        )
      // What no answer has: to the millisecond, of whom, since when, what others hide.
      for (const [kind, ...fields] of [
        ["links", "described_by", "created_at", "updated_at"],
        ["categories", "created_at", "updated_at"],
        ["nodes", "position", "created_at", "updated_at"],
        ["property_fields", "sort"],
        ["property_values"],
        ["likes", "created_at"],
        ["reactions", "created_at"],
        ["collections", "created_at", "updated_at"],
        ["collection_items", "id", "added_at", "added_by"],
        ["events", "created_at", "updated_at", "starts_at", "ends_at"],
        ["participants", "created_at", "updated_at"]
      ] as const) {
        const [made, exported] = yield* pair(kind)
        assert.isNotEmpty(made, kind)
        assert.sameDeepMembers(without(made, ...fields), without(exported, ...fields), kind)
      }
      const [roles, ownRoles] = yield* pair("roles")
      const custom = ownRoles.filter(({ built_in }) => built_in === false)
      assert.deepStrictEqual(
        without(roles, "created_at", "updated_at", "rank"),
        without(custom, "created_at", "updated_at", "rank")
      )
      const ranked = (list: ReadonlyArray<Json>) =>
        list.toSorted((one, other) => Number(one.rank) - Number(other.rank)).map(({ id }) => id)
      assert.deepStrictEqual(ranked(roles), ranked(custom))

      const [threads, ownThreads] = yield* pair("threads")
      const readable = ownThreads.filter(({ title }) => title !== "Her draft")
      assert.deepStrictEqual(
        without(threads, "created_at", "updated_at"),
        without(readable, "created_at", "updated_at")
      )
      const replies = yield* recordsIn(destination, "replies")
      const ownReplies = (yield* recordsIn(own, "replies")).filter(
        ({ deleted_at }) => deleted_at === undefined
      )
      assert.lengthOf(replies, replyCount - 1)
      assert.deepStrictEqual(
        without(replies, "created_at", "updated_at", "published_at", "told"),
        without(ownReplies, "created_at", "updated_at", "published_at", "told")
      )
      const [accounts, ownAccounts] = yield* pair("accounts")
      const notTold = [
        "created_at",
        "updated_at",
        "suspended_at",
        "avatar_id",
        "emails",
        "identities",
        "roles",
        "signs_in_by_email_since"
      ]
      assert.deepStrictEqual(without(accounts, ...notTold), without(ownAccounts, ...notTold))
      assert.deepStrictEqual(
        accounts
          .map(({ avatar_id, handle, suspended_at }) => [
            handle,
            avatar_id !== undefined,
            suspended_at !== undefined
          ])
          .toSorted(),
        [
          ["freya", false, false],
          ["loki", true, true],
          ["odin", false, false]
        ]
      )
      const held = (list: ReadonlyArray<Json>) =>
        list.map(({ roles }) =>
          (Array.isArray(roles) ? roles : []).map(({ badge, id }) => `${id} ${badge}`).toSorted()
        )
      assert.deepStrictEqual(held(accounts), held(ownAccounts))
      const spans = (list: ReadonlyArray<Json>) =>
        list.map(({ ends_at, starts_at }) => [Date.parse(String(starts_at)), Date.parse(String(ends_at))])
      const [events, ownEvents] = yield* pair("events")
      assert.deepStrictEqual(spans(events), spans(ownEvents))
      const [follows, ownFollows] = yield* pair("follows")
      assert.sameDeepMembers(without(follows, "id", "created_at"), without(ownFollows, "id", "created_at"))
      const [assets, ownAssets] = yield* pair("assets")
      const hashes = (list: ReadonlyArray<Json>) => list.map(({ sha256 }) => sha256).toSorted()
      assert.deepStrictEqual(hashes(assets), hashes(ownAssets))
      assert.strictEqual(summary.records.threads, 6)
      const told = yield* rulesIn(destination)
      for (const line of told) assert.property(rules, line.split(" ").at(-1) ?? "")
      assert.isFalse(existsSync(`${destination}.redirects.map`))
      assert.isFalse(existsSync(`${destination}.converting`))

      for (const [given, message] of [
        [hers, /freya, who is no administrator/],
        [Redacted.make("fpk_unknown"), /key is not valid/]
      ] as const) {
        const refused = yield* Effect.flip(
          convertFrom(storyden({ key: given }), address, join(root, "refused"))
        )
        assert.match(String(refused.message), message)
      }
    })
  )

  it.effect("is read again from a forum that imported it", () =>
    Effect.gen(function* () {
      const source = yield* converted
      const [url, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory])
      yield* importFrom({ DATABASE_URL: url, DATA_DIR: dataDir }, source.destination)
      const found = yield* findingsOf(source.destination)
      assert.deepStrictEqual(
        [...new Set(found.map((line) => line.replace(/ [0-9a-v]{20}/, "")))].toSorted(),
        ["roles left out not_exported"]
      )
      const pages = yield* Effect.promise(
        async (): Promise<ReadonlyArray<{ readonly slug: string }>> =>
          (await source.odin.ask("GET", "/nodes?format=flat&visibility=published&visibility=draft")).nodes
      )
      assert.isAbove(pages.length, 1)
      const port = yield* serving(url, dataDir)
      const token = yield* enter(url, source.freya.id)
      const admin = yield* enter(url, source.odin.id)
      const paths = [
        "/threads",
        `/threads/${source.slug}`,
        `/threads/${source.main}?page=2`,
        `/threads/${source.pinned}`,
        `/threads/${source.eventThread}`,
        `/likes/posts/${source.main}`,
        "/categories",
        "/tags",
        "/profiles/freya",
        "/profiles/freya/following",
        "/profiles/loki",
        "/collections",
        `/collections/${source.collection}`,
        "/events",
        `/events/${source.event}`,
        "/links",
        "/nodes",
        ...pages.map(({ slug }) => `/nodes/${slug}`)
      ]
      const asked = (at: number, cookie?: string) =>
        Effect.promise(async () => {
          const answers: Record<string, unknown> = {}
          for (const path of paths) {
            const answer = await asking(at, cookie)("GET", path).catch((error) =>
              String(error).replace(/"trace_id":"\w+"/, "")
            )
            answers[path] = withoutReading(answer)
          }
          return answers
        })
      const freyas = yield* enter(source.url, source.freya.id)
      const odins = yield* enter(source.url, source.odin.id)
      for (const [there, here] of [
        [undefined, undefined],
        [freyas, token],
        [odins, admin]
      ] as const)
        assert.deepStrictEqual(yield* asked(port, here), yield* asked(source.port, there))
    })
  )
})

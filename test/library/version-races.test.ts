/** Parallel requests about the draft of one page. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { NodeDraftExists, NodeNotFound } from "../../src/domain/library/Node.ts"
import { NodeVersionNotFound } from "../../src/domain/library/NodeVersion.ts"
import { VersionStore } from "../../src/domain/library/VersionStore.ts"
import { AccountId } from "../../src/domain/shared/Id.ts"
import { ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import { drainEvents, type Person, withCast } from "../support/people.ts"
import { assertProblem, problemOf } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import * as LibraryPeople from "./versionSupport.ts"
import {
  draft,
  field,
  read,
  Staff,
  tryApply,
  tryDraft,
  valuesOf,
  versionsPath,
  write
} from "./versionSupport.ts"

const atOnce = <A, E, R>(count: number, make: (n: number) => Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: count }, (_, n) => make(n)),
    { concurrency: "unbounded" }
  )

/** What must hold for the versions of every page, whatever happened. */
const assertSound = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql`select n.id from nodes n
      left join lateral (
        select count(*) filter (where status = 'draft') as drafts, count(ordinal) as applied, max(ordinal) as newest
        from node_versions where node_id = n.id
      ) v on true
      where v.drafts > 1 or v.applied <> coalesce(v.newest, 0) or n.current_version_id is not null and not exists (
        select from node_versions where id = n.current_version_id and node_id = n.id and status = 'applied')
      union all
      select c.account_id from node_draft_counts c where drafts <> (
        select count(*) from node_versions where author_id = c.account_id and status = 'draft')`,
    (rows) => assert.deepStrictEqual(rows, [])
  )
)

layer(LibraryPeople.layer)("parallel requests", (it) => {
  it.effect("create one draft of a page, whoever sends them", () =>
    Effect.gen(function* () {
      const { freya, mimir, odin } = yield* Staff
      const page = yield* write(odin, "Fifty")
      const people = [freya, mimir, odin]
      const answers = yield* atOnce(50, (n) => tryDraft(people[n % 3] ?? odin, page, { name: `By ${n}` }))
      const created = answers.filter(({ status }) => status === 200)
      assert.lengthOf(created, 1)
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        assertProblem(answer, NodeDraftExists, { node_id: page.id })
      }
      assert.strictEqual(ok(yield* odin.get(versionsPath(page, "/draft"))).id, created[0]?.json.id)
      yield* assertSound
    })
  )

  it.effect("apply, change and delete a draft one after the other", () =>
    Effect.gen(function* () {
      const { freya, mimir, odin } = yield* Staff
      const sql = yield* SqlClient.SqlClient
      for (let round = 0; round < 5; round++) {
        const { id: parent } = yield* write(odin, `Around ${round}`)
        const page = yield* write(odin, `Round ${round}`, { parent, properties: [field("a", "0")] })
        const before = yield* read(odin, page)
        const version = yield* draft(freya, page)
        const path = versionsPath({ ...page, slug: page.id }, `/${version.id}`)
        const requests: ReadonlyArray<(n: number) => ReturnType<Person["get"]>> = [
          () => tryApply(mimir, page, version),
          () => mimir.delete(path),
          (n) => freya.patch(path, { name: `Changed ${n}`, properties: [field("b", String(n))] }),
          (n) => freya.patch(path, { content: `<p>${n}</p>` })
        ]
        const answers = yield* atOnce(24, (n) => (requests[n % 4] ?? (() => odin.get(path)))(n))
        const ends = answers.filter(({ status }, n) => status === 200 && n % 4 < 2)
        assert.lengthOf(ends, 1, "a draft ends once")
        for (const answer of answers.filter(({ status }) => status !== 200)) {
          assert.oneOf(
            problemOf(answer),
            ["node-version-not-found", "node-version-applied", "node-version-not-draft"],
            answer.text
          )
        }
        const after = yield* read(odin, page)
        const [row] = yield* sql<{ readonly status: string }>`select status from node_versions
          where id = ${version.id}`
        if (row === undefined) assert.deepStrictEqual(after, before)
        else {
          const applied = ok(yield* odin.get(path))
          assert.deepStrictEqual(
            [row.status, after.current_version_id, after.name, after.content],
            ["applied", version.id, applied.name, applied.content]
          )
        }
        yield* assertSound
      }
    })
  )

  it.effect("change all of a draft that they name, and lose nothing", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const page = yield* write(odin, "Autosaved")
      yield* draft(freya, page)
      const keys = ["name", "slug", "description", "content"] as const
      const values = { name: "N", slug: "autosaved-s", description: "D", content: "<body><p>C</p></body>" }
      for (const answer of yield* atOnce(20, (n) => {
        const key = keys[n % 4] ?? "name"
        return freya.patch(versionsPath(page, "/draft"), { [key]: values[key] })
      })) {
        ok(answer)
      }
      const saved = ok(yield* freya.get(versionsPath(page, "/draft")))
      assert.deepStrictEqual({ ...saved, ...values }, saved)
    })
  )

  it.effect("change a page and create its draft one after the other", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      for (let round = 0; round < 10; round++) {
        const page = yield* write(odin, `Either ${round}`)
        const [changed, drafted] = yield* Effect.all(
          [odin.patch(`/nodes/${page.id}`, { name: "Changed" }), tryDraft(freya, page)],
          { concurrency: "unbounded" }
        )
        const { name } = ok(drafted)
        // A draft that came first kept the page as it was; one that came second has what the page became.
        assert.strictEqual(name, changed?.status === 200 ? "Changed" : page.name)
        if (changed?.status !== 200) assertProblem(changed, NodeDraftExists)
      }
    })
  )

  it.effect("apply drafts of siblings and change their fields without keeping each other waiting", () =>
    Effect.gen(function* () {
      const { freya, mimir, odin } = yield* Staff
      const parent = yield* write(odin, "Parent")
      const rows = yield* Effect.forEach([0, 1, 2, 3, 4, 5], (n) =>
        write(odin, `Child ${n}`, { parent: parent.id, properties: [field("a", String(n))] })
      )
      const drafts = yield* Effect.forEach(rows, (row, n) =>
        draft(freya, row, { properties: [field(`own ${n}`, "x")] })
      )
      const answers = yield* atOnce(18, (n) => {
        const [row, version] = [rows[n % 6], drafts[n % 6]]
        if (row === undefined || version === undefined) return odin.get("/nodes")
        if (n < 6) return tryApply(mimir, row, version)
        if (n < 12) return odin.patch(`/nodes/${row.id}`, { tags: [`t${n}`] })
        return odin.patch(`/nodes/${row.id}/position`, { before: rows[(n + 1) % 6]?.id })
      })
      for (const answer of answers) assert.notInclude([500, 503], answer.status, answer.text)
      yield* assertSound
    })
  )

  it.effect("about a page that is deleted meanwhile do not find it", () =>
    Effect.gen(function* () {
      const { freya, mimir, odin } = yield* Staff
      const sql = yield* SqlClient.SqlClient
      const page = yield* write(odin, "Vanishing")
      const other = yield* write(odin, "Vanishing too")
      const version = yield* draft(freya, page)
      const waiting = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`delete from nodes where id in (${page.id}, ${other.id})`
          const fibers = yield* Effect.forEach(
            [
              freya.patch(versionsPath(page, "/draft"), { name: "x" }),
              mimir.delete(versionsPath(page, `/${version.id}`)),
              tryDraft(freya, other)
            ],
            (request) => Effect.forkChild(request)
          )
          yield* untilWaiting(3)
          return fibers
        })
      )
      for (const fiber of waiting) assertProblem(yield* Fiber.join(fiber), NodeNotFound)
    })
  )

  it.effect("about a draft that is deleted meanwhile do not find it, and leave the page alone", () =>
    Effect.gen(function* () {
      const { freya, mimir, odin } = yield* Staff
      const sql = yield* SqlClient.SqlClient
      const page = yield* write(odin, "Withdrawn meanwhile")
      const before = yield* read(odin, page)
      const version = yield* draft(freya, page, { name: "Never" })
      const waiting = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select from nodes where id = ${page.id} for update`
          yield* sql`delete from node_versions where id = ${version.id}`
          const fibers = yield* Effect.forEach(
            [freya.patch(versionsPath(page, "/draft"), { name: "x" }), tryApply(mimir, page, version)],
            (request) => Effect.forkChild(request)
          )
          yield* untilWaiting(2)
          return fibers
        })
      )
      for (const fiber of waiting) assertProblem(yield* Fiber.join(fiber), NodeVersionNotFound)
      assert.deepStrictEqual(yield* read(odin, page), before)
    })
  )

  it.effect("move a page while its draft is applied", () =>
    Effect.gen(function* () {
      const { freya, mimir, odin } = yield* Staff
      const [from, to] = [yield* write(odin, "Left"), yield* write(odin, "Entered")]
      for (let round = 0; round < 5; round++) {
        const page = yield* write(odin, `Mover ${round}`, { parent: from.id, properties: [field("a", "1")] })
        const version = yield* draft(freya, page, { properties: [field(`b ${round}`, "2")] })
        const [moved, applied] = yield* Effect.all(
          [odin.patch(`/nodes/${page.id}`, { parent: to.id }), tryApply(mimir, page, version)],
          { concurrency: "unbounded" }
        )
        ok(moved)
        ok(applied)
        assert.include(valuesOf(yield* read(odin, page)), `b ${round}: 2`)
        yield* assertSound
      }
      yield* drainEvents
    })
  )

  it.effect("apply the draft of one page and of another to one slug: one gets it", () =>
    Effect.gen(function* () {
      const { freya, mimir, odin } = yield* Staff
      for (let round = 0; round < 5; round++) {
        const pages = yield* Effect.forEach([0, 1, 2, 3], (n) => write(odin, `Wants ${round} ${n}`))
        const drafts = yield* Effect.forEach(pages, (page) => draft(freya, page, { slug: `wanted-${round}` }))
        const answers = yield* atOnce(4, (n) => {
          const [page, version] = [pages[n], drafts[n]]
          return page === undefined || version === undefined
            ? odin.get("/nodes")
            : tryApply(mimir, page, version)
        })
        assert.lengthOf(
          answers.filter(({ status }) => status === 200),
          1
        )
        for (const answer of answers.filter(({ status }) => status !== 200)) {
          assert.strictEqual(problemOf(answer), "node-slug-taken")
        }
        yield* assertSound
      }
    })
  )
})

/** Whose draft there was when it was counted, if it is another one when it is read. */
let drafter: AccountId | undefined

const replaced = TestApp.storesBut(VersionStore, (usual) => ({
  ...usual,
  seen: (id) => Effect.map(usual.seen(id), (found) => (drafter === undefined ? found : { ...found, drafter }))
}))

layer(LibraryPeople.withStaff(withCast(TestApp.layerWhere({}, replaced))))("a draft", (it) => {
  it.effect("that takes the place of the reader's own while versions are listed is not shown", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Staff
      const page = yield* write(odin, "Replaced")
      const version = yield* draft(freya, page)
      drafter = AccountId.make(loki.id)
      assert.deepStrictEqual(ok(yield* loki.get(versionsPath(page))).versions, [])
      drafter = AccountId.make(freya.id)
      assert.strictEqual(ok(yield* freya.get(versionsPath(page))).versions[0].id, version.id)
      drafter = undefined
    })
  )
})

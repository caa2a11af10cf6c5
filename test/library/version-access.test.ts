/** Who may do what with versions: each role, each operation. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NodeNotFound } from "../../src/domain/library/Node.ts"
import { NodeVersionNotFound } from "../../src/domain/library/NodeVersion.ts"
import { AccountSuspended, Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { grant, guest, nobody, type Person, reinstate, signUp, suspend } from "../support/people.ts"
import { assertInvalid, assertProblem, problemOf } from "../support/problems.ts"
import * as LibraryPeople from "./versionSupport.ts"
import { apply, draft, read, Staff, tryApply, tryDraft, versionsPath, write } from "./versionSupport.ts"

const outcomeOf = (answer: { readonly status: number; readonly json: unknown }) =>
  answer.status === 200 ? "ok" : problemOf(answer as Parameters<typeof problemOf>[0])

layer(LibraryPeople.layer)("an operation on versions", (it) => {
  it.effect("allows each role what it may, on a page that all may read", () =>
    Effect.gen(function* () {
      const { freya, loki, mimir, odin } = yield* Staff
      const owner = yield* signUp("owner")
      const page = ok(yield* owner.post("/nodes", { name: "Owned" }))
      ok(yield* owner.patch(`/nodes/${page.id}/visibility`, { visibility: "published" }))
      const refused = [
        "forbidden",
        "node-version-not-found",
        "node-version-not-found",
        "node-version-not-found"
      ]
      const expected: ReadonlyArray<readonly [string, Person, ReadonlyArray<string>]> = [
        // Create; read, change and delete another's draft; apply it.
        [
          "a guest",
          guest,
          ["forbidden", "node-version-not-found", "unauthenticated", "unauthenticated", "unauthenticated"]
        ],
        ["a stranger", loki, [...refused, "forbidden"]],
        ["the owner of the page", owner, [...refused, "forbidden"]],
        ["another who proposes", freya, ["ok", ...refused.slice(1), "forbidden"]],
        ["a manager", mimir, ["ok", "ok", "ok", "ok", "ok"]],
        ["an administrator", odin, ["ok", "ok", "ok", "ok", "ok"]]
      ]
      const author = yield* signUp("drafter")
      yield* grant(author, "SUBMIT_LIBRARY_NODE_CHANGES")
      for (const [who, person, outcomes] of expected) {
        const created = yield* tryDraft(person, page)
        if (created.status === 200) ok(yield* odin.delete(versionsPath(page, `/${created.json.id}`)))
        const first = yield* draft(author, page)
        const reading = yield* person.get(versionsPath(page, `/${first.id}`))
        const drafted = yield* person.get(versionsPath(page, "/draft"))
        assert.strictEqual(outcomeOf(drafted), outcomeOf(reading), who)
        const changing = yield* person.patch(versionsPath(page, `/${first.id}`), { name: "Changed" })
        const saving = yield* person.patch(versionsPath(page, "/draft"), { name: "Changed" })
        assert.strictEqual(outcomeOf(saving), outcomeOf(changing), who)
        const applying = yield* tryApply(person, page, first)
        const second = applying.status === 200 ? yield* draft(author, page) : first
        const deleting = yield* person.delete(versionsPath(page, `/${second.id}`))
        assert.deepStrictEqual(
          [created, reading, changing, deleting, applying].map(outcomeOf),
          [...outcomes],
          who
        )
        if (deleting.status !== 200) ok(yield* author.delete(versionsPath(page, `/${second.id}`)))
      }
    })
  )

  it.effect("lets the author read, change and delete, and not apply", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const page = yield* write(odin, "Author")
      const before = yield* read(odin, page)
      const version = yield* draft(freya, page)
      ok(yield* freya.get(versionsPath(page, "/draft")))
      ok(yield* freya.patch(versionsPath(page, "/draft"), { name: "Mine" }))
      assertProblem(yield* tryApply(freya, page, version), Forbidden, { permission: "MANAGE_LIBRARY" })
      ok(yield* freya.delete(versionsPath(page, `/${version.id}`)))
      assert.deepStrictEqual(yield* read(odin, page), before)
    })
  )

  it.effect("that creates a draft refuses guests for want of a permission, and then of a session", () =>
    Effect.gen(function* () {
      const { odin } = yield* Staff
      const sql = yield* SqlClient.SqlClient
      const page = yield* write(odin, "By guests")
      const missing = { permission: "SUBMIT_LIBRARY_NODE_CHANGES" } as const
      for (const node of [page, { ...page, slug: "missing" }]) {
        assertProblem(yield* tryDraft(guest, node), Forbidden, missing)
        assertProblem(yield* tryDraft(guest, node, "junk"), Forbidden, missing)
      }
      for (const permission of ["SUBMIT_LIBRARY_NODE_CHANGES", "MANAGE_LIBRARY", "ADMINISTRATOR"]) {
        yield* sql`update roles set permissions = ${[permission, "READ_PUBLISHED_LIBRARY"]}::text[]
          where name = 'Guest'`
        assertProblem(yield* tryDraft(guest, page), Unauthenticated)
        assert.strictEqual((yield* guest.get(versionsPath(page))).status, 200)
      }
      yield* sql`update roles set permissions = '{READ_PUBLISHED_LIBRARY}' where name = 'Guest'`
    })
  )

  it.effect("refuses everybody else before it looks at the request, and before it looks for the page", () =>
    Effect.gen(function* () {
      const { loki } = yield* Staff
      const missing = `/nodes/missing/versions/${nobody}`
      for (const path of ["/nodes/missing/versions/draft", missing]) {
        assertProblem(yield* guest.patch(path, "junk"), Unauthenticated)
      }
      assertProblem(yield* guest.delete(missing), Unauthenticated)
      assertProblem(yield* guest.patch(`${missing}/status`, "junk"), Unauthenticated)
      assertProblem(yield* loki.patch(`${missing}/status`, "junk"), Forbidden)
      assertProblem(yield* loki.post("/nodes/missing/versions", "junk"), Forbidden, {
        permission: "SUBMIT_LIBRARY_NODE_CHANGES"
      })
    })
  )

  it.effect("does not find what is not there, whoever asks", () =>
    Effect.gen(function* () {
      const { freya, mimir, odin } = yield* Staff
      const page = yield* write(odin, "Without versions")
      const metadata = { node_slug: page.slug, version_id: "draft" }
      for (const person of [freya, mimir, odin]) {
        assertProblem(yield* person.get(versionsPath(page, "/draft")), NodeVersionNotFound, metadata)
        assertProblem(yield* person.patch(versionsPath(page, "/draft"), {}), NodeVersionNotFound, metadata)
        assertProblem(yield* person.post("/nodes/missing/versions", {}), NodeNotFound, {
          node_slug: "missing"
        })
        assertProblem(yield* person.patch("/nodes/missing/versions/draft", {}), NodeNotFound)
        assertProblem(yield* person.patch(`/nodes/missing/versions/${nobody}`, {}), NodeNotFound)
        assertProblem(yield* person.delete(`/nodes/missing/versions/${nobody}`), NodeNotFound)
      }
      assertProblem(yield* tryApply(mimir, { id: "missing", slug: "missing" }, { id: nobody }), NodeNotFound)
    })
  )

  it.effect("refuses an id that is none", () =>
    Effect.gen(function* () {
      const { odin } = yield* Staff
      const page = yield* write(odin, "Malformed")
      for (const id of ["x", "DRAFT", `${nobody}0`, "0000000000000000000w", `${nobody}-draft`]) {
        const path = versionsPath(page, `/${id}`)
        for (const answer of [
          yield* odin.get(path),
          yield* guest.get(path),
          yield* odin.patch(path, {}),
          yield* odin.delete(path),
          yield* odin.patch(`${path}/status`, { status: "applied" })
        ]) {
          assertInvalid(answer, "path version_id")
        }
      }
    })
  )

  it.effect("refuses suspended accounts, authors and managers alike", () =>
    Effect.gen(function* () {
      const { freya, mimir, odin } = yield* Staff
      const page = yield* write(odin, "Suspended")
      const version = yield* draft(freya, page)
      const path = versionsPath(page, `/${version.id}`)
      for (const person of [freya, mimir]) {
        yield* suspend(person)
        for (const answer of [
          yield* person.get("/nodes/drafts"),
          yield* person.get(versionsPath(page)),
          yield* tryDraft(person, page),
          yield* person.get(path),
          yield* person.patch(path, {}),
          yield* person.delete(path),
          yield* tryApply(person, page, version)
        ]) {
          assertProblem(answer, AccountSuspended)
        }
        yield* reinstate(person)
      }
      // What a suspended account has drafted can still be applied.
      yield* suspend(freya)
      yield* apply(mimir, page, version)
      yield* reinstate(freya)
    })
  )

  it.effect("gives nobody a copy of a page that they may not read", () =>
    Effect.gen(function* () {
      const { freya, mimir, odin } = yield* Staff
      for (const visibility of ["draft", "unlisted", "review"]) {
        const page = yield* write(odin, `Not for all ${visibility}`, {
          visibility,
          content: "<p>Secret.</p>"
        })
        assertProblem(yield* tryDraft(freya, page), NodeNotFound, { node_slug: page.slug })
        // Managers change what they may not read.
        const version = yield* draft(mimir, page)
        ok(yield* mimir.patch(versionsPath(page, "/draft"), { name: visibility }))
        // Their own draft is theirs; the page is not.
        assert.strictEqual(ok(yield* mimir.get(versionsPath(page, "/draft"))).id, version.id)
        assert.strictEqual((yield* mimir.get(versionsPath(page))).status, visibility === "review" ? 200 : 404)
        yield* apply(mimir, page, version)
        assert.strictEqual((yield* read(odin, page)).name, visibility)
      }
      const sql = yield* SqlClient.SqlClient
      const page = yield* write(odin, "Closed library")
      yield* sql`update roles set permissions = array_remove(permissions, 'READ_PUBLISHED_LIBRARY')
        where name in ('Member', 'Guest')`
      assertProblem(yield* tryDraft(freya, page), NodeNotFound)
      for (const person of [freya, guest]) {
        for (const path of ["", "/draft", `/${nobody}`]) {
          assertProblem(yield* person.get(versionsPath(page, path)), Forbidden, {
            permission: "READ_PUBLISHED_LIBRARY"
          })
        }
      }
      yield* sql`update roles set permissions = permissions || '{READ_PUBLISHED_LIBRARY}'
        where name in ('Member', 'Guest')`
    })
  )

  it.effect("lets owners draft changes of their own pages that nobody else reads", () =>
    Effect.gen(function* () {
      const { freya, mimir } = yield* Staff
      const page = ok(yield* freya.post("/nodes", { name: "Private", content: "<p>Private.</p>" }))
      const version = yield* draft(freya, page, { name: "Private still" })
      assert.strictEqual(ok(yield* freya.get(versionsPath(page, "/draft"))).id, version.id)
      assertProblem(yield* mimir.get(versionsPath(page, "/draft")), NodeNotFound)
      yield* apply(mimir, page, version)
      assert.strictEqual((yield* read(freya, page)).name, "Private still")
    })
  )
})

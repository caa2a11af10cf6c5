/** Reports. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import {
  ReportHandlerUnknown,
  ReportNotFound,
  ReportNotYours,
  TooManyReports,
  TooManyReportsOfTarget
} from "../../src/domain/report/Report.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, grant, guest, nobody, type Person, suspend } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { member } from "../support/roles.ts"
import { changeModeration } from "../support/settings.ts"
import { fill } from "./scenarios.ts"

/** What an account was told of since it last read everything. */
const told = Effect.fnUntraced(function* (person: Person) {
  yield* drainEvents
  const { notifications } = ok(yield* person.get("/notifications?status=unread"))
  const read = notifications.map(({ id }: { readonly id: string }) => ({ id, status: "read" }))
  ok(yield* person.patch("/notifications", { notifications: read }))
  return notifications.map(
    (one: {
      readonly event: string
      readonly source?: { readonly handle: string }
      readonly item?: { readonly kind: string; readonly ref: { readonly id: string } }
    }) => [one.event, one.source?.handle, one.item?.kind, one.item?.ref.id]
  )
})

layer(People.layer)("a report", (it) => {
  it.effect("shows what is reported, if the caller may read it", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const thread = yield* open(freya, "Thread")
      const answer = yield* reply(freya, thread.id, "Reply")
      const hidden = yield* open(freya, "Hidden", { visibility: "draft" })
      const page = ok(yield* odin.post("/nodes", { name: "Page", visibility: "published" }))
      const cases = [
        ["thread", thread.id, "post"],
        ["post", thread.id, "post"],
        ["reply", answer.id, "post"],
        ["node", page.id, "node"],
        ["post", hidden.id, undefined],
        ["profile", freya.id, "profile"],
        ["collection", nobody, undefined],
        ["event", nobody, undefined],
        ["node", nobody, undefined]
      ] as const
      for (const [target_kind, target_id, kind] of cases) {
        const created = ok(yield* loki.post("/reports", { target_id, target_kind, comment: " Why? " }))
        assert.deepStrictEqual(
          [
            created.target_id,
            created.target_kind,
            created.status,
            created.comment,
            created.reported_by.handle
          ],
          [target_id, target_kind, "submitted", " Why? ", "loki"]
        )
        assert.notProperty(created, "handled_by")
        assert.deepStrictEqual([created.item?.kind, created.item?.ref.id], [kind, kind && target_id])
      }
      // A moderator reads drafts as well, and the same report shows it.
      yield* grant(tyr, "MANAGE_REPORTS")
      const { reports } = ok(yield* tyr.get("/reports?kind=post"))
      assert.deepStrictEqual(
        reports.map((one: { readonly item?: { readonly ref: { readonly id: string } } }) => one.item?.ref.id),
        [hidden.id, thread.id]
      )
    })
  )

  it.effect("is refused without a target, and beyond a thousand open ones", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      assertInvalid(yield* loki.post("/reports", { target_kind: "post" }), "body target_id")
      assertInvalid(yield* loki.post("/reports", { target_id: "x", target_kind: "post" }), "body target_id")
      assertInvalid(yield* loki.post("/reports", { target_id: nobody, target_kind: "x" }), "body target_kind")
      assertInvalid(
        yield* loki.post("/reports", { target_id: nobody, target_kind: "post", comment: "x".repeat(2001) }),
        "body comment"
      )
      yield* fill(freya.id)
      const report = { target_id: nobody, target_kind: "post", comment: "  " }
      assertProblem(yield* freya.post("/reports", report), TooManyReports, { maximum: 1000 })
      const [one, two] = ok(yield* freya.get("/reports")).reports
      ok(yield* freya.patch(`/reports/${one.id}`, {}))
      assert.strictEqual(two.status, "submitted")
      const answers = yield* Effect.forEach([1, 2, 3, 4], () => freya.post("/reports", report), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409])
      assert.notProperty(answers.find(({ status }) => status === 200)?.json, "comment")
    })
  )

  it.effect("is listed to those who manage reports, and to who made it", () =>
    Effect.gen(function* () {
      const { loki, odin, tyr } = yield* Cast
      const mine = ok(yield* loki.get("/reports"))
      assert.deepStrictEqual([mine.page_size, mine.results, mine.total_pages], [10, 9, 1])
      const all = ok(yield* odin.get("/reports"))
      assert.deepStrictEqual([all.results, all.total_pages, all.next_page], [10, 101, 2])
      assert.strictEqual(ok(yield* tyr.get("/reports?page=101")).results, 10)
      assert.strictEqual(ok(yield* tyr.get("/reports?page=102")).results, 0)
      assert.strictEqual(ok(yield* loki.get("/reports?kind=node")).results, 2)
      assert.strictEqual(ok(yield* loki.get("/reports?status=resolved")).results, 0)
      assertInvalid(yield* loki.get("/reports?status=open"), "query status")
      assertInvalid(yield* loki.get("/reports?kind=person"), "query kind")
      const [last] = ok(yield* tyr.get("/reports?kind=event")).reports
      ok(yield* tyr.patch(`/reports/${last.id}`, { status: "acknowledged" }))
      assert.strictEqual(ok(yield* odin.get("/reports")).reports[0].id, last.id)
    })
  )

  it.effect("is changed by those who manage reports in any way, and by who made it to be resolved", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const { id } = ok(yield* loki.post("/reports", { target_id: freya.id, target_kind: "profile" }))
      const path = `/reports/${id}`
      for (const changes of [{ status: "resolved" }, {}]) {
        assertProblem(yield* freya.patch(path, changes), ReportNotYours)
      }
      for (const changes of [
        { status: "acknowledged" },
        { status: "submitted" },
        { status: "resolved", handled_by: loki.id },
        { handled_by: loki.id }
      ]) {
        assertProblem(yield* loki.patch(path, changes), ReportNotYours)
      }
      const after = (person: Person, changes: object) =>
        Effect.map(person.patch(path, changes), (answer) => {
          const { handled_by, status } = ok(answer)
          return [status, handled_by?.handle]
        })
      assert.deepStrictEqual(yield* after(tyr, {}), ["submitted", undefined])
      assert.deepStrictEqual(yield* after(tyr, { handled_by: odin.id }), ["submitted", "odin"])
      assert.deepStrictEqual(yield* after(tyr, { status: "resolved" }), ["resolved", "tyr"])
      assert.deepStrictEqual(yield* after(odin, { status: "submitted", handled_by: tyr.id }), [
        "submitted",
        "tyr"
      ])
      assert.deepStrictEqual(yield* after(loki, {}), ["resolved", "tyr"])
      assertProblem(yield* tyr.patch(path, { handled_by: nobody }), ReportHandlerUnknown, {
        handled_by: nobody
      })
      assertInvalid(yield* tyr.patch(path, { handled_by: "x" }), "body handled_by")
      assertInvalid(yield* tyr.patch(path, { status: "closed" }), "body status")
      assertProblem(yield* tyr.patch(`/reports/${nobody}`, {}), ReportNotFound)
      assertProblem(yield* tyr.patch("/reports/x", {}), ReportNotFound)
      assertProblem(yield* guest.patch("/reports/x", {}), Unauthenticated)
    })
  )
})

layer(People.layer)("the notifications of a report", (it) => {
  it.effect("go to those who manage reports, and to who made it", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const suspended = yield* People.signUp("suspended")
      for (const person of [tyr, suspended]) yield* grant(person, "MANAGE_REPORTS")
      yield* suspend(suspended)
      const thread = yield* open(freya, "Thread")
      const { id } = ok(yield* loki.post("/reports", { target_id: thread.id, target_kind: "thread" }))
      const submitted = [["report_submitted", "loki", "post", thread.id]]
      assert.deepStrictEqual(yield* told(odin), submitted)
      assert.deepStrictEqual(yield* told(tyr), submitted)
      assert.deepStrictEqual(yield* told(loki), [])
      assert.deepStrictEqual(yield* told(freya), [])

      // Staff stay anonymous.
      ok(yield* tyr.patch(`/reports/${id}`, { status: "acknowledged" }))
      assert.deepStrictEqual(yield* told(loki), [["report_updated", undefined, undefined, undefined]])
      assert.deepStrictEqual(yield* told(odin), [])

      ok(yield* loki.patch(`/reports/${id}`, { status: "resolved" }))
      assert.deepStrictEqual(yield* told(tyr), [["report_updated", "loki", undefined, undefined]])
      assert.deepStrictEqual(yield* told(loki), [])
      assert.strictEqual((yield* told(odin)).length, 1)

      // Nothing was changed, whatever was sent.
      const before = ok(yield* loki.get("/reports")).reports
      for (const changes of [{}, { handled_by: tyr.id }, { status: "resolved" }]) {
        ok(yield* tyr.patch(`/reports/${id}`, changes))
      }
      ok(yield* loki.patch(`/reports/${id}`, { status: "resolved" }))
      ok(yield* loki.patch(`/reports/${id}`, {}))
      for (const person of [loki, odin, tyr]) assert.deepStrictEqual(yield* told(person), [])
      assert.deepStrictEqual(ok(yield* loki.get("/reports")).reports, before)
      // Another one deals with it now.
      ok(yield* odin.patch(`/reports/${id}`, { status: "resolved" }))
      assert.deepStrictEqual(yield* told(loki), [["report_updated", undefined, undefined, undefined]])

      // A manager who reports something is one of those who manage reports.
      ok(yield* tyr.post("/reports", { target_id: freya.id, target_kind: "profile" }))
      assert.deepStrictEqual(yield* told(tyr), [["report_submitted", "tyr", "profile", freya.id]])
      yield* People.reinstate(suspended)
      assert.deepStrictEqual(yield* told(suspended), [])
    })
  )

  it.effect("reach everyone who manages reports, and show what each of them may read", () =>
    Effect.gen(function* () {
      const { freya, odin, tyr } = yield* Cast
      const clerk = yield* People.signUp("clerk")
      yield* grant(clerk, "MANAGE_REPORTS")
      yield* told(tyr)
      const draft = yield* open(freya, "Draft", { visibility: "draft" })
      const gone = yield* open(freya, "Gone")
      ok(yield* freya.delete(`/threads/${gone.slug}`))
      const own = ok(yield* tyr.post("/nodes", { name: "Own", visibility: "draft" }))
      const cases = [
        ["post", draft.id, undefined, "post"],
        ["thread", gone.id, undefined, undefined],
        ["reply", nobody, undefined, undefined],
        ["node", own.id, undefined, "node"],
        ["node", draft.id, undefined, undefined],
        ["profile", freya.id, "profile", "profile"],
        ["profile", nobody, undefined, undefined],
        ["collection", nobody, undefined, undefined]
      ] as const
      for (const [target_kind, target_id, ofClerk, ofTyr] of cases) {
        const { id } = ok(yield* freya.post("/reports", { target_id, target_kind }))
        for (const [person, kind] of [
          [clerk, ofClerk],
          [tyr, ofTyr]
        ] as const) {
          assert.deepStrictEqual(
            yield* told(person),
            [["report_submitted", "freya", kind, kind && target_id]],
            `${target_kind} ${target_id}`
          )
        }
        ok(yield* odin.patch(`/reports/${id}`, { status: "resolved" }))
      }
      assert.strictEqual(ok(yield* clerk.get("/notifications")).notifications.length, cases.length)
    })
  )

  it.effect("go to all members while all members manage reports", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const report = (id: string) => freya.post("/reports", { target_id: id, target_kind: "profile" })
      const members = [freya, loki, odin]
      for (const person of members) yield* told(person)
      const manage = (...more: ReadonlyArray<string>) =>
        Effect.map(odin.patch(`/roles/${member.id}`, { permissions: [...member.permissions, ...more] }), ok)
      yield* manage("MANAGE_REPORTS")
      ok(yield* report(loki.id))
      for (const person of members) {
        assert.deepStrictEqual(yield* told(person), [["report_submitted", "freya", "profile", loki.id]])
      }
      yield* manage()
      ok(yield* report(odin.id))
      const counts = yield* Effect.forEach(members, (person) =>
        Effect.map(told(person), (found) => found.length)
      )
      assert.deepStrictEqual(counts, [0, 0, 1])
    })
  )

  it.effect("are gone while their receiver may not read any more what they show", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const [clerk, witness] = [yield* People.signUp("second"), yield* People.signUp("witness")]
      const role = yield* grant(clerk, "MANAGE_REPORTS")
      const thread = yield* open(freya, "Soon hidden")
      ok(yield* witness.post("/reports", { target_id: thread.id, target_kind: "thread" }))
      ok(yield* witness.post("/reports", { target_id: freya.id, target_kind: "profile" }))
      yield* drainEvents
      const seen = Effect.gen(function* () {
        const { notifications, results } = ok(yield* clerk.get("/notifications"))
        assert.strictEqual(results, notifications.length)
        assert.strictEqual(ok(yield* clerk.get("/accounts")).notifications, notifications.length)
        return notifications.map(({ item }: { readonly item: { readonly kind: string } }) => item.kind)
      })
      assert.deepStrictEqual(yield* seen, ["profile", "post"])
      ok(yield* freya.patch(`/threads/${thread.slug}`, { visibility: "draft" }))
      assert.deepStrictEqual(yield* seen, ["profile"])
      const { permissions } = ok(yield* odin.get(`/roles/${member.id}`))
      ok(
        yield* odin.patch(`/roles/${member.id}`, {
          permissions: permissions.filter((one: string) => one !== "READ_PROFILE")
        })
      )
      assert.deepStrictEqual(yield* seen, [])
      yield* sql`update roles set permissions = '{MANAGE_REPORTS,MANAGE_POSTS,READ_PROFILE}' where id = ${role}`
      assert.deepStrictEqual(yield* seen, ["profile", "post"])
      ok(yield* odin.patch(`/roles/${member.id}`, { permissions }))
    })
  )

  it.effect("show a profile to those who may read profiles, and to whose it is", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const reader = yield* People.signUp("reader")
      yield* grant(reader, "MANAGE_REPORTS")
      yield* told(odin)
      const report = (target_id: string) => loki.post("/reports", { target_id, target_kind: "profile" })
      for (const target of [freya.id, reader.id]) ok(yield* report(target))
      const about = (...targets: ReadonlyArray<string>) =>
        targets.map((target) => ["report_submitted", "loki", "profile", target])
      const unread = Effect.map(reader.get("/accounts"), (answer) => ok(answer).notifications)
      yield* drainEvents
      yield* sql`update roles set permissions = array_remove(permissions, 'READ_PROFILE') where name = 'Member'`
      assert.strictEqual(yield* unread, 1)
      assert.deepStrictEqual(yield* told(reader), about(reader.id))
      assert.strictEqual(yield* unread, 0)
      yield* sql`update roles set permissions = permissions || '{READ_PROFILE}' where name = 'Member'`
      assert.strictEqual(yield* unread, 1)
      assert.deepStrictEqual(yield* told(reader), about(freya.id))
      assert.deepStrictEqual(yield* told(odin), about(reader.id, freya.id))
    })
  )
})

layer(People.layer)("the notifications of reports of the same thing", (it) => {
  it.effect("are one for an account and what it reports, until that is resolved", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const thread = yield* open(freya, "Reported at length")
      const kinds = ["thread", "post", "reply"]
      const report = (by: Person, n: number) =>
        by.post("/reports", { target_id: thread.id, target_kind: kinds[n % 3], comment: `${n}` })
      yield* told(odin)
      const answers = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, n) => n),
        (n) => report(loki, n),
        { concurrency: "unbounded" }
      )
      const [made, refused] = [200, 409].map((status) => answers.filter((one) => one.status === status))
      assert.deepStrictEqual([made?.length, refused?.length], [20, 30])
      for (const answer of refused ?? []) assertProblem(answer, TooManyReportsOfTarget, { maximum: 20 })
      assert.deepStrictEqual(yield* told(odin), [["report_submitted", "loki", "post", thread.id]])
      // Others report it, and the same account something else.
      ok(yield* report(freya, 0))
      ok(yield* loki.post("/reports", { target_id: freya.id, target_kind: "profile" }))
      assert.strictEqual((yield* told(odin)).length, 2)

      const reports = yield* Effect.forEach([1, 2, 3], (page) =>
        Effect.map(loki.get(`/reports?page=${page}&status=submitted`), (answer) => ok(answer).reports)
      )
      const ofThread = reports.flat().filter((one) => one.target_id === thread.id)
      assert.strictEqual(ofThread.length, 20)
      for (const { id } of ofThread) ok(yield* loki.patch(`/reports/${id}`, {}))
      assert.deepStrictEqual(yield* told(odin), [["report_updated", "loki", undefined, undefined]])
      ok(yield* report(loki, 0))
      assert.deepStrictEqual(yield* told(odin), [["report_submitted", "loki", "post", thread.id]])
    })
  )

  it.effect("are counted with what other instances write meanwhile", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const begun = yield* Deferred.make<void>()
      const report = loki.post("/reports", { target_id: nobody, target_kind: "node" })
      for (const _ of Array.from({ length: 19 })) ok(yield* report)
      const last = yield* Effect.forkChild(Effect.andThen(Deferred.await(begun), report))
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`insert into reports (id, created_at, updated_at, target_id, target_kind, reported_by)
            values ('elsewhere', now(), now(), ${nobody}, 'node', ${loki.id})`
          yield* Deferred.succeed(begun, undefined)
          yield* untilWaiting(1)
        })
      )
      assertProblem(yield* Fiber.join(last), TooManyReportsOfTarget, { maximum: 20 })
    })
  )
})

layer(People.layer)("a post that moderation holds", (it) => {
  it.effect("is reported by the service, once", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* changeModeration({ word_report_list: ["dubious"] })
      const thread = yield* open(freya, "A dubious thread")
      assert.strictEqual(thread.visibility, "review")
      const fine = yield* open(freya, "Fine")
      const answer = yield* reply(freya, fine.id, "A dubious reply")
      yield* drainEvents
      yield* drainEvents
      const { reports } = ok(yield* odin.get("/reports"))
      assert.deepStrictEqual(
        reports
          .map((one: Record<string, unknown>) => [one.target_kind, one.target_id, one.reported_by])
          .sort(),
        [
          ["reply", answer.id, undefined],
          ["thread", thread.id, undefined]
        ].sort()
      )
      assert.include(reports[0].comment, "dubious")
      assert.strictEqual(reports[0].item.kind, "post")
      const all = yield* told(odin)
      assert.deepStrictEqual(
        all.map(([event, source]: ReadonlyArray<unknown>) => [event, source]),
        [
          ["report_submitted", undefined],
          ["report_submitted", undefined]
        ]
      )
      // Whoever edits what is held over and over tells staff nothing new, and fills no list.
      for (const n of Array.from({ length: 25 }, (_, n) => n)) {
        ok(yield* freya.patch(`/posts/${answer.id}`, { body: `Dubious ${n}` }))
      }
      assert.deepStrictEqual(yield* told(odin), [])
      const again = ok(yield* odin.get("/reports?kind=reply"))
      assert.deepStrictEqual([again.total_pages, again.results], [2, 10])
      // Whoever made no report resolves none.
      assertProblem(yield* freya.patch(`/reports/${reports[0].id}`, {}), ReportNotYours)
      ok(yield* odin.patch(`/reports/${reports[0].id}`, { status: "resolved" }))
      assert.deepStrictEqual(yield* told(freya), [])
    })
  )
})

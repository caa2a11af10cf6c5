/** Erasing accounts: what goes, what stays as of nobody, and who may take it back. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountNotFound, HandleTaken } from "../../src/domain/account/Account.ts"
import { attemptsMax } from "../../src/domain/authentication/Attempt.ts"
import { SignInNotRecent } from "../../src/domain/authentication/OwnerProof.ts"
import { PasswordNotSet, PasswordWrong, TooManyAttempts } from "../../src/domain/authentication/Password.ts"
import { ErasureBegun, ErasureNotFound, ErasureOfSelf, nobody } from "../../src/domain/erasure/Erasure.ts"
import { LastAdministrator } from "../../src/domain/role/RoleRefusal.ts"
import { CookieRequired, Forbidden } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { announce, takePart } from "../support/calendar.ts"
import { category, miscountedAuthors, open, reply } from "../support/discussion.ts"
import { addressOf, confirm, emailMember } from "../support/emails.ts"
import { download, png, upload } from "../support/files.ts"
import { createKey, permission } from "../support/keys.ts"
import { Mailbox } from "../support/mailbox.ts"
import * as People from "../support/people.ts"
import {
  Cast,
  drainEvents,
  grant,
  guest,
  password,
  removePassword,
  signIn,
  signUp
} from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { ask, columnsWith, goOn, order, ownPath, pathOf, untilErased } from "./support.ts"

layer(People.layer)("the erasure of an account", (it) => {
  it.effect(
    "is asked for with the password, or soon after signing in, and told by mail and notification",
    () =>
      Effect.gen(function* () {
        const mailbox = yield* Mailbox
        const { loki, odin } = yield* Cast
        const hel = yield* emailMember("hel")
        yield* confirm(addressOf("hel"))
        const answer = yield* ask(hel, true)
        assert.deepStrictEqual(answer, {
          requested_at: "1970-01-01T00:00:00.000Z",
          erased_at: "1970-01-08T00:00:00.000Z",
          keep_posts: true,
          begun: false
        })
        const mail = yield* mailbox.mailTo(addressOf("hel"))
        assert.include(mail.subject, "will be erased")
        assert.include(mail.text, "hel")
        assert.include(mail.text, "1970-01-08")
        yield* drainEvents
        const { notifications } = ok(yield* hel.get("/notifications"))
        assert.strictEqual(notifications[0].event, "account_erasure_requested")
        assert.deepStrictEqual(ok(yield* hel.get(ownPath)), answer)
        assert.deepStrictEqual(ok(yield* odin.get(pathOf(hel))), answer)
        // Said again, it keeps its time, and there is no other mail.
        yield* mailbox.clear
        yield* TestClock.adjust("1 hour")
        assertProblem(yield* hel.post(ownPath, { keep_posts: false }), SignInNotRecent)
        assertProblem(yield* hel.post(ownPath, { keep_posts: false, password: "wrong" }), PasswordWrong)
        assert.deepStrictEqual(yield* ask(hel, false), { ...answer, keep_posts: false })
        yield* mailbox.deliver
        assert.deepStrictEqual(mailbox.received, [])
        // Who signs in again needs no password.
        const again = People.personIn(yield* signIn("loki"))
        assertProblem(yield* loki.post(ownPath, { keep_posts: true }), SignInNotRecent)
        ok(yield* again.post(ownPath, { keep_posts: true }))
        yield* removePassword(loki)
        assertProblem(yield* loki.post(ownPath, { keep_posts: true, password }), PasswordNotSet)
        assert.strictEqual((yield* loki.delete(ownPath)).status, 204)
        assertProblem(yield* loki.get(ownPath), ErasureNotFound)
        assertProblem(yield* loki.delete(ownPath), ErasureNotFound)
        assertInvalid(yield* loki.post(ownPath, {}), "body keep_posts")
        assertInvalid(
          yield* loki.post(ownPath, { keep_posts: true, password: "x".repeat(10_001) }),
          "body password"
        )
        const { events } = ok(yield* odin.get("/admin/audit-events?types=account_erasure_requested"))
        assert.deepInclude(events.at(-1), {
          account_id: hel.id,
          erased_at: "1970-01-08T00:00:00.000Z",
          keep_posts: true
        })
        yield* grant(hel, permission)
        const key = yield* createKey(hel)
        const program = People.personByKey(key.secret, hel.id)
        assertProblem(yield* program.post(ownPath, { keep_posts: true, password }), CookieRequired)
      })
  )

  it.effect("is ordered by administrators, for others than themselves, and taken back by both", () =>
    Effect.gen(function* () {
      const { freya, odin, tyr } = yield* Cast
      assertProblem(yield* tyr.post(pathOf(freya), { keep_posts: true }), Forbidden)
      assertProblem(yield* odin.post(pathOf(odin), { keep_posts: true }), ErasureOfSelf)
      for (const id of [People.nobody, nobody]) {
        assertProblem(yield* odin.post(pathOf({ id }), { keep_posts: true }), AccountNotFound, {
          account: id
        })
      }
      assertProblem(yield* odin.get(pathOf(freya)), ErasureNotFound)
      assertProblem(yield* odin.delete(pathOf(freya)), ErasureNotFound)
      const answer = ok(yield* odin.post(pathOf(freya), { keep_posts: false }))
      assert.deepStrictEqual(ok(yield* freya.get(ownPath)), answer)
      assert.strictEqual((yield* freya.delete(ownPath)).status, 204)
      ok(yield* odin.post(pathOf(freya), { keep_posts: false }))
      assert.strictEqual((yield* odin.delete(pathOf(freya))).status, 204)
      yield* TestClock.adjust("8 days")
      yield* goOn
      ok(yield* freya.get("/accounts"))
      assertProblem(yield* odin.post(ownPath, { keep_posts: true, password }), LastAdministrator)
      const deputy = yield* signUp("deputy")
      yield* grant(deputy, "ADMINISTRATOR")
      assertProblem(yield* deputy.post(pathOf(odin), { keep_posts: true }), LastAdministrator)
    })
  )

  it.effect("is not asked for by whoever guesses the password", () =>
    Effect.gen(function* () {
      const mani = yield* signUp("mani")
      for (let tries = 0; tries < attemptsMax.own; tries++) {
        assertProblem(yield* mani.post(ownPath, { keep_posts: true, password: "not this" }), PasswordWrong)
      }
      const refused = yield* mani.post(ownPath, { keep_posts: true, password })
      assertProblem(refused, TooManyAttempts, { retry_after: 900 })
      assertProblem(yield* mani.get(ownPath), ErasureNotFound)
    })
  )

  it.effect(
    "begins when its time has come, ends every credential at once, and is then past taking back",
    () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        const hod = yield* signUp("hod")
        yield* grant(hod, permission)
        const { secret } = yield* createKey(hod)
        const program = People.personByKey(secret, hod.id)
        yield* ask(hod, true)
        yield* TestClock.adjust("167 hours")
        yield* goOn
        ok(yield* hod.get("/accounts"))
        yield* TestClock.adjust("1 hour")
        yield* goOn
        assert.strictEqual((yield* hod.get("/accounts")).status, 403)
        assert.strictEqual((yield* program.get("/accounts")).status, 403)
        assert.strictEqual((yield* signIn("hod")).status, 403)
        assertProblem(yield* odin.delete(pathOf(hod)), ErasureBegun)
        assertProblem(yield* odin.post(pathOf(hod), { keep_posts: false }), ErasureBegun)
        assert.isTrue(ok(yield* odin.get(pathOf(hod))).begun)
        assert.deepStrictEqual(yield* untilErased, [])
        assertProblem(yield* odin.get(pathOf(hod)), ErasureNotFound)
        assertProblem(yield* odin.delete(pathOf(hod)), ErasureNotFound)
        assert.strictEqual((yield* hod.get("/accounts")).status, 401)
        assert.deepStrictEqual(yield* columnsWith(hod.id), [])
        assert.deepStrictEqual(yield* columnsWith("hod"), [])
      })
  )

  it.effect("waits for another administrator where the account is the last one by then", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sif = yield* signUp("sif")
      const sql = yield* SqlClient.SqlClient
      yield* sql`update accounts set admin = true where id = ${sif.id}`
      yield* ask(sif, true)
      yield* People.suspend(odin)
      yield* TestClock.adjust("7 days")
      yield* goOn
      ok(yield* sif.get("/accounts"))
      yield* People.reinstate(odin)
      yield* goOn
      ok(yield* sif.get("/accounts"))
      yield* TestClock.adjust("1 day")
      yield* goOn
      assert.strictEqual((yield* sif.get("/accounts")).status, 403)
      assert.deepStrictEqual(yield* untilErased, [])
      assert.deepStrictEqual(yield* columnsWith(sif.id), [])
    })
  )

  it.effect("leaves what others can read as of nobody, if it is to stay", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const gefjon = yield* signUp("gefjon")
      const place = yield* category(odin, "Kept")
      const file = yield* upload(gefjon, png(2, 2), { filename: "shown.png" })
      const unseen = yield* upload(gefjon, png(3, 3), { filename: "unseen.png" })
      const thread = yield* open(gefjon, "Of Gefjon", {
        category: place.id,
        body: `<p>kept <img src="${file.path}"></p>`
      })
      const draft = yield* open(gefjon, "Unfinished plan", { visibility: "draft", category: place.id })
      const others = yield* open(loki, "Of Loki", { category: place.id, body: "<p>theirs</p>" })
      yield* reply(gefjon, others.id, "<p>kept as well</p>")
      const gone = yield* reply(gefjon, others.id, "<p>taken back</p>")
      ok(yield* gefjon.delete(`/posts/${gone.id}`))
      const mentioning = yield* reply(
        loki,
        others.id,
        `<p>Ask <a href="sdr:profile/${gefjon.id}">@gefjon</a>, says @gefjonette</p>`
      )
      for (const post of [thread.id, mentioning.id]) {
        ok(yield* loki.put(`/likes/posts/${post}`))
        ok(yield* gefjon.put(`/likes/posts/${post}`))
      }
      ok(yield* gefjon.post("/collections", { name: "Private things" }))
      const event = yield* announce(odin, place.id, "Feast")
      ok(yield* takePart(gefjon, event.id, gefjon))
      const own = yield* announce(odin, place.id, "Hosted")
      ok(yield* takePart(odin, own.id, gefjon, { role: "host" }))
      const page = ok(
        yield* odin.post("/nodes", {
          name: "Page",
          content: `<p>By <a href="sdr:profile/${gefjon.id}">@Gefjon</a></p>`,
          visibility: "published"
        })
      )
      ok(yield* odin.patch("/accounts", { bio: `<p>knows <a href="sdr:profile/${gefjon.id}">her</a></p>` }))
      yield* drainEvents
      yield* order(odin, gefjon, true)
      assert.deepStrictEqual(yield* untilErased, [])

      const kept = ok(yield* guest.get(`/threads/${thread.slug}`))
      assert.deepInclude(kept.author, { id: nobody, handle: "deleted-account", name: "Deleted account" })
      assert.include(kept.body, "kept")
      assert.strictEqual(kept.likes.likes, 1)
      const theirs = ok(yield* guest.get(`/threads/${others.slug}`))
      assert.deepStrictEqual(
        theirs.replies.replies.map(({ author, body }: Record<"author" | "body", { id: string }>) => [
          author.id,
          body
        ]),
        [
          [nobody, "<body><p>kept as well</p></body>"],
          [loki.id, "<body><p>Ask @deleted-account, says @gefjonette</p></body>"]
        ]
      )
      assert.include(ok(yield* guest.get(`/nodes/${page.slug}`)).content, "<p>By @deleted-account</p>")
      assert.include(ok(yield* odin.get("/accounts")).bio, "<p>knows her</p>")
      assert.strictEqual((yield* download(file.path)).status, 200)
      assert.strictEqual((yield* download(unseen.path)).status, 404)
      assert.strictEqual((yield* odin.get(`/threads/${draft.slug}`)).status, 404)
      const found = ok(yield* guest.get("/datagraph?q=kept"))
      assert.isAbove(found.results, 0)
      const hosted = ok(yield* odin.get(`/events/${own.slug}`))
      assert.include(
        hosted.participants.map(({ profile, role }: never) => `${(profile as { id: string }).id} ${role}`),
        `${nobody} host`
      )
      // What is counted is as if it were counted anew.
      assert.deepStrictEqual(yield* miscountedAuthors, [])
      assert.deepStrictEqual(yield* sql`select like_score from account_counts where account_id = ${nobody}`, [
        { like_score: 1 }
      ])
      assert.deepStrictEqual(
        yield* sql`select thread_id, replies from thread_participants where account_id = ${nobody}`,
        [{ thread_id: others.id, replies: 1 }]
      )
      assert.strictEqual((yield* loki.delete(`/likes/posts/${thread.id}`)).status, 200)
      for (const text of [gefjon.id, "Unfinished plan", "taken back", "Private things", unseen.id]) {
        assert.deepStrictEqual(yield* columnsWith(text), [], text)
      }
      assert.deepStrictEqual(yield* columnsWith("@gefjon,"), [])
      assertProblem(
        yield* guest.post("/auth/password/signup", { identifier: "Gefjon", token: password }),
        HandleTaken,
        { handle: "gefjon" }
      )
      const { events } = ok(yield* odin.get("/admin/audit-events?types=account_erased"))
      assert.deepInclude(events[0], { type: "account_erased", keep_posts: true })
      assert.notProperty(events[0], "account_id")
      const { events: requested } = ok(yield* odin.get("/admin/audit-events?types=account_erasure_requested"))
      assert.strictEqual(requested[0].account_id, nobody)
    })
  )

  it.effect("removes everything the account made, if nothing is to stay", () =>
    Effect.gen(function* () {
      const { odin, tyr } = yield* Cast
      const place = yield* category(odin, "Gone")
      const bragi = yield* signUp("bragi")
      const thread = yield* open(bragi, "Saga of Bragi", { category: place.id, body: "<p>verses</p>" })
      const others = yield* open(tyr, "Of Tyr", { category: place.id })
      const answer = yield* reply(bragi, others.id, "<p>more verses</p>")
      yield* reply(tyr, others.id, "<p>an answer</p>", { reply_to: answer.id })
      const { id } = ok(
        yield* bragi.post("/reports", {
          target_id: others.id,
          target_kind: "thread",
          comment: "He is Bragi's rival"
        })
      )
      ok(yield* odin.post(`/accounts/${bragi.id}/warnings`, { reason: "Bragi sings too loud" }))
      yield* drainEvents
      yield* order(odin, bragi, false)
      assert.deepStrictEqual(yield* untilErased, [])
      assert.strictEqual((yield* guest.get(`/threads/${thread.slug}`)).status, 404)
      const { replies } = ok(yield* guest.get(`/threads/${others.slug}`))
      assert.deepStrictEqual(
        replies.replies.map(({ body }: { readonly body: string }) => body),
        ["<body><p>an answer</p></body>"]
      )
      assert.notProperty(
        ok(yield* odin.get(`/reports`)).reports.find((one: { id: string }) => one.id === id),
        "comment"
      )
      for (const text of [bragi.id, "verses", "Saga", "rival", "too loud", "bragi"]) {
        assert.deepStrictEqual(yield* columnsWith(text), [], text)
      }
    })
  )

  it.effect("keeps the handle from others for a year", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const vidar = yield* signUp("vidar")
      yield* order(odin, vidar, true)
      assert.deepStrictEqual(yield* untilErased, [])
      const again = guest.post("/auth/password/signup", { identifier: "vidar", token: password })
      assertProblem(yield* again, HandleTaken, { handle: "vidar" })
      yield* TestClock.adjust("364 days")
      yield* goOn
      assertProblem(yield* again, HandleTaken, { handle: "vidar" })
      yield* TestClock.adjust("2 days")
      yield* goOn
      ok(yield* again)
    })
  )
})

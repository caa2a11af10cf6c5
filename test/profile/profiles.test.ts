/** What a profile shows, to whom, and when it changes. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountNotFound } from "../../src/domain/account/Account.ts"
import { AccountSuspended, Forbidden } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import { etagOf, ifNoneMatch } from "../support/etags.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, reinstate, signUp, suspend } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { held, member } from "../support/roles.ts"

const profileOf = (handle: string) => Effect.map(guest.get(`/profiles/${handle}`), ok)

layer(People.layer)("a profile", (it) => {
  it.effect("has every field, and the same for guests, members and its owner", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const hel = yield* signUp("hel")
      assert.deepStrictEqual(yield* profileOf("hel"), {
        id: hel.id,
        createdAt: "1970-01-01T00:00:00.000Z",
        updatedAt: "1970-01-01T00:00:00.000Z",
        joined: "1970-01-01T00:00:00.000Z",
        misc: {},
        handle: "hel",
        name: "hel",
        roles: [held(member)],
        bio: "<body></body>",
        followers: 0,
        following: 0,
        like_score: 0,
        interests: [],
        links: [],
        meta: {}
      })
      yield* TestClock.adjust("1 minute")
      const role = yield* grant(hel, "MANAGE_POSTS")
      const meta = { deep: { list: [1, { x: null }] } }
      const links = [{ text: "Hall", url: "https://hall.example/" }]
      const changes = { name: "Hel of Hel", bio: "<p>Cold</p>", signature: "Bye", links, meta }
      ok(yield* hel.patch("/accounts", { ...changes, interests: ["Ice", "cold rooms"] }))
      ok(yield* freya.put("/profiles/hel/followers"))
      ok(yield* hel.put("/profiles/freya/followers"))
      ok(yield* hel.put("/profiles/loki/followers"))
      const sql = yield* SqlClient.SqlClient
      yield* sql`update account_roles set badge = true where account_id = ${hel.id}`
      const profile = yield* profileOf("hel")
      const { roles, ...rest } = profile
      assert.deepStrictEqual(rest, {
        id: hel.id,
        createdAt: "1970-01-01T00:00:00.000Z",
        updatedAt: "1970-01-01T00:01:00.000Z",
        joined: "1970-01-01T00:00:00.000Z",
        misc: {},
        handle: "hel",
        name: "Hel of Hel",
        bio: "<body><p>Cold</p></body>",
        signature: "<body>Bye</body>",
        followers: 1,
        following: 2,
        like_score: 0,
        interests: [
          { name: "cold-rooms", colour: rest.interests[0].colour, item_count: 0 },
          { name: "ice", colour: rest.interests[1].colour, item_count: 0 }
        ],
        links,
        meta
      })
      assert.deepStrictEqual(
        roles.map(({ badge, id, permissions }: (typeof roles)[number]) => ({ badge, id, permissions })),
        [
          { id: role, badge: true, permissions: ["MANAGE_POSTS"] },
          { id: member.id, badge: false, permissions: member.permissions }
        ]
      )
      const { roles: ofAccount } = ok(yield* hel.get("/accounts"))
      assert.deepStrictEqual(roles, ofAccount)
      for (const reader of [hel, freya, loki]) {
        assert.deepStrictEqual(ok(yield* reader.get("/profiles/hel")), profile)
      }
      const [listed] = ok(yield* guest.get("/profiles?q=hel")).profiles
      assert.deepStrictEqual(listed, profile)
    })
  )

  it.effect("is found by handle, in any spelling of it, and by id", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const profile = yield* profileOf("odin")
      assert.strictEqual(profile.id, odin.id)
      assert.deepStrictEqual(
        profile.roles.map(({ name }: { readonly name: string }) => name),
        ["Admin", "Member"]
      )
      for (const handle of ["ODIN", "%D0%BEdin", odin.id]) {
        assert.deepStrictEqual(yield* profileOf(handle), profile, handle)
      }
      for (const handle of ["odi", "odin2", nobody, "%20odin", "0", "%00", "漢", `${odin.id}0`]) {
        const answer = yield* guest.get(`/profiles/${handle}`)
        if (handle === "%00") assert.strictEqual(answer.status, 400)
        else assertProblem(answer, AccountNotFound, { account: decodeURIComponent(handle) })
      }
    })
  )

  it.effect("is not found by a former handle, unless somebody else has it now", () =>
    Effect.gen(function* () {
      const ran = yield* signUp("ran")
      ok(yield* ran.patch("/accounts", { handle: "rán" }))
      assert.strictEqual((yield* profileOf("rán")).id, ran.id)
      assertProblem(yield* guest.get("/profiles/ran"), AccountNotFound, { account: "ran" })
      for (const path of ["followers", "following"]) {
        assertProblem(yield* guest.get(`/profiles/ran/${path}`), AccountNotFound, { account: "ran" })
      }
      assertProblem(yield* (yield* Cast).freya.put("/profiles/ran/followers"), AccountNotFound, {
        account: "ran"
      })
      const other = yield* signUp("ran")
      assert.strictEqual((yield* profileOf("ran")).id, other.id)
    })
  )

  it.effect("of a suspended account stays, and says so", () =>
    Effect.gen(function* () {
      const vali = yield* signUp("vali")
      yield* suspend(vali)
      const profile = yield* profileOf("vali")
      assert.strictEqual(profile.suspended, "1970-01-01T00:00:00.000Z")
      assert.strictEqual(profile.deletedAt, "1970-01-01T00:00:00.000Z")
      assertProblem(yield* vali.get("/profiles/vali"), AccountSuspended)
      assertProblem(yield* vali.get("/profiles"), AccountSuspended)
      assert.strictEqual((yield* vali.get("/profiles/vali/followers")).status, 200)
      yield* reinstate(vali)
      assert.notProperty(yield* profileOf("vali"), "suspended")
    })
  )

  it.effect("shows who invited the account, as they are now", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const nanna = yield* signUp("nanna")
      const sql = yield* SqlClient.SqlClient
      yield* sql`update accounts set invited_by = ${loki.id} where id = ${nanna.id}`
      const thread = yield* open(loki, "By Loki")
      assert.deepStrictEqual((yield* profileOf("nanna")).invited_by, thread.author)
      ok(yield* loki.patch("/accounts", { name: "Sly" }))
      assert.strictEqual((yield* profileOf("nanna")).invited_by.name, "Sly")
      assert.notProperty(yield* profileOf("freya"), "invited_by")
      assert.strictEqual(ok(yield* freya.get("/profiles/nanna")).invited_by.id, loki.id)
    })
  )

  it.effect("counts the likes of others of all posts of its owner, while they last", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Liked")
      const answer = yield* reply(freya, thread.id, "liked too")
      const others = yield* reply(odin, thread.id, "liked")
      yield* sql`insert into likes (id, post_id, thread_id, account_id, created_at)
        select 'k' || p.id || a.id, p.id, ${thread.id}, a.id, now() from accounts a,
          unnest(${[thread.id, answer.id, others.id]}::text[]) p (id) where a.id in (${loki.id}, ${odin.id})`
      const scores = Effect.map(
        Effect.all([profileOf("freya"), profileOf("odin"), profileOf("loki")]),
        (profiles) => profiles.map(({ like_score }) => like_score)
      )
      assert.deepStrictEqual(yield* scores, [4, 1, 0])
      yield* sql`delete from likes where account_id = ${odin.id}`
      assert.deepStrictEqual(yield* scores, [2, 1, 0])
      yield* sql`delete from likes where account_id = ${odin.id}`
      assert.deepStrictEqual(yield* scores, [2, 1, 0])
      yield* sql`delete from likes`
      assert.deepStrictEqual(yield* scores, [0, 0, 0])
    })
  )
})

layer(People.layer)("reading a profile again", (it) => {
  it.effect("answers 304 until anything that it shows has changed", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      let etag = yield* etagOf(guest, "/profiles/freya")
      const assertChangedBy = Effect.fnUntraced(function* <E, R>(
        what: string,
        change: Effect.Effect<unknown, E, R>
      ) {
        const same = yield* guest.get("/profiles/freya", ifNoneMatch(etag))
        assert.deepStrictEqual([same.status, same.text, same.headers.etag], [304, "", etag], what)
        assert.strictEqual(same.headers["cache-control"], "public, no-cache")
        yield* change
        const other = yield* guest.get("/profiles/freya", ifNoneMatch(etag))
        assert.strictEqual(other.status, 200, what)
        etag = other.headers.etag ?? ""
      })
      yield* assertChangedBy("name", freya.patch("/accounts", { name: "F" }))
      yield* assertChangedBy("bio", freya.patch("/accounts", { bio: "cats" }))
      yield* assertChangedBy("meta", freya.patch("/accounts", { meta: { a: 1 } }))
      yield* assertChangedBy("interests", freya.patch("/accounts", { interests: ["cats"] }))
      yield* assertChangedBy("a tag of the interests", open(loki, "Cats", { tags: ["cats"] }))
      yield* assertChangedBy("a follower", loki.put("/profiles/freya/followers"))
      yield* assertChangedBy("following", freya.put("/profiles/loki/followers"))
      yield* assertChangedBy("a follower less", loki.delete("/profiles/freya/followers"))
      yield* assertChangedBy("a role", grant(freya, "MANAGE_POSTS"))
      yield* assertChangedBy(
        "what Member may do",
        sql`update roles set colour = 'teal' where name = 'Member'`
      )
      yield* assertChangedBy(
        "an invitation",
        sql`update accounts set invited_by = ${loki.id} where id = ${freya.id}`
      )
      yield* assertChangedBy("the name of the inviter", loki.patch("/accounts", { name: "Sly" }))
      yield* assertChangedBy("a suspension", suspend(freya))
      const own = yield* loki.get("/profiles/freya", ifNoneMatch(etag))
      assert.deepStrictEqual([own.status, own.headers["cache-control"]], [304, "private, no-cache"])
    })
  )

  it.effect("needs the permission also where nothing has changed", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      const etag = yield* etagOf(guest, "/profiles/odin")
      const sql = yield* SqlClient.SqlClient
      yield* sql`update roles set permissions = array_remove(permissions, 'READ_PROFILE')
        where name in ('Guest', 'Member')`
      for (const reader of [guest, loki]) {
        const refused = yield* reader.get("/profiles/odin", ifNoneMatch(etag))
        assertProblem(refused, Forbidden, { permission: "READ_PROFILE" })
        assertProblem(yield* reader.get(`/profiles/${nobody}`), Forbidden, { permission: "READ_PROFILE" })
        assert.strictEqual((yield* reader.get("/profiles")).status, 200)
        assert.strictEqual((yield* reader.get("/profiles/odin/followers")).status, 200)
      }
      yield* sql`update roles set permissions = array_remove(permissions, 'LIST_PROFILES')
        where name in ('Guest', 'Member')`
      for (const reader of [guest, loki]) {
        assertProblem(yield* reader.get("/profiles?roles=x"), Forbidden, { permission: "LIST_PROFILES" })
      }
    })
  )
})

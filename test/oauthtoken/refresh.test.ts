/** Refresh tokens: each is used once, and who uses one twice ends all that was granted with it. */

import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ok } from "../support/answers.ts"
import { administrative, clientFor, createClient, createOwn } from "../support/clients.ts"
import { fifty } from "../support/fifty.ts"
import * as People from "../support/people.ts"
import { Cast, grant, type Person, reinstate, suspend } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"
import { askFor, basic, claimsOf, granted, refresh, refusalIn } from "../support/tokens.ts"

const scope = "openid profile email offline_access CREATE_POST"

/** A public client that may come back, and what Freya has granted it. */
const begun = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  const client = yield* createClient(odin, freya, {
    allowed_scopes: ["openid", "profile", "email", "offline_access", "CREATE_POST", "MANAGE_POSTS"]
  })
  return { client, tokens: yield* granted(client.client_id, freya, scope) }
})

const live = (clientId: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`select t.id from oauth_tokens t join oauth_grants g on g.id = t.grant_id
      join oauth_clients c on c.id = g.client_id
      where c.client_id = ${clientId} and g.ended_at is null and t.used_at is null`
  )

layer(People.layer)("a refresh token", (it) => {
  it.effect("is replaced by another with the same scope, and new tokens come with it", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { client, tokens } = yield* begun
      yield* TestClock.adjust("1 minute")
      const answer = yield* refresh(client.client_id, tokens.refresh)
      const { access_token, expires_in, id_token, refresh_token, token_type, ...rest } = ok(answer)
      assert.deepStrictEqual(rest, { scope })
      assert.deepStrictEqual([token_type, expires_in], ["Bearer", 900])
      assert.match(refresh_token, /^[A-Za-z0-9_-]{43}$/)
      assert.notStrictEqual(refresh_token, tokens.refresh)
      assert.deepInclude(claimsOf(access_token), { sub: freya.id, scope, aud: "http://forum.test/api" })
      const { exp, iat, ...claims } = claimsOf(id_token)
      assert.strictEqual(exp - iat, 900)
      assert.deepStrictEqual(claims, {
        iss: "http://forum.test",
        sub: freya.id,
        aud: client.client_id,
        name: "freya"
      })
      assert.deepInclude(answer.headers, { "cache-control": "no-store", pragma: "no-cache" })
    })
  )

  it.effect("is told of once, however often it comes again", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { client, tokens } = yield* begun
      ok(yield* refresh(client.client_id, tokens.refresh))
      for (let n = 0; n < 3; n++) yield* refresh(client.client_id, tokens.refresh)
      const { events } = ok(yield* odin.get("/admin/audit-events?types=oauth_token_reused"))
      const told = events.filter((event: { client_id: string }) => event.client_id === client.client_id)
      assert.lengthOf(told, 1)
    })
  )

  it.effect("is of one client only, and one that another sends is not spent", () =>
    Effect.gen(function* () {
      const { client, tokens } = yield* begun
      const { client: other } = yield* begun
      assert.strictEqual(refusalIn(yield* refresh(other.client_id, tokens.refresh)), "400 invalid_grant")
      ok(yield* refresh(client.client_id, tokens.refresh))
    })
  )

  it.effect("grants what is left of it, and never more again", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { client } = yield* begun
      const manage = "offline_access CREATE_POST MANAGE_POSTS"
      const { refresh: first } = yield* granted(client.client_id, freya, manage)
      const narrowed = ok(yield* refresh(client.client_id, first))
      assert.strictEqual(narrowed.scope, "offline_access CREATE_POST")
      yield* grant(freya, "MANAGE_POSTS")
      const promoted = ok(yield* refresh(client.client_id, narrowed.refresh_token))
      assert.strictEqual(promoted.scope, "offline_access CREATE_POST")
      ok(yield* odin.patch(`${administrative}/${client.id}`, { allowed_scopes: ["offline_access"] }))
      const cut = ok(
        yield* askFor({
          grant_type: "refresh_token",
          client_id: client.client_id,
          refresh_token: promoted.refresh_token,
          scope: "MANAGE_POSTS"
        })
      )
      assert.strictEqual(cut.scope, "offline_access")
    })
  )

  it.effect("is refused while the account is suspended, and is not spent by that", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { client, tokens } = yield* begun
      yield* suspend(freya)
      assert.strictEqual(refusalIn(yield* refresh(client.client_id, tokens.refresh)), "400 invalid_grant")
      yield* reinstate(freya)
      ok(yield* refresh(client.client_id, tokens.refresh))
    })
  )

  it.effect("is refused by name", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { client, tokens } = yield* begun
      const { client_id } = client
      const token = tokens.refresh
      const grant_type = "refresh_token"
      const cases = [
        [{ grant_type, client_id }, "400 invalid_request"],
        [{ grant_type, client_id, refresh_token: "" }, "400 invalid_request"],
        [{ grant_type, refresh_token: token }, "400 invalid_client"],
        [{ grant_type, client_id: "nobody", refresh_token: token }, "400 invalid_client"],
        [{ grant_type, client_id, refresh_token: "x" }, "400 invalid_grant"],
        [{ grant_type, client_id, refresh_token: "x".repeat(43) }, "400 invalid_grant"]
      ] as const
      for (const [fields, expected] of cases) {
        assert.strictEqual(refusalIn(yield* askFor(fields)), expected)
      }
      ok(yield* odin.patch(`${administrative}/${client.id}`, { allowed_grants: ["authorization_code"] }))
      assert.strictEqual(refusalIn(yield* refresh(client_id, token)), "400 unauthorized_client")
    })
  )

  it.effect("of a confidential client needs its secret", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { client, client_secret } = yield* createOwn(odin, {
        type: "confidential",
        allowed_grants: ["authorization_code", "refresh_token"]
      })
      const tokens = yield* granted(client.client_id, odin, "offline_access")
      const fields = { grant_type: "refresh_token", refresh_token: tokens.refresh }
      const { client_id } = client
      assert.strictEqual(refusalIn(yield* askFor({ ...fields, client_id })), "400 invalid_client")
      assert.strictEqual(
        refusalIn(yield* askFor({ ...fields, client_id, client_secret: "fos_wrong" })),
        "400 invalid_client"
      )
      const wrong = yield* askFor(fields, basic(client_id, "fos_wrong"))
      assert.strictEqual(refusalIn(wrong), "401 invalid_client")
      assert.strictEqual(wrong.headers["www-authenticate"], 'Basic realm="forum.test"')
      const both = yield* askFor({ ...fields, client_id }, basic(client_id, client_secret))
      assert.strictEqual(refusalIn(both), "400 invalid_client")
      assert.strictEqual(both.json.error_description, "multiple client authentication methods used")
      ok(yield* askFor(fields, basic(client_id, client_secret)))
    })
  )

  it.effect("ends with the hundred and first grant of an account to the client, the oldest first", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { client, tokens } = yield* begun
      for (let n = 0; n < 100; n++) yield* granted(client.client_id, freya, "offline_access")
      assert.strictEqual(refusalIn(yield* refresh(client.client_id, tokens.refresh)), "400 invalid_grant")
      assert.lengthOf(yield* live(client.client_id), 100)
    })
  )
})

layer(People.layer)("a refresh token after weeks", (it) => {
  it.effect("that is used twice ends all that descends from it, also when it has expired since", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const later of ["1 second", "31 days"] as const) {
        const { client, tokens } = yield* begun
        const second = ok(yield* refresh(client.client_id, tokens.refresh)).refresh_token
        const third = ok(yield* refresh(client.client_id, second)).refresh_token
        yield* TestClock.adjust(later)
        assert.strictEqual(refusalIn(yield* refresh(client.client_id, tokens.refresh)), "400 invalid_grant")
        assert.strictEqual(refusalIn(yield* refresh(client.client_id, third)), "400 invalid_grant")
        assert.lengthOf(yield* live(client.client_id), 0)
        const { events } = ok(yield* odin.get("/admin/audit-events?types=oauth_token_reused"))
        assert.deepInclude(events[0], {
          oauth_client_id: client.id,
          client_id: client.client_id,
          account_id: client.account_id
        })
        assert.notProperty(events[0], "enacted_by")
      }
    })
  )

  it.effect("lasts the whole time again each time, and no longer", () =>
    Effect.gen(function* () {
      const { client, tokens } = yield* begun
      yield* TestClock.adjust("29 days")
      const second = ok(yield* refresh(client.client_id, tokens.refresh)).refresh_token
      yield* TestClock.adjust("29 days")
      const third = ok(yield* refresh(client.client_id, second)).refresh_token
      yield* TestClock.adjust("30 days")
      assert.strictEqual(refusalIn(yield* refresh(client.client_id, third)), "400 invalid_grant")
    })
  )
})

const own = (person: Person, more: Readonly<Record<string, unknown>> = {}) =>
  createOwn(person, {
    type: "confidential",
    redirect_uris: [],
    allowed_grants: ["client_credentials"],
    allowed_scopes: ["CREATE_POST", "MANAGE_POSTS"],
    ...more
  })

layer(People.layer)("a client that acts by itself", (it) => {
  it.effect("gets a token for its owner, with what both may do", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { client, client_secret } = yield* own(odin)
      const fields = { grant_type: "client_credentials", client_id: client.client_id, client_secret }
      const all = ok(yield* askFor(fields))
      assert.deepStrictEqual(Object.keys(all).sort(), ["access_token", "expires_in", "scope", "token_type"])
      assert.strictEqual(all.scope, "CREATE_POST MANAGE_POSTS")
      assert.strictEqual(claimsOf(all.access_token).sub, odin.id)
      assert.strictEqual(ok(yield* askFor({ ...fields, scope: "MANAGE_POSTS" })).scope, "MANAGE_POSTS")
      for (const scope of ["READ_PROFILE", "openid", "fly"]) {
        assert.strictEqual(refusalIn(yield* askFor({ ...fields, scope })), "400 invalid_scope")
      }
    })
  )

  it.effect("is confidential, may do so, has an owner who is not suspended, and has its secret", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const grant_type = "client_credentials"
      const open = yield* createClient(odin, freya, { allowed_grants: ["client_credentials"] })
      assert.strictEqual(
        refusalIn(yield* askFor({ grant_type, client_id: open.client_id })),
        "400 unauthorized_client"
      )
      assert.strictEqual(
        refusalIn(yield* askFor({ grant_type, client_id: "forum-cli" })),
        "400 unauthorized_client"
      )
      const theirs = ok(
        yield* odin.post(
          administrative,
          clientFor(freya, { type: "confidential", allowed_grants: ["client_credentials"] })
        )
      )
      const secret = { grant_type, client_id: theirs.client_id, client_secret: theirs.client_secret }
      assert.strictEqual(ok(yield* askFor(secret)).scope, "READ_PUBLISHED_THREADS")
      assert.strictEqual(
        refusalIn(yield* askFor({ ...secret, client_secret: "fos_wrong" })),
        "400 invalid_client"
      )
      yield* suspend(freya)
      assert.strictEqual(refusalIn(yield* askFor(secret)), "400 invalid_grant")
      yield* reinstate(freya)
      ok(yield* odin.patch(`${administrative}/${theirs.id}`, { allowed_grants: ["refresh_token"] }))
      assert.strictEqual(refusalIn(yield* askFor(secret)), "400 unauthorized_client")
    })
  )
})

layer(People.layer)("a request for tokens", (it) => {
  it.effect("that cannot be read is refused in the form of OAuth", () =>
    Effect.gen(function* () {
      const { guest } = People
      const cases = [
        ["{}", "application/json"],
        ["grant_type=refresh_token", "text/plain"],
        ["", "application/x-www-form-urlencoded"],
        ["grant_type=", "application/x-www-form-urlencoded"],
        ["grant_type=refresh_token&grant_type=refresh_token", "application/x-www-form-urlencoded"],
        [`grant_type=${"x".repeat(513)}`, "application/x-www-form-urlencoded"],
        ["grant_type=%00", "application/x-www-form-urlencoded"]
      ] as const
      for (const [body, type] of cases) {
        const answer = yield* guest.post("/oauth/token", body, { "content-type": type })
        assert.strictEqual(refusalIn(answer), "400 invalid_request", `${body} ${answer.text}`)
      }
      assert.strictEqual(
        refusalIn(yield* askFor({ grant_type: "password", username: "odin", password: "x" })),
        "400 unsupported_grant_type"
      )
    })
  )

  it.effect("has sixteen kibibytes at most", () =>
    Effect.gen(function* () {
      const answer = yield* askFor({ grant_type: "refresh_token", more: "x".repeat(16 * 1024) })
      assert.strictEqual(answer.status, 413)
    })
  )
})

layer(Layer.provideMerge(TestApp.uncached, People.layer))("a refresh token, on two instances", (it) => {
  it.effect("is replaced once by fifty at a time, and whoever is late gets nothing", () =>
    Effect.gen(function* () {
      const { client, tokens } = yield* begun
      const answers = yield* fifty(() => refresh(client.client_id, tokens.refresh))
      const good = answers.filter(({ status }) => status === 200)
      assert.lengthOf(good, 1)
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        assert.strictEqual(refusalIn(answer), "400 invalid_grant")
      }
      assert.isAtMost((yield* live(client.client_id)).length, 1)
    })
  )

  it.effect("that comes again is told of once, by fifty at a time", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { client, tokens } = yield* begun
      ok(yield* refresh(client.client_id, tokens.refresh))
      for (const answer of yield* fifty(() => refresh(client.client_id, tokens.refresh))) {
        assert.strictEqual(refusalIn(answer), "400 invalid_grant")
      }
      const { events } = ok(yield* odin.get("/admin/audit-events?types=oauth_token_reused"))
      assert.lengthOf(
        events.filter((event: { client_id: string }) => event.client_id === client.client_id),
        1
      )
    })
  )
})

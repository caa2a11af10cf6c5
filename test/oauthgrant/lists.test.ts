/** What people and administrators see of refresh tokens, and how they end them. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Grants } from "../../src/domain/oauthgrant/Grants.ts"
import { OAuthRefreshTokenNotFound } from "../../src/domain/oauthgrant/RefreshToken.ts"
import { CookieRequired, Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { idsOf, ok } from "../support/answers.ts"
import { createClient } from "../support/clients.ts"
import { permission, withKey } from "../support/keys.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { granted, refresh, refusalIn } from "../support/tokens.ts"

const own = "/auth/oauth/tokens"
const all = "/admin/oauth/refresh-tokens"

const client = Effect.gen(function* () {
  const { odin } = yield* Cast
  return yield* createClient(odin, odin)
})

layer(People.layer)("refresh tokens", (it) => {
  it.effect("are listed with what was granted and what became of it, newest first", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { client_id, id, name } = yield* client
      const { refresh: first } = yield* granted(client_id, odin, "offline_access openid")
      yield* TestClock.adjust("1 minute")
      ok(yield* refresh(client_id, first))
      const { tokens, ...page } = ok(yield* odin.get(own))
      assert.deepStrictEqual(page, { page_size: 50, results: 2, total_pages: 1, current_page: 1 })
      const [second, spent] = tokens
      const { createdAt, expires_at, id: _, ...rest } = second
      assert.deepStrictEqual(rest, {
        oauth_client_id: id,
        client_id,
        client_name: name,
        account_id: odin.id,
        scope: "offline_access openid"
      })
      assert.strictEqual(Date.parse(expires_at) - Date.parse(createdAt), 30 * 24 * 3600 * 1000)
      assert.strictEqual(spent.replaced_by_token_id, second.id)
      assert.strictEqual(spent.revoked_at, createdAt)
      assert.strictEqual(spent.last_used_at, createdAt)
      assert.notInclude(JSON.stringify(tokens), first)
    })
  )

  it.effect("are listed to their own account, and to administrators those of all, page by page", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { client_id } = yield* client
      const before = ok(yield* odin.get(own)).results
      for (let n = 0; n < 51; n++) yield* granted(client_id, freya, "offline_access")
      assert.strictEqual(ok(yield* odin.get(own)).results, before)
      const first = ok(yield* odin.get(`${all}?page=1`))
      const second = ok(yield* odin.get(`${all}?page=2`))
      assert.deepStrictEqual([first.results, first.next_page, second.results], [50, 2, before + 1])
      const ids: ReadonlyArray<string> = [...idsOf(first.tokens), ...idsOf(second.tokens)]
      assert.deepStrictEqual(ids, [...ids].sort().reverse())
      assert.strictEqual(new Set(ids).size, before + 51)
      assert.strictEqual(ok(yield* odin.get(`${all}?page=nothing`)).current_page, 1)
    })
  )

  it.effect("are for administrators, one's own by cookie", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* grant(odin, permission)
      const program = yield* withKey(odin)
      for (const path of [own, all]) {
        assertProblem(yield* guest.get(path), Unauthenticated)
        assertProblem(yield* freya.get(path), Forbidden)
        assertProblem(yield* guest.delete(`${path}/${nobody}`), Unauthenticated)
        assertProblem(yield* freya.delete(`${path}/${nobody}`), Forbidden)
      }
      assertProblem(yield* program.get(own), CookieRequired)
      assertProblem(yield* program.delete(`${own}/${nobody}`), CookieRequired)
      ok(yield* program.get(all))
    })
  )

  it.effect("that are revoked end all that was granted, and stay listed", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { client_id, id } = yield* client
      const mine = yield* granted(client_id, odin, "offline_access")
      const [listed] = ok(yield* odin.get(own)).tokens
      assert.strictEqual((yield* odin.delete(`${own}/${listed.id}`)).status, 204)
      assert.strictEqual((yield* odin.delete(`${own}/${listed.id}`)).status, 204)
      assert.strictEqual(refusalIn(yield* refresh(client_id, mine.refresh)), "400 invalid_grant")
      const [again] = ok(yield* odin.get(own)).tokens
      assert.strictEqual(again.id, listed.id)
      assert.isString(again.revoked_at)
      assert.notProperty(again, "replaced_by_token_id")

      const theirs = yield* granted(client_id, freya, "offline_access")
      const [ofFreya] = ok(yield* odin.get(all)).tokens
      assert.strictEqual(refusalIn(yield* odin.delete(`${own}/${ofFreya.id}`)), "400 invalid_request")
      assert.strictEqual(refusalIn(yield* odin.delete(`${own}/nothing`)), "400 invalid_request")
      assertProblem(yield* odin.delete(`${all}/nothing`), OAuthRefreshTokenNotFound)
      const renewed = ok(yield* refresh(client_id, theirs.refresh)).refresh_token
      assert.strictEqual((yield* odin.delete(`${all}/${ofFreya.id}`)).status, 204)
      assert.strictEqual((yield* odin.delete(`${all}/${ofFreya.id}`)).status, 204)
      assert.strictEqual(refusalIn(yield* refresh(client_id, renewed)), "400 invalid_grant")

      const { events } = ok(yield* odin.get("/admin/audit-events?types=oauth_token_revoked"))
      const told = events
        .filter((event: { client_id: string }) => event.client_id === client_id)
        .map(({ account_id, enacted_by, oauth_client_id }: (typeof events)[number]) => [
          enacted_by.id,
          oauth_client_id,
          account_id
        ])
      assert.deepStrictEqual(told, [
        [odin.id, id, freya.id],
        [odin.id, id, odin.id]
      ])
    })
  )
})

layer(People.layer)("tokens that are of no use", (it) => {
  it.effect("are forgotten: access tokens when they expire, refresh tokens a week later", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { client_id } = yield* client
      const { forget } = yield* Grants
      yield* granted(client_id, odin, "")
      const { refresh: first } = yield* granted(client_id, odin, "offline_access")
      yield* TestClock.adjust("20 days")
      ok(yield* refresh(client_id, first))
      yield* forget
      assert.lengthOf(ok(yield* odin.get(own)).tokens, 2)
      // The first has expired long ago, but is what tells of a theft.
      yield* TestClock.adjust("36 days")
      yield* forget
      assert.lengthOf(ok(yield* odin.get(own)).tokens, 2)
      yield* TestClock.adjust("1 day")
      yield* forget
      assert.lengthOf(ok(yield* odin.get(own)).tokens, 0)
      assert.strictEqual(refusalIn(yield* refresh(client_id, first)), "400 invalid_grant")
    })
  )
})

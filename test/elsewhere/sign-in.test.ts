/** Signing up and in with an account at another service. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { LastAuthMethod } from "../../src/domain/authentication/AuthMethod.ts"
import { RegistrationClosed, SignInSuspended } from "../../src/domain/authentication/Password.ts"
import { IdentityTaken, ProviderUnknown, TooManyIdentities } from "../../src/domain/elsewhere/Elsewhere.ts"
import { CookieRequired } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { permission, withKey } from "../support/keys.ts"
import { makeOpenId } from "../support/openid.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, personIn, suspend } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as Providers from "../support/providers.ts"
import { admin, held, member } from "../support/roles.ts"
import * as TestApp from "../support/TestApp.ts"
import {
  askToLeave,
  comeBack,
  enterFrom,
  goElsewhere,
  google,
  keycloak,
  leave,
  offerAll,
  openid
} from "./support.ts"

const path = "/accounts/self/auth-methods"

const accountOf = (person: People.Person) => Effect.map(person.get("/accounts"), ok)

layer(TestApp.layer)("the first account with an account elsewhere", (it) => {
  it.effect(
    "is the administrator, whatever the invitation, and has its name and its verified address from there",
    () =>
      Effect.gen(function* () {
        yield* offerAll
        const claims = {
          sub: "1",
          preferred_username: "Odin Allfather",
          name: "Odin",
          email: "Odin@Asgard.test",
          email_verified: true
        }
        const odin = yield* enterFrom(openid, claims, { invitation: nobody })
        const own = yield* accountOf(odin)
        assert.strictEqual(own.handle, "odin-allfather")
        assert.strictEqual(own.admin, true)
        assert.deepStrictEqual(own.roles, [held(admin), held(member)])
        assert.deepStrictEqual(own.auth_services, ["oauth_oidc"])
        assert.strictEqual(own.verified_status, "verified_email")
        assert.deepInclude(own.email_addresses[0], { email_address: "odin@asgard.test", verified: true })
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(
          yield* sql`select account_id, service, issuer, subject, name, used_at from identities_elsewhere`,
          [
            {
              account_id: odin.id,
              service: "oauth_oidc",
              issuer: "https://id.test/",
              subject: "1",
              name: "Odin Allfather",
              used_at: null
            }
          ]
        )
        const events = yield* sql<{ readonly event: { readonly _tag: string } }>`
        select event from event_log where actor_id = ${odin.id} order by id`
        assert.deepStrictEqual(
          events.map(({ event }) => event._tag),
          ["AccountCreated", "IdentityElsewhereAdded", "EmailAddressAdded", "EmailAddressVerified"]
        )
        // What the provider gave to ask it for more is nowhere.
        const [row] = yield* sql<{
          readonly all: string
        }>`select (select coalesce(string_agg(i::text, ''), '')
        from identities_elsewhere i) || (select string_agg(e::text, '') from event_log e) as all`
        assert.notInclude(row?.all, "token-of-the-provider")
        const again = yield* enterFrom(openid, { sub: "1", preferred_username: "other" })
        assert.strictEqual(again.id, odin.id)
        assert.strictEqual((yield* accountOf(again)).handle, "odin-allfather")
      })
  )
})

layer(People.layer)("where people may go", (it) => {
  it.effect("is listed with a link for each provider that the operator has set, and is no other", () =>
    Effect.gen(function* () {
      yield* Cast
      yield* offerAll
      const link = (service: string) => `http://forum.test/api/auth/oauth/${service}/start`
      const { providers } = ok(yield* guest.get("/auth"))
      assert.deepStrictEqual(providers.slice(2), [
        { provider: "oauth_google", name: "Google", link: link("oauth_google") },
        { provider: "oauth_keycloak", name: "Keycloak", link: link("oauth_keycloak") },
        { provider: "oauth_oidc", name: "Valhalla", link: link("oauth_oidc") }
      ])
      for (const provider of ["oauth_github", "password", "OAUTH_OIDC", "x"]) {
        assertProblem(yield* askToLeave(provider), ProviderUnknown, { provider })
        const answer = yield* comeBack(provider, { state: "x", code: "x" }, undefined)
        assertProblem(answer, ProviderUnknown, { provider })
      }
    })
  )

  it.effect("is told by a redirect that nobody keeps, with a cookie of ten minutes for this host", () =>
    Effect.gen(function* () {
      yield* offerAll
      const answer = yield* askToLeave("oauth_google")
      assert.strictEqual(answer.status, 302)
      assert.strictEqual(answer.headers["cache-control"], "private, no-store")
      assert.match(answer.headers.location ?? "", /^https:\/\/accounts\.google\.com\/authorize\?/)
      assert.match(
        answer.headers["set-cookie"] ?? "",
        /^forum-elsewhere=[\w.-]+; Path=\/; Expires=Thu, 01 Jan 1970 00:10:00 GMT; HttpOnly; SameSite=Lax$/
      )
    })
  )

  it.effect("is for sessions and guests, not for keys of programs", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* offerAll
      yield* grant(freya, permission)
      const key = yield* withKey(freya)
      assertProblem(yield* askToLeave("oauth_oidc", key), CookieRequired)
      const answer = yield* key.post("/auth/oauth/oauth_oidc/callback", { state: "x", code: "x" })
      assertProblem(answer, CookieRequired)
    })
  )
})

layer(TestApp.layerWhere({ publicUrl: new URL("https://forum.test") }))("the cookie over https", (it) => {
  it.effect("is secure, and no other host of the domain can set it", () =>
    Effect.gen(function* () {
      yield* offerAll
      const cookie = (yield* askToLeave("oauth_oidc")).headers["set-cookie"] ?? ""
      assert.match(cookie, /^__Host-forum-elsewhere=[\w.-]+; Path=\/; .*; HttpOnly; Secure; SameSite=Lax$/)
    })
  )
})

layer(People.layer)("signing up from elsewhere", (it) => {
  it.effect("makes a handle that nobody has of the name there, or of other words", () =>
    Effect.gen(function* () {
      yield* Cast
      yield* offerAll
      const handleOf = (sub: string, claims: object) =>
        Effect.flatMap(enterFrom(openid, { sub, ...claims }), (person) =>
          Effect.map(accountOf(person), ({ handle }) => handle)
        )
      assert.match(yield* handleOf("a", { preferred_username: "Freya" }), /^freya-\d{1,6}$/)
      assert.strictEqual(yield* handleOf("b", { preferred_username: "sif@asgard.test" }), "sif")
      assert.strictEqual(yield* handleOf("c", { name: "Þórr Óðinsson" }), "þórr-óðinsson")
      assert.strictEqual(yield* handleOf("d", { name: "a".repeat(500) }), "a".repeat(22))
      for (const [sub, claims] of [
        ["e", {}],
        ["f", { name: "!!!" }],
        ["g", { name: 7 }]
      ] as const) {
        assert.match(yield* handleOf(sub, claims), /^[a-z]+-[a-z]+$/)
      }
      // What is reserved is as good as taken.
      assert.match(yield* handleOf("h", { preferred_username: "admin" }), /^admin-\d{1,6}$/)
    })
  )

  it.effect(
    "finds no account by its address, and takes none that an account has, or that is not verified",
    () =>
      Effect.gen(function* () {
        const { freya } = yield* Cast
        yield* offerAll
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into account_emails (id, account_id, created_at, address, verified)
        values (${nobody}, ${freya.id}, 'epoch', 'freya@asgard.test', true)`
        const claimed = { email: "FREYA@asgard.test", email_verified: true }
        const other = yield* enterFrom(google, { sub: "1", ...claimed })
        assert.notStrictEqual(other.id, freya.id)
        assert.deepStrictEqual((yield* accountOf(other)).email_addresses, [])
        assert.strictEqual((yield* accountOf(other)).verified_status, "none")
        for (const [sub, claims] of [
          ["2", { email: "hel@asgard.test" }],
          ["3", { email: "hel@asgard.test", email_verified: false }],
          ["4", { email: "hel@asgard.test", email_verified: "true" }],
          ["5", { email: "no address", email_verified: true }],
          ["6", { email: 7, email_verified: true }]
        ] as const) {
          const person = yield* enterFrom(google, { sub, ...claims })
          assert.deepStrictEqual((yield* accountOf(person)).email_addresses, [])
        }
      })
  )

  it.effect("takes an address as verified only by what tells the address", () =>
    Effect.gen(function* () {
      yield* Cast
      const token = { email: "token@asgard.test" }
      const cases = [
        [{ email_verified: true }, { email: "told@asgard.test", email_verified: false }, []],
        [{ email_verified: true }, { email: "told@asgard.test" }, []],
        [
          { email_verified: false },
          { email: "told@asgard.test", email_verified: true },
          ["told@asgard.test"]
        ],
        [token, { email: "told@asgard.test", email_verified: true }, []],
        [{ ...token, email_verified: true }, { email_verified: false }, ["token@asgard.test"]]
      ] as const
      for (const [n, [claims, more, addresses]] of cases.entries()) {
        const sub = `told-${n}`
        const told = makeOpenId("oauth_oidc", `https://told-${n}.test`, { sub, ...more })
        yield* told.appear
        yield* Providers.offer(told.offered)
        const { email_addresses } = yield* accountOf(yield* enterFrom(told, { sub, ...claims }))
        assert.deepStrictEqual(
          email_addresses.map(({ email_address }: { email_address: string }) => email_address),
          addresses,
          sub
        )
      }
    })
  )

  it.effect("is somebody else at another issuer and at another service", () =>
    Effect.gen(function* () {
      yield* Cast
      yield* offerAll
      const one = yield* enterFrom(openid, { sub: "same" })
      const two = yield* enterFrom(keycloak, { sub: "same" })
      const sql = yield* SqlClient.SqlClient
      yield* sql`update identities_elsewhere set issuer = 'https://id.before.test/' where account_id = ${one.id}`
      const three = yield* enterFrom(openid, { sub: "same" })
      assert.lengthOf(new Set([one.id, two.id, three.id]), 3)
    })
  )

  it.effect("follows the mode of registration, and the invitation with which it began", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* offerAll
      const known = yield* enterFrom(openid, { sub: "known" })
      const { id: invitation } = ok(yield* odin.post("/invitations", {}))
      const mode = (registration_mode: string) => Effect.map(odin.patch("/admin", { registration_mode }), ok)

      assertProblem(yield* goElsewhere(openid, { sub: "lost" }, { invitation: nobody }), RegistrationClosed, {
        registration_mode: "public",
        invitation_id: nobody
      })
      yield* mode("invitation")
      assertProblem(yield* goElsewhere(openid, { sub: "new" }), RegistrationClosed, {
        registration_mode: "invitation"
      })
      const invited = yield* enterFrom(openid, { sub: "new" }, { invitation })
      assert.strictEqual((yield* accountOf(invited)).invited_by.id, odin.id)
      yield* mode("disabled")
      assertProblem(yield* goElsewhere(openid, { sub: "late" }, { invitation }), RegistrationClosed, {
        registration_mode: "disabled",
        invitation_id: invitation
      })
      // Who has an account signs in all the same.
      assert.strictEqual((yield* enterFrom(openid, { sub: "known" })).id, known.id)
    })
  )
})

layer(People.layer)("an account that is signed in", (it) => {
  it.effect("adds an account elsewhere, signs in with it from then on, and may give up one of its ways", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* offerAll
      const claims = { sub: "f", name: "Freya", email: "freya@asgard.test", email_verified: true }
      const added = yield* enterFrom(openid, claims, { person: freya })
      assert.strictEqual(added.id, freya.id)
      assert.deepInclude((yield* accountOf(freya)).email_addresses[0], {
        email_address: "freya@asgard.test",
        verified: true
      })
      assert.deepStrictEqual((yield* accountOf(freya)).auth_services, ["password", "oauth_oidc"])
      const { active } = ok(yield* freya.get(path))
      assert.deepInclude(active[1], {
        name: "Freya",
        identifier: "f",
        provider: {
          provider: "oauth_oidc",
          name: "Valhalla",
          link: "http://forum.test/api/auth/oauth/oauth_oidc/start"
        }
      })
      // The same once more adds nothing.
      assert.strictEqual((yield* enterFrom(openid, claims, { person: freya })).id, freya.id)
      assert.deepStrictEqual(ok(yield* freya.get(path)).active, active)
      assert.strictEqual((yield* enterFrom(openid, claims)).id, freya.id)

      ok(yield* freya.delete(`${path}/${freya.id}`))
      assertProblem(yield* freya.delete(`${path}/${active[1].id}`), LastAuthMethod)
      yield* enterFrom(keycloak, claims, { person: freya })
      ok(yield* freya.delete(`${path}/${active[1].id}`))
      assert.deepStrictEqual((yield* accountOf(freya)).auth_services, ["oauth_keycloak"])
      assert.notStrictEqual((yield* enterFrom(openid, claims)).id, freya.id)
    })
  )

  it.effect("does not get what another account has", () =>
    Effect.gen(function* () {
      const { loki, tyr } = yield* Cast
      yield* offerAll
      yield* enterFrom(openid, { sub: "t" }, { person: tyr })
      assertProblem(yield* goElsewhere(openid, { sub: "t" }, { person: loki }), IdentityTaken)
      assert.deepStrictEqual((yield* accountOf(loki)).auth_services, ["password"])
      assert.strictEqual((yield* enterFrom(openid, { sub: "t" })).id, tyr.id)
    })
  )

  it.effect("is found among accounts by the service", () =>
    Effect.gen(function* () {
      const { odin, tyr } = yield* Cast
      yield* offerAll
      yield* enterFrom(google, { sub: "g" }, { person: tyr })
      const { accounts } = ok(yield* odin.get("/admin/accounts?auth_service=oauth_google"))
      assert.deepStrictEqual(
        accounts.map(({ id }: { readonly id: string }) => id),
        [tyr.id]
      )
      assert.deepStrictEqual(ok(yield* odin.get("/admin/accounts?auth_service=oauth_github")).accounts, [])
    })
  )

  it.effect("has twenty of them at most, however many are added at once", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* offerAll
      const answers = yield* Effect.forEach(
        Array(25).keys(),
        (n) => goElsewhere(keycloak, { sub: `o${n}` }, { person: odin }),
        { concurrency: "unbounded" }
      )
      const refused = answers.filter(({ status }) => status !== 200)
      assert.lengthOf(refused, 5)
      for (const answer of refused) assertProblem(answer, TooManyIdentities, { maximum: 20 })
    })
  )

  it.effect("keeps the addresses that it has where it has as many as it may", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      yield* offerAll
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into account_emails (id, account_id, created_at, address)
        select 'mail' || lpad(n::text, 15, '0') || '0', ${loki.id}, 'epoch', 'loki' || n || '@asgard.test'
        from generate_series(1, 20) n`
      const claims = { sub: "l", email: "one-more@asgard.test", email_verified: true }
      yield* enterFrom(openid, claims, { person: loki })
      assert.lengthOf((yield* accountOf(loki)).email_addresses, 20)
    })
  )
})

layer(People.layer)("a suspended account", (it) => {
  it.effect("neither signs in nor adds anything", () =>
    Effect.gen(function* () {
      const { freya, tyr } = yield* Cast
      yield* offerAll
      yield* enterFrom(openid, { sub: "f" }, { person: freya })
      yield* suspend(freya)
      assertProblem(yield* goElsewhere(openid, { sub: "f" }), SignInSuspended)
      yield* suspend(tyr)
      assertProblem(yield* goElsewhere(openid, { sub: "t" }, { person: tyr }), SignInSuspended)
      const answer = yield* goElsewhere(openid, { sub: "t" })
      assert.notStrictEqual(personIn(answer).id, tyr.id)
    })
  )
})

layer(People.layer)("what is asked", (it) => {
  it.effect("is bound to the page of the provider, and is another each time", () =>
    Effect.gen(function* () {
      yield* Cast
      yield* offerAll
      const [one, two] = [yield* leave("oauth_oidc"), yield* leave("oauth_oidc")]
      for (const name of ["state", "nonce", "code_challenge"]) {
        const values = [one, two].map(({ location }) => new URL(location).searchParams.get(name))
        assert.lengthOf(new Set(values), 2)
      }
    })
  )
})

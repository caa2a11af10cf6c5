/** Signing in with accounts at GitHub and Discord, which speak no OpenID. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ElsewhereRefused, ProviderUnavailable } from "../../src/domain/elsewhere/Elsewhere.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, guest, personIn } from "../support/people.ts"
import { makePlain } from "../support/plain-oauth.ts"
import { assertProblem } from "../support/problems.ts"
import * as Providers from "../support/providers.ts"
import { comeBack, leave } from "./support.ts"

const gitHub = makePlain("oauth_github")
const discord = makePlain("oauth_discord")

const offerBoth = Effect.gen(function* () {
  yield* gitHub.appear
  yield* discord.appear
  yield* Providers.offer(gitHub.offered, discord.offered)
})

const go = Effect.fnUntraced(function* (
  provider: typeof gitHub,
  told: ReadonlyArray<unknown>,
  person = guest
) {
  const { kept, location } = yield* leave(provider.service, person)
  return yield* comeBack(provider.service, provider.authorise(location, ...told), kept, person)
})

const accountIn = (answer: Effect.Success<ReturnType<typeof go>>) => {
  ok(answer)
  return Effect.map(personIn(answer).get("/accounts"), ok)
}

const octocat = { id: 583231, login: "Octocat", name: "The Octocat", plan: {} }

const emails = [
  { email: "old@asgard.test", primary: false, verified: true, visibility: null },
  { email: "octocat@asgard.test", primary: true, verified: true, visibility: "private" }
]

const nelly = { id: "80351110224678912", username: "nelly", global_name: null, email: "nelly@asgard.test" }

layer(People.layer)("providers without OpenID", (it) => {
  it.effect("are listed, and tell who somebody is by an id that stays when they are renamed", () =>
    Effect.gen(function* () {
      yield* Cast
      yield* offerBoth
      const { providers } = ok(yield* guest.get("/auth"))
      assert.deepStrictEqual(
        providers.slice(2).map(({ name }: { readonly name: string }) => name),
        ["GitHub", "Discord"]
      )
      const first = yield* accountIn(yield* go(gitHub, [octocat, emails]))
      assert.strictEqual(first.handle, "octocat")
      assert.deepStrictEqual(first.auth_services, ["oauth_github"])
      assert.deepInclude(first.email_addresses[0], { email_address: "octocat@asgard.test", verified: true })
      assert.lengthOf(first.email_addresses, 1)
      const renamed = yield* accountIn(yield* go(gitHub, [{ ...octocat, login: "other" }, []]))
      assert.strictEqual(renamed.id, first.id)
      const another = yield* accountIn(yield* go(gitHub, [{ ...octocat, id: 1 }, emails]))
      assert.notStrictEqual(another.id, first.id)
      assert.deepStrictEqual(another.email_addresses, [])

      const other = yield* accountIn(yield* go(discord, [{ ...nelly, verified: true }]))
      assert.strictEqual(other.handle, "nelly")
      assert.deepInclude(other.email_addresses[0], { email_address: "nelly@asgard.test", verified: true })
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(
        yield* sql`select issuer, subject from identities_elsewhere where service = 'oauth_discord'`,
        [{ issuer: "https://discord.com", subject: nelly.id }]
      )
    })
  )

  it.effect("are believed an address only if they have verified it", () =>
    Effect.gen(function* () {
      yield* Cast
      yield* offerBoth
      const [unverified] = [[{ email: "a@asgard.test", primary: true, verified: false }]]
      for (const [provider, told] of [
        [gitHub, [{ ...octocat, id: 11 }, unverified]],
        [gitHub, [{ ...octocat, id: 12 }, [{ email: "b@asgard.test", primary: false, verified: true }]]],
        [discord, [{ ...nelly, id: "13", verified: false }]],
        [discord, [{ ...nelly, id: "14" }]],
        [discord, [{ ...nelly, id: "15", email: null, verified: true }]]
      ] as const) {
        const account = yield* accountIn(yield* go(provider, told))
        assert.deepStrictEqual(account.email_addresses, [])
      }
    })
  )

  it.effect("refuse a code that is not of this sign-in", () =>
    Effect.gen(function* () {
      yield* Cast
      yield* offerBoth
      for (const provider of [gitHub, discord]) {
        const [one, other] = [yield* leave(provider.service), yield* leave(provider.service)]
        const { code } = provider.authorise(one.location, octocat, emails)
        const { state } = provider.authorise(other.location, octocat, emails)
        for (const wrong of [code, "guessed"]) {
          const answer = yield* comeBack(provider.service, { state, code: wrong }, other.kept)
          assertProblem(answer, ElsewhereRefused, { reason: "answer" })
        }
      }
    })
  )

  it.effect("are unavailable where they do not answer as they should", () =>
    Effect.gen(function* () {
      yield* Cast
      yield* offerBoth
      const gone = { provider: "oauth_github" }
      for (const told of [
        [{ login: "no-id" }, emails],
        [{ ...octocat, id: "text" }, emails],
        [octocat, { message: "Not Found" }],
        ["x", "y"]
      ]) {
        assertProblem(yield* go(gitHub, told), ProviderUnavailable, gone)
      }
      for (const [status, body] of [
        [503, {}],
        [200, {}],
        [200, "x"],
        [200, { error: "incorrect_client_credentials" }],
        [200, { access_token: "of-nobody" }]
      ] as const) {
        yield* gitHub.answer(status, body)
        assertProblem(yield* go(gitHub, [octocat, emails]), ProviderUnavailable, gone)
      }
    })
  )
})

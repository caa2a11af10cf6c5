/** How many clients of OAuth there may be. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  clientsMax,
  OAuthClientIdTaken,
  OAuthClientsFull,
  ownClientsMax,
  TooManyOAuthClients
} from "../../src/domain/oauthclient/OAuthClient.ts"
import { type Answer, ok } from "../support/answers.ts"
import { administrative, clientFor, createClient, own, ownClient } from "../support/clients.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

/** Fifty requests at the same time, in turn each of these. */
const atOnce = <E, R>(...calls: ReadonlyArray<(n: number) => Effect.Effect<Answer, E, R>>) =>
  Effect.all(
    Array.from({ length: 50 }, (_, n) => calls[n % calls.length]?.(n) ?? Effect.die("no calls")),
    { concurrency: "unbounded" }
  )

const succeeded = (answers: ReadonlyArray<Answer>) => answers.filter(({ status }) => status === 200).length

/** Fills the database with clients that administrators made for accounts that nobody uses. */
const fill = (count: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into accounts (id, created_at, updated_at, handle, handle_key, name)
      select 'acct' || lpad(n::text, 15, '0') || '0', 'epoch', 'epoch', 'many' || n, 'many' || n, 'many' || n
      from generate_series(0, 20) n`
    yield* sql`insert into oauth_clients (id, account_id, origin, client_id, name, type, scope_policy, redirect_uris,
        allowed_scopes, allowed_grants, pkce_required, created_at, updated_at)
      select lpad(n::text, 19, '0') || 'g', 'acct' || lpad((n / 45)::text, 15, '0') || '0', 'administrator', 'many-' || n,
        'Many', 'public', 'explicit', '{}', '{}', '{}', true, 'epoch', 'epoch' from generate_series(1, ${count}::int) n`
  })

layer(People.layer)("an account", (it) => {
  it.effect("has as many clients as it may, however many are created at the same time", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      for (let n = 0; n < ownClientsMax - 5; n++) yield* createClient(odin, odin)
      const answers = yield* atOnce(
        () => odin.post(own, ownClient()),
        () => odin.post(administrative, clientFor(odin))
      )
      assert.strictEqual(succeeded(answers), 5)
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        assertProblem(answer, TooManyOAuthClients, { maximum: ownClientsMax })
      }
      const { clients } = ok(yield* odin.get(own))
      assert.strictEqual(clients.length, ownClientsMax)
      // Others may have theirs, and one that is deleted makes room.
      yield* createClient(odin, freya)
      yield* odin.delete(`${own}/${clients[0].id}`)
      yield* createClient(odin, odin)
      assertProblem(yield* odin.post(own, ownClient()), TooManyOAuthClients, { maximum: ownClientsMax })
    })
  )
})

layer(People.layer)("an instance", (it) => {
  it.effect("has as many clients as it may, and lists all of them", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      yield* fill(clientsMax - 5)
      const answers = yield* atOnce(
        () => odin.post(own, ownClient()),
        () => odin.post(administrative, clientFor(freya)),
        () => odin.post(administrative, clientFor(loki))
      )
      assert.strictEqual(succeeded(answers), 5)
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        assertProblem(answer, OAuthClientsFull, { maximum: clientsMax })
      }
      // Those of the service itself do not count.
      assert.strictEqual(ok(yield* odin.get(administrative)).clients.length, clientsMax + 2)
    })
  )
})

layer(People.layer)("an id of a client", (it) => {
  it.effect("is given once, however many ask for it at the same time", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const client_id = "wanted"
      const answers = yield* atOnce(
        () => odin.post(administrative, clientFor(freya, { client_id })),
        () => odin.post(administrative, clientFor(loki, { client_id, type: "confidential" }))
      )
      assert.strictEqual(succeeded(answers), 1)
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        assertProblem(answer, OAuthClientIdTaken, { client_id })
      }
    })
  )
})

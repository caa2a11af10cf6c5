/** What the database holds of devices, whatever the service asks of it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as People from "../support/people.ts"
import { Cast, nobody } from "../support/people.ts"

const at = "1970-01-01T00:01:00Z"

const valid = {
  client_id: "000000000000000000c0",
  user_code: "7QXMK2PD",
  scope: "openid",
  network: "192.0.2.1",
  expires_at: "1970-01-01T00:10:00Z",
  poll_seconds: 5,
  claimed_by: null,
  approved_at: null,
  denied_at: null,
  consumed_at: null
}

type Values = Readonly<Record<keyof typeof valid, string | number | null>>

const insert = (values: Values) =>
  SqlClient.SqlClient.use(
    (sql) => sql`insert into oauth_devices (id, client_id, device_hash, user_code, scope, network, created_at,
        expires_at, poll_seconds, claimed_by, approved_at, denied_at, consumed_at)
      values (${nobody}, ${values.client_id}, ${new Uint8Array(32)}, ${values.user_code}, ${values.scope},
        ${values.network}, 'epoch', ${values.expires_at}, ${values.poll_seconds}, ${values.claimed_by},
        ${values.approved_at}, ${values.denied_at}, ${values.consumed_at})`
  )

layer(People.layer)("the table of devices", (it) => {
  it.effect("takes none that breaks a limit or has decisions that cannot be", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const claimed_by = freya.id
      const refused: ReadonlyArray<Partial<Values>> = [
        { client_id: nobody },
        { user_code: "7QXMK2PU" },
        { user_code: "7qxmk2pd" },
        { user_code: "7QXM-K2P" },
        { user_code: "7QXMK2P" },
        { scope: "x".repeat(1025) },
        { network: "x".repeat(65) },
        { expires_at: "1970-01-01T00:00:00Z" },
        { poll_seconds: 0 },
        { poll_seconds: 3601 },
        { claimed_by: nobody },
        { approved_at: at },
        { denied_at: at },
        { claimed_by, approved_at: at, denied_at: at },
        { claimed_by, consumed_at: at },
        { claimed_by, denied_at: at, consumed_at: at }
      ]
      for (const more of refused) {
        const attempt = yield* Effect.result(insert({ ...valid, ...more }))
        assert.strictEqual(attempt._tag, "Failure", JSON.stringify(more).slice(0, 200))
      }
      yield* insert({ ...valid, claimed_by, approved_at: at, consumed_at: at })
    })
  )
})

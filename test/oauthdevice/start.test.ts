/** Devices that begin: which may, what they get, and how many there are. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { DevicesFull, devicesMax, TooManyDevices } from "../../src/domain/oauthdevice/DeviceAuthorisation.ts"
import { DeviceStore } from "../../src/domain/oauthdevice/DeviceStore.ts"
import { UserCode } from "../../src/domain/oauthdevice/UserCode.ts"
import { ClientNetwork } from "../../src/domain/shared/Client.ts"
import { OAuthClientId, OAuthDeviceId } from "../../src/domain/shared/Id.ts"
import { type Answer, ok } from "../support/answers.ts"
import { createClient } from "../support/clients.ts"
import {
  begin,
  beginCommandLine,
  createDeviceClient,
  deviceGrant,
  poll,
  show,
  startWith
} from "../support/devices.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { refusalIn } from "../support/tokens.ts"

const commandLine = { client_id: "forum-cli", scope: "openid profile offline_access" }

layer(People.layer)("a device that begins", (it) => {
  it.effect("gets a code for itself and one for people, and where they enter it", () =>
    Effect.gen(function* () {
      const answer = yield* startWith(commandLine)
      const { device_code, user_code, ...rest } = ok(answer)
      assert.match(device_code, /^[A-Za-z0-9_-]{43}$/)
      assert.match(user_code, /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
      assert.deepStrictEqual(rest, {
        verification_uri: "http://www.forum.test/oauth/consent",
        verification_uri_complete: `http://www.forum.test/oauth/consent?user_code=${user_code}`,
        expires_in: 600,
        interval: 5
      })
      assert.strictEqual(answer.headers["cache-control"], "no-store")
      assert.strictEqual(answer.headers.pragma, "no-cache")
    })
  )

  it.effect("leaves the hash of its code alone in the database", () =>
    Effect.gen(function* () {
      const { device_code, user_code } = ok(yield* startWith(commandLine))
      const rows = yield* SqlClient.SqlClient.use(
        (sql) =>
          sql`select d::text as row from oauth_devices d where user_code = ${user_code.replace("-", "")}`
      )
      assert.lengthOf(rows, 1)
      assert.notInclude(JSON.stringify(rows), device_code)
    })
  )

  it.effect("has a client that is public and has the grant", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const refused = Effect.fnUntraced(function* (client_id: string, expected: string) {
        assert.strictEqual(refusalIn(yield* startWith({ client_id })), expected)
      })
      yield* refused("nobody", "400 invalid_client")
      yield* refused("", "400 invalid_client")
      assert.strictEqual(refusalIn(yield* startWith({ scope: "openid" })), "400 invalid_client")
      const confidential = yield* createDeviceClient(odin, odin, { type: "confidential" })
      yield* refused(confidential.client_id, "400 unauthorized_client")
      const without = yield* createClient(odin, odin)
      yield* refused(without.client_id, "400 unauthorized_client")
      const plain = yield* createDeviceClient(odin, odin)
      ok(yield* startWith({ client_id: plain.client_id }))
    })
  )

  it.effect("of the command line asks for exactly what that asks for, in any order", () =>
    Effect.gen(function* () {
      for (const client_id of ["forum-cli", "storyden-cli"]) {
        ok(yield* startWith({ client_id, scope: "offline_access openid profile openid" }))
        for (const scope of ["", "openid", "openid profile", `${commandLine.scope} email`, "CREATE_POST"]) {
          assert.strictEqual(refusalIn(yield* startWith({ client_id, scope })), "400 invalid_scope", scope)
        }
        assert.strictEqual(refusalIn(yield* startWith({ client_id })), "400 invalid_scope")
      }
    })
  )

  it.effect("asks for scopes that there are and that its client may have, standard ones too", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { client_id } = yield* createDeviceClient(odin, odin, {
        allowed_scopes: ["openid", "CREATE_POST"]
      })
      for (const scope of [
        "fly",
        "openid profile",
        "READ_PROFILE",
        "openid  openid email",
        "x".repeat(1025)
      ]) {
        const answer = yield* startWith({ client_id, scope })
        assert.strictEqual(answer.status, 400)
        assert.include(["invalid_scope", "invalid_request"], answer.json.error)
      }
      assert.strictEqual(refusalIn(yield* startWith({ client_id, scope: "profile" })), "400 invalid_scope")
      ok(yield* startWith({ client_id, scope: "CREATE_POST openid" }))
      const mighty = yield* createDeviceClient(odin, odin, { allowed_scopes: ["ADMINISTRATOR"] })
      ok(yield* startWith({ client_id: mighty.client_id, scope: "openid email MANAGE_ROLES ADMINISTRATOR" }))
      assert.strictEqual(
        refusalIn(yield* startWith({ client_id: mighty.client_id, scope: "fly" })),
        "400 invalid_scope"
      )
    })
  )

  it.effect("sends a form that can be read", () =>
    Effect.gen(function* () {
      const form = "application/x-www-form-urlencoded"
      const cases = [
        ["{}", "application/json"],
        [JSON.stringify(commandLine), "application/json"],
        ["client_id=forum-cli", "text/plain"],
        ["client_id=forum-cli&client_id=forum-cli", form],
        [`client_id=${"x".repeat(2049)}`, form],
        [`client_id=forum-cli&scope=${"x".repeat(1025)}`, form],
        ["client_id=%00", form]
      ] as const
      for (const [body, type] of cases) {
        const answer = yield* guest.post("/oauth/device_authorization", body, { "content-type": type })
        assert.strictEqual(refusalIn(answer), "400 invalid_request", body.slice(0, 80))
      }
      const large = yield* startWith({ ...commandLine, more: "x".repeat(16 * 1024) })
      assert.strictEqual(large.status, 413)
    })
  )

  it.effect("removes what has expired", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { client_id } = yield* createDeviceClient(odin, odin)
      const old = yield* begin(client_id)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(refusalIn(yield* poll(client_id, old.device_code)), "400 expired_token")
      yield* begin(client_id)
      assert.strictEqual(refusalIn(yield* poll(client_id, old.device_code)), "400 invalid_grant")
      const rows = yield* SqlClient.SqlClient.use((sql) => sql`select from oauth_devices`)
      assert.lengthOf(rows, 1)
    })
  )
})

layer(People.withCast(TestApp.layerWhere({ oauthEnabled: false })))("without OAuth", (it) => {
  it.effect("no device begins", () =>
    Effect.gen(function* () {
      yield* Cast
      assert.strictEqual(refusalIn(yield* startWith(commandLine)), "400 temporarily_unavailable")
      assert.strictEqual(refusalIn(yield* startWith({})), "400 temporarily_unavailable")
    })
  )
})

/** Devices of one network that wait, or of others. */
const fill = (count: number, network: string, firstOne = 0) =>
  SqlClient.SqlClient.use(
    (sql) => sql`insert into oauth_devices
        (id, client_id, device_hash, user_code, scope, network, created_at, expires_at, poll_seconds)
      select lpad((${firstOne}::int + n)::text, 19, '0') || '0', '000000000000000000c0',
        sha256((${firstOne}::int + n)::text::bytea), lpad((${firstOne}::int + n)::text, 8, '0'), '',
        ${network} || case when ${network} = '' then (n / 50)::text else '' end, 'epoch', '1970-01-01 00:05Z', 5
      from generate_series(1, ${count}::int) n`
  )

const atOnce = Effect.suspend(() =>
  Effect.forEach(Array(50).keys(), () => startWith(commandLine), { concurrency: "unbounded" })
)

const succeeded = (answers: ReadonlyArray<Answer>) => answers.filter(({ status }) => status === 200).length

layer(People.layer)("a network", (it) => {
  it.effect("begins as often as it may within the lifetime of a code, however often at the same moment", () =>
    Effect.gen(function* () {
      const { network } = { network: "127.0.0.1" }
      yield* fill(devicesMax.network - 5, network)
      // Nobody is told to wait for one of another network.
      yield* fill(1, "192.0.2.9", devicesMax.network)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update oauth_devices set expires_at = '1970-01-01 00:04Z' where network = '192.0.2.9'`
      const answers = yield* atOnce
      assert.strictEqual(succeeded(answers), 5)
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        assertProblem(answer, TooManyDevices, { retry_after: 300, maximum: devicesMax.network })
        assert.strictEqual(answer.headers["retry-after"], "300")
      }
      // Those of others do not count, and those that have expired count no more.
      yield* TestClock.adjust("5 minutes")
      ok(yield* startWith(commandLine))
    })
  )
})

layer(People.layer)("devices whose codes have expired", (it) => {
  it.effect("count for no limit, and some of them go with each that begins", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* fill(devicesMax.all, "")
      yield* sql`update oauth_devices set network = '127.0.0.1'`
      yield* TestClock.adjust("5 minutes")
      // Nobody waits for those that somebody else is about to remove, and they count for no limit.
      const [began, left] = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select from oauth_devices for update`
          const began = yield* startWith(commandLine)
          return [began, yield* sql`select from oauth_devices`] as const
        })
      )
      ok(began)
      assert.lengthOf(left, devicesMax.all + 1)
      ok(yield* startWith(commandLine))
      assert.lengthOf(yield* sql`select from oauth_devices`, devicesMax.all + 2 - 200)
      // Nobody is told to wait for one of them.
      yield* sql`update oauth_devices set expires_at = '1970-01-01 00:09Z' where id in (
        select id from oauth_devices where expires_at = '1970-01-01 00:05Z' limit ${devicesMax.network - 2})`
      const refused = yield* startWith(commandLine)
      assertProblem(refused, TooManyDevices, { retry_after: 240, maximum: devicesMax.network })
    })
  )
})

layer(People.layer)("an instance", (it) => {
  it.effect("keeps as many devices as it may, however many begin at the same moment", () =>
    Effect.gen(function* () {
      yield* fill(devicesMax.all - 5, "")
      const answers = yield* atOnce
      assert.strictEqual(succeeded(answers), 5)
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        assertProblem(answer, DevicesFull, { retry_after: 300, maximum: devicesMax.all })
      }
      yield* TestClock.adjust("5 minutes")
      ok(yield* startWith(commandLine))
    })
  )
})

/** The first inserts find that another device has their code. */
let taken = 0

const colliding = TestApp.storesBut(DeviceStore, (usual) => ({
  ...usual,
  insert: (device) =>
    Effect.suspend(() => (taken-- > 0 ? Effect.succeed("code taken" as const) : usual.insert(device)))
}))

layer(People.withCast(TestApp.layerWhere({}, colliding)))("a code for people", (it) => {
  it.effect("is made again if another device has it, four times", () =>
    Effect.gen(function* () {
      yield* Cast
      taken = 4
      ok(yield* startWith(commandLine))
      taken = 5
      assert.strictEqual(refusalIn(yield* startWith(commandLine)), "400 temporarily_unavailable")
      taken = 0
      ok(yield* startWith(commandLine))
    })
  )

  it.effect("is of one device alone", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { user_code } = yield* beginCommandLine
      const again = yield* Effect.result(
        sql`insert into oauth_devices
            (id, client_id, device_hash, user_code, scope, network, created_at, expires_at, poll_seconds)
          values (${nobody}, '000000000000000000c0', ${new Uint8Array(32)}, ${user_code.replace("-", "")}, '', '', 'epoch',
            '1970-01-02', 5)`
      )
      assert.strictEqual(again._tag, "Failure")
      ok(yield* show(odin, user_code))
    })
  )

  it.effect("that another device has is told from those that were kept", () =>
    Effect.gen(function* () {
      const store = yield* DeviceStore
      const at = yield* DateTime.now
      const device = (n: number) => ({
        id: OAuthDeviceId.make(`${String(n).padStart(19, "0")}0`),
        clientId: OAuthClientId.make("000000000000000000c0"),
        deviceHash: new Uint8Array(32).fill(n),
        userCode: UserCode.make("7QXMK2PD"),
        scopes: [],
        network: ClientNetwork.make("192.0.2.1"),
        pollSeconds: 5,
        at,
        expiresAt: DateTime.add(at, { minutes: 10 })
      })
      assert.strictEqual(yield* store.insert(device(1)), "kept")
      assert.strictEqual(yield* store.insert(device(2)), "code taken")
    })
  )
})

layer(People.layer)("the grant of devices", (it) => {
  it.effect("is in the documents of discovery, with its endpoint", () =>
    Effect.gen(function* () {
      for (const name of ["openid-configuration", "oauth-authorization-server"]) {
        const document = ok(yield* People.call("GET", `/.well-known/${name}`))
        assert.include(document.grant_types_supported, deviceGrant)
        assert.strictEqual(
          document.device_authorization_endpoint,
          "http://forum.test/api/oauth/device_authorization"
        )
      }
    })
  )
})

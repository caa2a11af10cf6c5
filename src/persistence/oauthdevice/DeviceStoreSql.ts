import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import type { ScopePolicy } from "../../domain/oauthclient/OAuthClientFields.ts"
import type { OAuthDeviceAuthorisationRecord } from "../../domain/oauthdevice/DeviceAuthorisation.ts"
import { type DeviceOfClient, DeviceStore, type FoundDevice } from "../../domain/oauthdevice/DeviceStore.ts"
import { showUserCode, type UserCode } from "../../domain/oauthdevice/UserCode.ts"
import type { AccountId, OAuthClientId, OAuthDeviceId } from "../../domain/shared/Id.ts"
import { readScopes, type Scope } from "../../domain/vocabulary/Scope.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { all, first, run, some } from "../shared/Query.ts"
import { toDate, toDateTime, toTimestamp } from "../shared/Rows.ts"
import { onViolationOf, orDefect } from "../shared/SqlErrors.ts"
import { makeGuesses } from "./GuessesSql.ts"

/** How many devices whose codes have expired one statement removes beside other work. */
const removedAtOnce = 200

interface DeviceRow {
  readonly id: OAuthDeviceId
  readonly client_id: OAuthClientId
  readonly scope: string
  readonly expires_at: Date
  readonly poll_seconds: number
  readonly last_polled_at: Date | null
  readonly claimed_by: AccountId | null
  readonly approved: boolean
  readonly denied: boolean
  readonly consumed: boolean
}

const deviceColumns = `d.id, d.client_id, d.scope, d.expires_at, d.poll_seconds, d.last_polled_at, d.claimed_by,
    d.approved_at is not null as approved, d.denied_at is not null as denied, d.consumed_at is not null as consumed`

const deviceOf = (row: DeviceRow): FoundDevice => ({
  id: row.id,
  clientId: row.client_id,
  // All that is stored was read before.
  scopes: readScopes(row.scope) ?? [],
  expiresAt: toDateTime(row.expires_at),
  pollSeconds: row.poll_seconds,
  lastPolledAt: row.last_polled_at === null ? undefined : toDateTime(row.last_polled_at),
  claimedBy: row.claimed_by ?? undefined,
  isApproved: row.approved,
  isDenied: row.denied,
  isConsumed: row.consumed
})

interface DeviceOfClientRow extends DeviceRow {
  readonly client_name: string
  readonly client_identifier: string
  readonly scope_policy: ScopePolicy
  readonly allowed_scopes: ReadonlyArray<Scope>
  readonly built_in: boolean
}

const deviceOfClient = (row: DeviceOfClientRow): DeviceOfClient => ({
  ...deviceOf(row),
  client: {
    clientId: row.client_identifier,
    name: row.client_name,
    scopePolicy: row.scope_policy,
    allowedScopes: row.allowed_scopes,
    isCommandLine: row.built_in
  }
})

interface ListedRow {
  readonly id: OAuthDeviceId
  readonly created_at: Date
  readonly client_id: OAuthClientId
  readonly user_code: UserCode
  readonly scope: string
  readonly expires_at: Date
  readonly poll_seconds: number
  readonly last_polled_at: Date | null
  readonly claimed_by: AccountId | null
  readonly approved_at: Date | null
  readonly denied_at: Date | null
  readonly consumed_at: Date | null
}

const listedOf = (row: ListedRow): OAuthDeviceAuthorisationRecord => ({
  id: row.id,
  createdAt: toTimestamp(row.created_at),
  client_id: row.client_id,
  user_code: showUserCode(row.user_code),
  scope: row.scope,
  expires_at: toTimestamp(row.expires_at),
  poll_interval_seconds: row.poll_seconds,
  ...(row.last_polled_at === null ? {} : { last_polled_at: toTimestamp(row.last_polled_at) }),
  // Who has only read the code is told to nobody.
  ...(row.approved_at === null || row.claimed_by === null
    ? {}
    : { approved_by_account_id: row.claimed_by, approved_at: toTimestamp(row.approved_at) }),
  ...(row.denied_at === null ? {} : { denied_at: toTimestamp(row.denied_at) }),
  ...(row.consumed_at === null ? {} : { consumed_at: toTimestamp(row.consumed_at) })
})

const onNetworkFull = onViolationOf("oauth_devices_number_of_network", () => "network full" as const)
const onFull = onViolationOf("oauth_devices_number", () => "full" as const)
const onClientGone = onViolationOf("oauth_devices_client_id_fkey", () => "client gone" as const)

const makeBeginnings = (
  sql: PgClient.PgClient
): Pick<DeviceStore["Service"], "insert" | "findNextExpiry"> => ({
  insert: (device) =>
    sql`insert into oauth_devices
        (id, client_id, device_hash, user_code, scope, network, created_at, expires_at, poll_seconds)
      values (${device.id}, ${device.clientId}, ${device.deviceHash}, ${device.userCode}, ${device.scopes.join(" ")},
        ${device.network}, ${toDate(device.at)}, ${toDate(device.expiresAt)}, ${device.pollSeconds})
      on conflict (user_code) do nothing returning id`.pipe(
      onNetworkFull,
      onFull,
      onClientGone,
      orDefect,
      Effect.map((rows) => (rows.length > 0 ? ("kept" as const) : ("code taken" as const))),
      Effect.catch(Effect.succeed)
    ),

  findNextExpiry: (at, network) =>
    Effect.map(
      first(
        sql<{ readonly expires_at: Date }>`select expires_at from oauth_devices
          where expires_at > ${toDate(at)} and ${network === undefined ? sql`true` : sql`network = ${network}`}
          order by expires_at limit 1`
      ),
      (row) => Option.map(Option.fromUndefinedOr(row), ({ expires_at }) => toDateTime(expires_at))
    )
})

const makeFinding = (
  sql: PgClient.PgClient
): Pick<DeviceStore["Service"], "findByUserCodeForUpdate" | "findByHashForUpdate"> => ({
  findByUserCodeForUpdate: (code) =>
    Effect.map(
      first(
        locking(
          "oauth device"
        )(sql<DeviceOfClientRow>`select ${sql.literal(deviceColumns)}, c.name as client_name,
            c.client_id as client_identifier, c.scope_policy, c.allowed_scopes, c.origin = 'built-in' as built_in
          from oauth_devices d join oauth_clients c on c.id = d.client_id
          where d.user_code = ${code} for update of d`)
      ),
      (row) => Option.map(Option.fromUndefinedOr(row), deviceOfClient)
    ),

  findByHashForUpdate: (hash) =>
    Effect.map(
      first(
        locking("oauth device")(sql<DeviceRow>`select ${sql.literal(deviceColumns)} from oauth_devices d
          where d.device_hash = ${hash} for update`)
      ),
      (row) => Option.map(Option.fromUndefinedOr(row), deviceOf)
    )
})

export const layer = Layer.effect(
  DeviceStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    return DeviceStore.of({
      ...makeBeginnings(sql),
      ...makeFinding(sql),
      ...makeGuesses(sql),

      claim: (id, account) => run(sql`update oauth_devices set claimed_by = ${account} where id = ${id}`),

      approve: (id, granted, at) =>
        run(sql`update oauth_devices set approved_at = ${toDate(at)}, scope = ${granted.join(" ")}
          where id = ${id}`),

      deny: (id, at) => run(sql`update oauth_devices set denied_at = ${toDate(at)} where id = ${id}`),

      notePoll: (id, at, pollSeconds) =>
        run(sql`update oauth_devices set last_polled_at = ${toDate(at)}, poll_seconds = ${pollSeconds}
          where id = ${id}`),

      consume: (id, at) =>
        some(
          locking("oauth device")(sql`update oauth_devices
            set consumed_at = ${toDate(at)}, last_polled_at = ${toDate(at)}
            where id = ${id} and approved_at is not null and consumed_at is null returning id`)
        ),

      list: Effect.map(
        all(reads<ListedRow>`select id, created_at, client_id, user_code, scope, expires_at, poll_seconds,
            last_polled_at, claimed_by, approved_at, denied_at, consumed_at
          from oauth_devices order by id desc`),
        (rows) => rows.map(listedOf)
      ),

      // Whoever begins at the same moment removes others: nobody waits for a row.
      removeSomeExpired: (at) =>
        run(sql`delete from oauth_devices where id = any (array(
          select id from oauth_devices where expires_at <= ${toDate(at)}
          order by expires_at limit ${removedAtOnce} for update skip locked))`),

      removeExpired: (at) => run(sql`delete from oauth_devices where expires_at <= ${toDate(at)}`)
    })
  })
)

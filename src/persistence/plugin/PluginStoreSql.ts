import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { pluginsMax, TooManyPlugins } from "../../domain/plugin/Plugin.ts"
import type { PluginManifest } from "../../domain/plugin/PluginManifest.ts"
import type { PluginState } from "../../domain/plugin/PluginState.ts"
import { type NewPlugin, type PluginPackage, PluginStore } from "../../domain/plugin/PluginStore.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { run, some } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { onViolationOf, orDefect } from "../shared/SqlErrors.ts"
import {
  columns,
  configurations,
  heldRows,
  idRows,
  listedOf,
  listedRows,
  pluginOf,
  rows,
  shownColumns
} from "./PluginRow.ts"

type Statement = Parameters<typeof rows.first>[0]

const found = (statement: Statement) =>
  Effect.map(rows.first(statement), (row) => Option.map(Option.fromUndefinedOr(row), pluginOf))

const all = (statement: Statement) => Effect.map(rows.all(statement), (plugins) => plugins.map(pluginOf))

const one = (statement: Statement) => Effect.map(Effect.flatMap(orDefect(statement), rows.one), pluginOf)

const onTooMany = onViolationOf(
  "plugins_number",
  () => new TooManyPlugins({ metadata: { maximum: pluginsMax } })
)

/** Adds plugins and changes what administrators decide. Who runs a plugin sees by its revision that it has to look. */
const administrationWith = (sql: PgClient.PgClient) => {
  const packageSet = ({ hash, place, size }: PluginPackage) =>
    sql`package_store = ${place.store}, package_key = ${place.key}, package_size = ${size}, package_hash = ${hash}`

  const manifestSet = (manifest: PluginManifest) => sql`manifest = ${sql.json(manifest)}`

  const connectionValues = ({ connection }: NewPlugin) =>
    connection.mode === "external"
      ? sql`'connecting', true, ${connection.sealedToken}::bytea, ${connection.tokenHash}::bytea, null, null, null, null`
      : sql`'inactive', false, null, null, ${connection.package.place.store}, ${connection.package.place.key},
          ${connection.package.size}::int, ${connection.package.hash}::bytea`

  return {
    insert: (plugin: NewPlugin) =>
      locking("plugin")(
        sql`insert into plugins (id, added_at, state_at, mode, manifest, state, wanted, token, token_hash,
            package_store, package_key, package_size, package_hash)
          values (${plugin.id}, ${toDate(plugin.addedAt)}, ${toDate(plugin.addedAt)}, ${plugin.connection.mode},
            ${sql.json(plugin.manifest)}, ${connectionValues(plugin)})
          returning ${sql.literal(columns)}`.pipe(onTooMany, orDefect)
      ).pipe(Effect.flatMap(rows.one), Effect.map(pluginOf)),

    remove: (id: NewPlugin["id"]) => run(locking("plugin")(sql`delete from plugins where id = ${id}`)),

    want: (id: NewPlugin["id"], isWanted: boolean, at: NewPlugin["addedAt"]) => {
      const isFree = sql`(lease_until is null or lease_until <= ${toDate(at)})
        and (not ${isWanted}::boolean or state = 'error')`
      const unlessFree = (column: string, value: unknown) =>
        sql`${sql.literal(column)} = case when ${isFree} then ${value} else ${sql.literal(column)} end`
      return one(
        locking("plugin")(
          sql`update plugins set wanted = ${isWanted}, revision = revision + 1,
              ${unlessFree("state", "inactive")}, ${unlessFree("state_at", toDate(at))},
              ${unlessFree("state_message", null)}, ${unlessFree("state_details", null)},
              ${unlessFree("lease_holder", null)}, ${unlessFree("lease_until", null)}
            where id = ${id} returning ${sql.literal(columns)}`
        )
      )
    },

    setManifest: (id: NewPlugin["id"], manifest: PluginManifest) =>
      one(
        locking("plugin")(
          sql`update plugins set ${manifestSet(manifest)}, revision = revision + 1
            where id = ${id} returning ${sql.literal(columns)}`
        )
      ),

    setToken: (id: NewPlugin["id"], sealedToken: Uint8Array, tokenHash: Uint8Array) =>
      run(
        locking("plugin")(
          sql`update plugins set token = ${sealedToken}, token_hash = ${tokenHash}, revision = revision + 1
            where id = ${id}`
        )
      ),

    setPackage: (id: NewPlugin["id"], manifest: PluginManifest, archive: PluginPackage) =>
      one(
        locking("plugin")(
          sql`update plugins set ${manifestSet(manifest)}, ${packageSet(archive)}, revision = revision + 1
            where id = ${id} returning ${sql.literal(columns)}`
        )
      )
  } as const
}

export const layer = Layer.effect(
  PluginStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    const stateSet = (state: PluginState) => {
      const isFailed = state.name === "restarting" || state.name === "error"
      const failure = isFailed ? sql`${state.message}, ${sql.json(state.details)}` : sql`null, null`
      return sql`state = ${state.name}, state_at = ${toDate(state.at)}, (state_message, state_details) = row(${failure})`
    }

    return PluginStore.of({
      ...administrationWith(sql),

      list: (room) =>
        Effect.map(
          listedRows.all(reads`select ${reads.literal(shownColumns)},
              case when is_whole then manifest else manifest_least end as manifest,
              case when is_whole then '[]' else manifest_more end as omitted
            from (
              select *, sum(manifest_bytes) over (order by id desc) <= ${room} as is_whole from plugins
            ) ordered
            order by id desc`),
          (plugins) => plugins.map(listedOf)
        ),

      ids: Effect.map(idRows.all(reads`select id from plugins`), (found) => found.map(({ id }) => id)),

      find: (id) => found(reads`select ${reads.literal(columns)} from plugins where id = ${id}`),

      findConfiguration: (id) =>
        Effect.map(configurations.first(reads`select configuration from plugins where id = ${id}`), (row) =>
          Option.map(Option.fromUndefinedOr(row), ({ configuration }) => configuration)
        ),

      findForUpdate: (id) =>
        found(
          locking("plugin")(sql`select ${sql.literal(columns)} from plugins where id = ${id} for update`)
        ),

      findByTokenHash: (hash) =>
        found(reads`select ${reads.literal(columns)} from plugins where token_hash = ${hash}`),

      setConfiguration: (id, configuration) =>
        run(sql`update plugins set configuration = ${sql.json(configuration)} where id = ${id}`),

      setBot: (id, accountId, roleId) =>
        run(sql`update plugins set account_id = ${accountId}, role_id = ${roleId} where id = ${id}`),

      takeLease: (id, { holder, until }, now) =>
        found(sql`update plugins set lease_holder = ${holder}, lease_until = ${toDate(until)}
          where id = ${id} and wanted
            and (lease_until is null or lease_until <= ${toDate(now)} or lease_holder = ${holder})
          returning ${sql.literal(columns)}`),

      // Instances that look at the same time do not wait for each other.
      takeFreeLeases: ({ holder, until }, now, withFailed) =>
        all(sql`update plugins set lease_holder = ${holder}, lease_until = ${toDate(until)}
          where id in (
            select id from plugins
            where mode = 'supervised' and wanted and (lease_until is null or lease_until <= ${toDate(now)})
              and (${withFailed}::boolean or state <> 'error')
            for update skip locked
          )
          returning ${sql.literal(columns)}`),

      isAnyWanted: some(reads`select 1 from plugins where mode = 'supervised' and wanted limit 1`),

      renewLeases: ({ holder, until }, now) =>
        Effect.map(
          heldRows.all(sql`update plugins set lease_until = ${toDate(until)}
            where lease_holder = ${holder} and lease_until > ${toDate(now)}
            returning id, mode, revision, exists (
              select from asked_configurations c where c.plugin_id = plugins.id and c.taken_by is null
            ) as is_asked`),
          (held) =>
            held.map(({ id, is_asked, mode, revision }) => ({ id, mode, revision, isAsked: is_asked }))
        ),

      setState: (id, holder, state, keepsLease) =>
        some(sql`update plugins set ${stateSet(state)}
            ${keepsLease ? sql`` : sql`, lease_holder = null, lease_until = null`}
          where id = ${id} and lease_holder = ${holder} returning id`),

      setEntry: (id, holder, hash) =>
        some(sql`update plugins set entry_hash = ${hash ?? null}
          where id = ${id} and lease_holder = ${holder} returning id`),

      useEntry: (id, hash) =>
        some(sql`update plugins set entry_hash = null where id = ${id} and entry_hash = ${hash} returning id`)
    })
  })
)

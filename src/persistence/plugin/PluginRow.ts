import { Schema } from "effect"
import { JsonObject } from "../../domain/field/Json.ts"
import type { PluginManifest } from "../../domain/plugin/PluginManifest.ts"
import { type PluginState, pluginStates } from "../../domain/plugin/PluginState.ts"
import type { ListedPlugin, PluginConnection, StoredPlugin } from "../../domain/plugin/PluginStore.ts"
import { AccountId, PluginId, RoleId } from "../../domain/shared/Id.ts"
import { decoded } from "../shared/Query.ts"
import { toDateTime } from "../shared/Rows.ts"

// Manifests were read by their rules before they were stored, and stay what they are if the rules change.
const Manifest = Schema.declare(
  (value: unknown): value is PluginManifest => typeof value === "object" && value !== null
)

const bytes = Schema.NullOr(Schema.Uint8Array)

const shown = {
  id: PluginId,
  added_at: Schema.Date,
  mode: Schema.Literals(["supervised", "external"]),
  wanted: Schema.Boolean,
  revision: Schema.Int,
  state: Schema.Literals(pluginStates),
  state_at: Schema.Date,
  state_message: Schema.NullOr(Schema.String),
  state_details: Schema.NullOr(JsonObject),
  token: bytes,
  token_hash: bytes,
  package_store: Schema.NullOr(Schema.Literals(["disk", "s3"])),
  package_key: Schema.NullOr(Schema.String),
  package_size: Schema.NullOr(Schema.Int),
  package_hash: bytes,
  lease_holder: Schema.NullOr(Schema.String),
  lease_until: Schema.NullOr(Schema.Date),
  account_id: Schema.NullOr(AccountId),
  role_id: Schema.NullOr(RoleId)
}

const Row = Schema.Struct({ ...shown, manifest: Manifest, configuration: JsonObject })

const ListedRow = Schema.Struct({ ...shown, manifest: Manifest, omitted: Schema.Array(Schema.String) })
type ListedRow = typeof ListedRow.Type
/** What is read of every plugin. */
type CommonRow = Omit<ListedRow, "omitted">

export const rows = decoded(Row)

export const listedRows = decoded(ListedRow)

export const idRows = decoded(Schema.Struct({ id: PluginId }))

export const configurations = decoded(Schema.Struct({ configuration: Row.fields.configuration }))

/** What is read of plugins that an instance has. */
export const heldRows = decoded(
  Schema.Struct({
    id: PluginId,
    mode: shown.mode,
    revision: Schema.Int,
    is_asked: Schema.Boolean
  })
)

/** What is read of a plugin in every case. */
export const shownColumns = Object.keys(shown).join(", ")

export const columns = Object.keys(Row.fields).join(", ")

/** The table holds that there is what belongs to the mode. */
const lacking = () => new Error("A plugin lacks what belongs to its mode")

const connectionOf = (row: CommonRow): PluginConnection => {
  if (row.mode === "external") {
    if (row.token === null || row.token_hash === null) throw lacking()
    return { mode: "external", sealedToken: row.token, tokenHash: row.token_hash }
  }
  const { package_hash: hash, package_key: key, package_size: size, package_store: store } = row
  if (hash === null || key === null || size === null || store === null) throw lacking()
  return { mode: "supervised", package: { place: { store, key }, size, hash } }
}

const stateOf = ({ state: name, ...row }: CommonRow): PluginState => {
  const at = toDateTime(row.state_at)
  return name === "restarting" || name === "error"
    ? { name, at, message: row.state_message ?? "", details: row.state_details ?? {} }
    : { name, at }
}

const commonOf = (row: CommonRow): Omit<ListedPlugin, "omitted"> => ({
  id: row.id,
  addedAt: toDateTime(row.added_at),
  manifest: row.manifest,
  connection: connectionOf(row),
  isWanted: row.wanted,
  revision: row.revision,
  state: stateOf(row),
  lease:
    row.lease_holder === null || row.lease_until === null
      ? undefined
      : { holder: row.lease_holder, until: toDateTime(row.lease_until) },
  accountId: row.account_id ?? undefined,
  roleId: row.role_id ?? undefined
})

export const pluginOf = (row: typeof Row.Type): StoredPlugin => ({
  ...commonOf(row),
  configuration: row.configuration
})

export const listedOf = (row: ListedRow): ListedPlugin => ({ ...commonOf(row), omitted: row.omitted })

/** What is shown of plugins, and what may be done with them. Pure. */
import { DateTime, Result } from "effect"
import type { JsonObject } from "../field/Json.ts"
import { Timestamp } from "../field/Resource.ts"
import type { ManifestIssue } from "./ManifestReading.ts"
import type { PluginStatus } from "./Plugin.ts"
import type { ArchiveRefused } from "./PluginArchives.ts"
import { type PluginManifest, readManifest, readManifestBytes } from "./PluginManifest.ts"
import {
  issuesMax,
  PluginArchiveRefused,
  PluginFileManifestInvalid,
  PluginFileManifestMalformed,
  PluginFileNotArchive,
  PluginFileWithoutManifest,
  PluginManifestInvalid
} from "./PluginRefusal.ts"
import type { StoredPlugin } from "./PluginStore.ts"
import { externalLength, externalPrefix } from "./PluginToken.ts"

const shownAt = (at: DateTime.Utc) => Timestamp.make(DateTime.formatIso(at))

/** What is said of a plugin whose instance has said nothing for a while. */
export const goneMessage = "The instance of the service that ran the plugin is gone"

type Shown = Pick<StoredPlugin, "connection" | "isWanted" | "lease" | "state">

const inactiveSince = (at: DateTime.Utc): PluginStatus => ({
  active_state: "inactive",
  deactivated_at: shownAt(at)
})

const startingSince = (at: DateTime.Utc): PluginStatus => ({
  active_state: "starting",
  starting_at: shownAt(at)
})

const connectingSince = (at: DateTime.Utc): PluginStatus => ({
  active_state: "connecting",
  connecting_at: shownAt(at)
})

const statusOfState = (state: StoredPlugin["state"]): PluginStatus => {
  switch (state.name) {
    case "inactive":
      return inactiveSince(state.at)
    case "starting":
      return startingSince(state.at)
    case "connecting":
      return connectingSince(state.at)
    case "active":
      return { active_state: "active", activated_at: shownAt(state.at) }
    case "restarting":
    case "error":
      return { active_state: state.name, message: state.message, details: state.details }
  }
}

/** What becomes of a plugin, as its instance said; or as follows from that instance being gone. */
export const statusOf = ({ connection, isWanted, lease, state }: Shown, now: DateTime.Utc): PluginStatus => {
  const isGone = lease !== undefined && DateTime.isLessThanOrEqualTo(lease.until, now)
  if (connection.mode === "external") {
    if (isGone) return connectingSince(lease.until)
    return lease === undefined ? connectingSince(state.at) : statusOfState(state)
  }
  // One that is being stopped is over, whatever it still does.
  if (!isWanted) return inactiveSince(state.at)
  if (isGone) return { active_state: "restarting", message: goneMessage, details: {} }
  // Whoever runs it takes it in a moment.
  return state.name === "inactive" ? startingSince(state.at) : statusOfState(state)
}

const named = (issues: ReadonlyArray<ManifestIssue>) => ({
  issues: issues.slice(0, issuesMax),
  ...(issues.length > issuesMax ? { more: issues.length - issuesMax } : {})
})

/** The manifest that was sent, or why it is none. */
export const decideManifest = (sent: JsonObject): Result.Result<PluginManifest, PluginManifestInvalid> =>
  Result.mapError(readManifest(sent), (issues) => new PluginManifestInvalid({ metadata: named(issues) }))

/** The manifest in an archive, or why it is none. */
export const decideArchivedManifest = (bytes: Uint8Array) =>
  Result.mapError(readManifestBytes(bytes), (issues) =>
    issues === "malformed"
      ? new PluginFileManifestMalformed()
      : new PluginFileManifestInvalid({ metadata: named(issues) })
  )

/** Why an archive is not used, as it is answered. */
export const refusalOfArchive = ({ file, reason }: ArchiveRefused) => {
  if (reason === "format") return new PluginFileNotArchive()
  if (reason === "manifest-missing") return new PluginFileWithoutManifest()
  return new PluginArchiveRefused({ metadata: { reason, ...(file === undefined ? {} : { file }) } })
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

const tokenForm = new RegExp(`^${externalPrefix}[A-Za-z0-9]{${externalLength}}$`)

/** Whether a text has the form of the token of an external plugin. */
export const isPluginToken = (text: string): boolean => tokenForm.test(text)

/** The token that random bytes make, each of whose characters is as likely as every other; nothing if they are too few. */
export const tokenOf = (random: Uint8Array): string | undefined => {
  const even = 256 - (256 % alphabet.length)
  const characters = [...random].filter((byte) => byte < even).map((byte) => alphabet[byte % alphabet.length])
  return characters.length < externalLength
    ? undefined
    : `${externalPrefix}${characters.slice(0, externalLength).join("")}`
}

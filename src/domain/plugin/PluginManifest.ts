/** What a plugin says of itself, and how that is read. */
import { Result } from "effect"
import { type ChangeName, changeNames } from "../change/Changes.ts"
import type { JsonObject } from "../field/Json.ts"
import {
  flag,
  isDeeper,
  json,
  line,
  lines,
  type ManifestIssue,
  makeReading,
  matching,
  number,
  oneOf,
  type Place,
  type Reading,
  type Rule,
  refuseRepeated,
  storedSize,
  verbatim,
  visibleLine
} from "./ManifestReading.ts"
import { readCapabilities } from "./PluginCapabilities.ts"

type FieldFacts = {
  readonly id: string
  readonly label: string
  readonly description: string
}

/** A value that administrators choose for a plugin. */
export type ConfigurationField = FieldFacts &
  (
    | { readonly type: "string"; readonly default?: string }
    | { readonly type: "number"; readonly default?: number }
    | { readonly type: "boolean"; readonly default?: boolean }
  )

/** The bot that a plugin acts as, and what that may do. */
export type PluginAccess = {
  readonly handle: string
  readonly name: string
  /** Names of permissions; whether there are such is checked when the plugin asks for access. */
  readonly permissions: ReadonlyArray<string>
  readonly bio?: string
  readonly links?: ReadonlyArray<{ readonly text: string; readonly url: string }>
  readonly metadata?: JsonObject
}

export type PluginManifest = {
  readonly id: string
  readonly name: string
  readonly author: string
  readonly description: string
  readonly version: string
  /** The program that a supervised plugin runs, and what it is given. */
  readonly command: string
  readonly args?: ReadonlyArray<string>
  readonly events_consumed?: ReadonlyArray<ChangeName>
  readonly access?: PluginAccess
  readonly configuration_schema?: { readonly fields: ReadonlyArray<ConfigurationField> }
  readonly capabilities?: ReadonlyArray<JsonObject>
}

/** Bytes of a manifest, as it is sent and as it is stored. The database holds the second, too. */
export const manifestMax = 1024 * 1024

/** How deep a manifest may be nested. */
export const manifestDepthMax = 64

export const argumentsMax = 256
export const eventsMax = 100
export const permissionsMax = 100
export const linksMax = 20
export const fieldsMax = 200

const nameMax = 100
const textMax = 10_000
const commandMax = 4096
const addressMax = 2000
const metadataMax = 64 * 1024
const defaultMax = 10_000

const identifier = matching(
  nameMax,
  /^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?$/,
  "must have letters, digits and hyphens, and begin and end with a letter or digit"
)

const eventName = oneOf(changeNames, "must be the name of an event")

const isWebAddress = (text: string) => /^https?:$/.test(URL.parse(text)?.protocol ?? "")

const address: Rule<string> = (value) =>
  Result.filterOrFail(verbatim(addressMax)(value), isWebAddress, () => "must be an http or https address")

/** The parts of an address as programs in Go write it. */
const partOf = (value: object, name: string): string => {
  const part: unknown = Reflect.get(value, name)
  return typeof part === "string" ? part : ""
}

const joined = (value: object): string => {
  const [path, query, fragment] = [
    partOf(value, "Path"),
    partOf(value, "RawQuery"),
    partOf(value, "Fragment")
  ]
  const base = `${partOf(value, "Scheme")}://${partOf(value, "Host")}${encodeURI(path)}`
  return `${base}${query === "" ? "" : `?${query}`}${fragment === "" ? "" : `#${encodeURI(fragment)}`}`
}

/** An address as text, or as an object of its parts. */
const anyAddress: Rule<string> = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? address(joined(value))
    : address(value)

const readLink = ({ object, required }: Reading, field: string, value: unknown) => {
  const place = object(field, value)
  if (place === undefined) return undefined
  const text = required(place, "text", line(255))
  const url = required(place, "url", anyAddress)
  return text === undefined || url === undefined ? undefined : { text, url }
}

const readAccess = (reading: Reading, manifest: Place): PluginAccess | undefined => {
  const place = reading.inner(manifest, "access")
  if (place === undefined) return undefined
  const { each, list, optional, required } = reading
  const bio = optional(place, "bio", lines(textMax))
  const links = list(place, "links", linksMax, (field, value) => readLink(reading, field, value))
  const metadata = optional(place, "metadata", json(metadataMax))
  return {
    handle: required(place, "handle", line(nameMax)) ?? "",
    name: required(place, "name", visibleLine(nameMax)) ?? "",
    // Without any, a bot may do what everybody may.
    permissions: list(place, "permissions", permissionsMax, each(verbatim(nameMax))) ?? [],
    ...(bio === undefined ? {} : { bio }),
    ...(links === undefined ? {} : { links }),
    ...(metadata === undefined ? {} : { metadata })
  }
}

const fieldTypes = ["string", "number", "boolean"] as const
const fieldType = oneOf(fieldTypes, `must be one of ${fieldTypes.join(", ")}`)

/** What a field has by default, if it has that. */
const defaultOf = <A>({ optional }: Reading, place: Place, rule: Rule<A>) => {
  const value = optional(place, "default", rule)
  return value === undefined ? {} : { default: value }
}

const readField = (reading: Reading, field: string, value: unknown): ConfigurationField | undefined => {
  const place = reading.object(field, value)
  if (place === undefined) return undefined
  const { optional, required } = reading
  const facts = {
    id: required(place, "id", visibleLine(nameMax)) ?? "",
    label: optional(place, "label", line(nameMax)) ?? "",
    description: optional(place, "description", lines(textMax)) ?? ""
  }
  const type = required(place, "type", fieldType)
  switch (type) {
    case "string":
      return { ...facts, type, ...defaultOf(reading, place, verbatim(defaultMax)) }
    case "number":
      return { ...facts, type, ...defaultOf(reading, place, number) }
    case "boolean":
      return { ...facts, type, ...defaultOf(reading, place, flag) }
    case undefined:
      return undefined
  }
}

const readConfigurationSchema = (reading: Reading, manifest: Place) => {
  const place = reading.inner(manifest, "configuration_schema")
  if (place === undefined) return undefined
  const fields = reading.list(place, "fields", fieldsMax, (field, value) => readField(reading, field, value))
  const ids = fields?.map(({ id }) => id) ?? []
  refuseRepeated(reading, "configuration_schema.fields", ids)
  return { fields: fields ?? [] }
}

const read = (reading: Reading, place: Place): PluginManifest => {
  const { each, list, optional, required } = reading
  const args = list(place, "args", argumentsMax, each(verbatim(commandMax)))
  const events = list(place, "events_consumed", eventsMax, each(eventName))
  const access = readAccess(reading, place)
  const schema = readConfigurationSchema(reading, place)
  const capabilities = readCapabilities(reading, place)
  return {
    id: required(place, "id", identifier) ?? "",
    name: required(place, "name", visibleLine(nameMax)) ?? "",
    author: required(place, "author", identifier) ?? "",
    // Plugins are installed that lack these. A supervised one without a command fails when it starts.
    description: optional(place, "description", lines(textMax)) ?? "",
    version: optional(place, "version", line(nameMax)) ?? "",
    command: optional(place, "command", verbatim(commandMax)) ?? "",
    ...(args === undefined ? {} : { args }),
    ...(events === undefined ? {} : { events_consumed: events }),
    ...(access === undefined ? {} : { access }),
    ...(schema === undefined ? {} : { configuration_schema: schema }),
    ...(capabilities === undefined ? {} : { capabilities })
  }
}

const wholeIsWrong = (rule: string) => Result.fail([{ field: "", rule }])

/**
 * The manifest that a value from JSON is, with the fields that are known; or everything that is wrong with it. What is
 * read of a manifest and read again stays the same.
 */
export const readManifest = (value: unknown): Result.Result<PluginManifest, ReadonlyArray<ManifestIssue>> => {
  if (isDeeper(value, manifestDepthMax)) {
    return wholeIsWrong(`must be nested ${manifestDepthMax} levels deep at most`)
  }
  const reading = makeReading()
  const place = reading.object("", value)
  const manifest = place && read(reading, place)
  if (manifest === undefined || reading.issues.length > 0) return Result.fail(reading.issues)
  return storedSize(manifest) > manifestMax
    ? wholeIsWrong(`must have at most ${manifestMax.toLocaleString("en")} bytes`)
    : Result.succeed(manifest)
}

/** The manifest that bytes of JSON are; or what is wrong with it. */
export const readManifestBytes = (
  bytes: Uint8Array
): Result.Result<PluginManifest, "malformed" | ReadonlyArray<ManifestIssue>> =>
  Result.flatMap(
    Result.try({
      try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
      catch: () => "malformed" as const
    }),
    readManifest
  )

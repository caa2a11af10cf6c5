/** Which release a description is compared with, and whether a version may break clients of the one before. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import manifest from "../../package.json" with { type: "json" }
import { ForumApi } from "../../src/http/Api.ts"
import { documentOf } from "../../src/http/document/Document.ts"
import type { JsonObject } from "../../src/http/document/Json.ts"

const root = join(import.meta.dirname, "../..")

/** The directory with the description of each release. */
export const directory = join(root, "docs/openapi")

/** The description as it is now, of a service whose settings are the usual ones. */
export const describedNow = (): JsonObject =>
  documentOf(ForumApi, { publicUrl: new URL("http://localhost:8000"), version: manifest.version })

const partsOf = (version: string): readonly [number, number, number] => {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)$/.exec(version) ?? []
  if (major === undefined) throw new Error(`${version} is no version`)
  return [Number(major), Number(minor), Number(patch)]
}

export const isLater = (version: string, other: string): boolean => {
  const [parts, others] = [partsOf(version), partsOf(other)]
  const place = parts.findIndex((part, n) => part !== others[n])
  return place >= 0 && (parts[place] ?? 0) > (others[place] ?? 0)
}

/** Whether a version may break clients of an earlier one: a major one, and before 1.0.0 a minor one as well. */
export const mayBreak = (version: string, earlier: string): boolean => {
  const [major, minor] = partsOf(version)
  const [majorBefore, minorBefore] = partsOf(earlier)
  return major > majorBefore || (major === 0 && majorBefore === 0 && minor > minorBefore)
}

/** Whether the changelog has the day on which a version was released. */
export const isReleased = (version: string, changelog: string): boolean =>
  new RegExp(`^## \\[?${version.replaceAll(".", "\\.")}\\]?(?![\\d.])`, "m").test(changelog)

export const changelog = (): string => readFileSync(join(root, "CHANGELOG.md"), "utf8")

/** The versions of which files have the description, the latest last. */
export const versionsOf = (files: ReadonlyArray<string>): ReadonlyArray<string> =>
  files
    .flatMap((file) => /^(\d+\.\d+\.\d+)\.json$/.exec(file)?.[1] ?? [])
    .toSorted((one, other) => (isLater(one, other) ? 1 : -1))

/** The versions whose description is kept, the latest last. */
export const keptVersions = (): ReadonlyArray<string> => versionsOf(readdirSync(directory))

/** The version that others are compared with: the last one that was released, and before the first release the last kept. */
export const baseOf = (kept: ReadonlyArray<string>, changelog: string): string | undefined =>
  kept.findLast((version) => isReleased(version, changelog)) ?? kept.at(-1)

export const fileOf = (version: string): string => join(directory, `${version}.json`)

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))

export const descriptionOf = (version: string): JsonObject => decode(readFileSync(fileOf(version), "utf8"))

/** What breaks clients of the last release although its version does not say so, or because the next one may. */
export const acceptedFile = join(directory, "breaking.json")

export const accepted = (): ReadonlyArray<string> =>
  Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Schema.String)))(
    readFileSync(acceptedFile, "utf8")
  )

/** Reads JSON of others and names every rule that it breaks, not the first alone. Pure. */
import { Result } from "effect"
import type { JsonObject } from "../field/Json.ts"
import { hasAtMost, isStorable, isVisible, toLine, toLines } from "../field/Text.ts"

/** A rule that a manifest breaks, and where: as `access.links.0.url`, or empty for the whole. */
export interface ManifestIssue {
  readonly field: string
  readonly rule: string
}

/** What a value is, or the rule that it breaks. */
export type Rule<A> = (value: unknown) => Result.Result<A, string>

type Members = Readonly<Record<string, unknown>>

/** An object within a manifest, and where it is. */
export interface Place {
  readonly members: Members
  readonly field: string
}

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A value that is absent. Programs that write `null` mean the same. */
const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null

const characters = (max: number) => `at most ${max.toLocaleString("en")} characters`

const text =
  (max: number, change: (text: string) => string, isGood: (text: string) => boolean, rule: string) =>
  (value: unknown): Result.Result<string, string> => {
    if (typeof value !== "string") return Result.fail("must be a string")
    if (!isStorable(value)) return Result.fail("must have no NUL characters and no unpaired surrogates")
    // What takes long to change is not changed.
    if (!hasAtMost(value, 4 * max)) return Result.fail(`must have ${characters(max)}`)
    const changed = change(value)
    if (!hasAtMost(changed, max)) return Result.fail(`must have ${characters(max)}`)
    return isGood(changed) ? Result.succeed(changed) : Result.fail(rule)
  }

const any = () => true

/** A text that is kept as it is. */
export const verbatim = (max: number): Rule<string> => text(max, (same) => same, any, "")
/** One line, which may be empty. */
export const line = (max: number): Rule<string> => text(max, toLine, any, "")
/** One line in which something can be seen. */
export const visibleLine = (max: number): Rule<string> => text(max, toLine, isVisible, "must not be blank")
/** Any number of lines. */
export const lines = (max: number): Rule<string> => text(max, toLines, any, "")
/** A text of a pattern, which the rule says in words. */
export const matching = (max: number, pattern: RegExp, rule: string): Rule<string> =>
  text(
    max,
    (same) => same,
    (value) => pattern.test(value),
    rule
  )

export const flag: Rule<boolean> = (value) =>
  typeof value === "boolean" ? Result.succeed(value) : Result.fail("must be true or false")

export const number: Rule<number> = (value) =>
  typeof value === "number" && Number.isFinite(value)
    ? Result.succeed(value)
    : Result.fail("must be a number")

export const oneOf =
  <const A extends string>(values: ReadonlyArray<A>, rule: string): Rule<A> =>
  (value) => {
    const found = values.find((one) => one === value)
    return found === undefined ? Result.fail(rule) : Result.succeed(found)
  }

// What PostgreSQL writes of a number whose exponent JSON has.
const numberLength = (value: number): number => {
  const [digits = "", exponent] = String(value).split("e")
  return exponent === undefined ? digits.length : digits.length + Math.abs(Number(exponent)) + 2
}

/** At least the bytes that JSON takes in storage, where numbers have no exponents and marks are followed by a space. */
export const storedSize = (value: unknown): number => {
  if (typeof value === "number") return numberLength(value)
  if (typeof value === "string") return Buffer.byteLength(JSON.stringify(value))
  if (typeof value !== "object" || value === null) return 5
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + storedSize(one) + 2, 2)
  return Object.entries(value).reduce((sum, [key, one]) => sum + storedSize(key) + storedSize(one) + 4, 2)
}

/** Whether a value is nested deeper than some levels. */
export const isDeeper = (value: unknown, levels: number): boolean => {
  if (typeof value !== "object" || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}

/** Whether all texts of a value can be stored, its keys included. */
const isAllStorable = (value: unknown): boolean => {
  if (typeof value === "string") return isStorable(value)
  if (typeof value !== "object" || value === null) return true
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isAllStorable(inner))
}

// What came out of JSON is nothing else.
const isJsonObject = (value: unknown): value is JsonObject => isMembers(value)

/** An object of any form, which is kept as it is. */
export const json =
  (maxBytes: number): Rule<JsonObject> =>
  (value) => {
    if (!isJsonObject(value)) return Result.fail("must be an object")
    if (!isAllStorable(value)) return Result.fail("must have no NUL characters and no unpaired surrogates")
    return storedSize(value) > maxBytes
      ? Result.fail(`must have at most ${maxBytes.toLocaleString("en")} bytes as JSON`)
      : Result.succeed(value)
  }

const below = (field: string, key: string | number) => (field === "" ? String(key) : `${field}.${key}`)

/** What reads one manifest: it notes what is wrong, and goes on with `undefined`. */
export const makeReading = () => {
  const issues: Array<ManifestIssue> = []

  const refuse = (field: string, rule: string): undefined => {
    issues.push({ field, rule })
  }

  const checked = <A>(field: string, value: unknown, rule: Rule<A>): A | undefined => {
    const result = rule(value)
    return Result.isSuccess(result) ? result.success : refuse(field, result.failure)
  }

  const object = (field: string, value: unknown): Place | undefined =>
    isMembers(value) ? { members: value, field } : refuse(field, "must be an object")

  /** The value of a key that there has to be. */
  const required = <A>({ field, members }: Place, key: string, rule: Rule<A>): A | undefined =>
    isAbsent(members[key])
      ? refuse(below(field, key), "is missing")
      : checked(below(field, key), members[key], rule)

  /** The value of a key, if it is there. */
  const optional = <A>({ field, members }: Place, key: string, rule: Rule<A>): A | undefined =>
    isAbsent(members[key]) ? undefined : checked(below(field, key), members[key], rule)

  /** The object of a key, if it is there. */
  const inner = ({ field, members }: Place, key: string): Place | undefined =>
    isAbsent(members[key]) ? undefined : object(below(field, key), members[key])

  /** The elements of a list, if it is there. They are counted before they are read. */
  const list = <A>(
    { field, members }: Place,
    key: string,
    max: number,
    read: (field: string, value: unknown) => A | undefined
  ): ReadonlyArray<A> | undefined => {
    const [place, value] = [below(field, key), members[key]]
    if (isAbsent(value)) return undefined
    if (!Array.isArray(value)) return refuse(place, "must be a list")
    if (value.length > max) return refuse(place, `must have at most ${max} elements`)
    return value.flatMap((one, index) => read(below(place, index), one) ?? [])
  }

  /** The elements of a list that there has to be. */
  const requiredList = <A>(
    place: Place,
    key: string,
    max: number,
    read: (field: string, value: unknown) => A | undefined
  ): ReadonlyArray<A> =>
    (isAbsent(place.members[key])
      ? refuse(below(place.field, key), "is missing")
      : list(place, key, max, read)) ?? []

  /** Reads each element of a list by one rule. */
  const each =
    <A>(rule: Rule<A>) =>
    (field: string, value: unknown) =>
      checked(field, value, rule)

  return { issues, refuse, checked, object, required, optional, inner, list, requiredList, each } as const
}
export type Reading = ReturnType<typeof makeReading>

/** Names each value that a list has twice. */
export const refuseRepeated = (
  { refuse }: Reading,
  field: string,
  values: ReadonlyArray<string | undefined>
): void => {
  const seen = new Set<string>()
  for (const [index, value] of values.entries()) {
    if (value !== undefined && seen.has(value))
      refuse(below(field, index), `repeats ${JSON.stringify(value)}`)
    if (value !== undefined) seen.add(value)
  }
}

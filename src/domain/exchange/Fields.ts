/** What the records of an export are made of. See docs/export-format.md. */
import { Schema } from "effect"

/** How many bytes the line of a record may have. */
export const lineMax = 8 * 1024 * 1024

/** How many characters text with markup may have. */
const markupMax = 2 * 1024 * 1024

/** How many of something a record may have. */
const manyMax = 1000

export const Id = Schema.String.check(
  Schema.isPattern(/^[0-9a-v]{20}$/u, { expected: "an id: 20 characters of 0-9 and a-v" })
)

/** The id of a record of this kind. */
export const idOf = (kind: string) => Id.annotate({ description: `The id of one of \`${kind}\`` })

/** The id of a record of a kind that may come later than the one that names it. */
export const laterIdOf = (kind: string) =>
  Id.annotate({ description: `The id of one of \`${kind}\`, which may come later` })

export const Time = Schema.String.check(
  Schema.isPattern(
    /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?Z$/u,
    { expected: "an instant of RFC 3339 in UTC, such as 2026-11-26T09:30:00.123456Z" }
  )
).annotate({ format: "date-time" })

export const Text = (max: number, min = 0) =>
  Schema.String.check(Schema.isMinLength(min), Schema.isMaxLength(max))

/** HTML as it is stored, which is not trusted: whoever reads it cleans it. */
export const Markup = Text(markupMax).annotate({ description: "HTML" })

/** Plain text that people write of something, of any length. */
export const Prose = Text(markupMax)

export const Name = Text(255, 1)

export const Slug = Text(255, 1)

export const Many = <S extends Schema.Constraint>(item: S, max = manyMax) =>
  Schema.Array(item).check(Schema.isMaxLength(max))

/** A JSON object of any form, which is kept as it is. */
export const AnyObject = Schema.Record(Schema.String, Schema.Json)

export const Sha256 = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{64}$/u, { expected: "a SHA-256 as 64 hexadecimal digits" })
)

/** The bytes are in `files/<sha256>`. */
export const FileHash = Sha256.annotate({
  description: "The bytes are in `files/<sha256>`. Absent: they are lost."
})

export const Visibility = Schema.Literals(["draft", "unlisted", "review", "published"])

export const created = { id: Id, created_at: Time }

export const changed = { ...created, updated_at: Time }

export const maybe: typeof Schema.optionalKey = Schema.optionalKey

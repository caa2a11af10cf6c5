/** What an export says of itself. */
import { Schema } from "effect"
import { Id, Many, maybe, Sha256, Text } from "./Fields.ts"

export const manifestName = "manifest.json"

export const contentsName = "contents.json"

/** Another one means that something was added or changed: what reads this one reads no newer one. */
export const version = 1

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** The first file of an export. It has no time, so that the same data become the same bytes. */
export const Manifest = Schema.Struct({
  format: Schema.Literal("forum-export"),
  version: Schema.Literal(version),
  made_by: Text(200, 1).annotate({ description: "The program and its release" }),
  title: Text(255).annotate({ description: "What the instance is called" }),
  address: maybe(Text(2048, 1)).annotateKey({
    description: "Where it was: what begins with it in texts leads to the instance itself"
  }),
  account_id: maybe(Id).annotateKey({
    description: "Only what is own data of this account is here. What its records refer to may not be"
  }),
  with_addresses: Schema.Boolean.annotate({
    description: "Whether accounts have email addresses, phone numbers and identities at other services"
  })
})
export type Manifest = typeof Manifest.Type

/** The manifest of an export that this release makes. */
export const manifestOf = ({
  address,
  ...about
}: Omit<Manifest, "format" | "version" | "address"> & {
  readonly address?: string | undefined
}): Manifest => ({
  format: "forum-export",
  version,
  ...about,
  ...(address === undefined ? {} : { address })
})

/** The text of such a file. */
export const jsonText = <A, I>(schema: Schema.Codec<A, I>, value: A): string =>
  `${JSON.stringify(Schema.encodeSync(Schema.toCodecJson(schema))(value), undefined, 2)}\n`

/** The last file of an export: what else there is. An export that lacks it is not whole, if this program made it. */
export const Contents = Schema.Struct({
  parts: Many(
    Schema.Struct({ name: Text(200, 1), records: Count, bytes: Count, sha256: Sha256 }),
    1_000_000
  ).annotate({ description: "Every file with records, in their order" }),
  files: Schema.Struct({ number: Count, bytes: Count }).annotate({ description: "Those in `files/`" }),
  missing_files: Count.annotate({ description: "How many files were named and nowhere to be found" })
})
export type Contents = typeof Contents.Type

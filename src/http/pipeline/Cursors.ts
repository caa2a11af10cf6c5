/**
 * Cursors as texts: of which list they are, how many pages the walk has had, and after which row it goes on. They are not
 * signed, as they only say where to begin in what the caller may read; what they hold is checked where it is used.
 */
import { createHash } from "node:crypto"
import { Option, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { isStorable } from "../../domain/field/Text.ts"
import { cursorMax, type RowKey } from "../../domain/shared/ListPlace.ts"

/** Raised whenever the form of cursors changes, so that those of other releases are refused. */
const version = 1

const digestCharacters = 16

const pageMax = 2 ** 31 - 1

const Page = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: pageMax }))
const Key = Schema.Array(Schema.String.check(Schema.makeFilter(isStorable)))

const Form = Schema.fromJsonString(Schema.Tuple([Schema.Literal(version), Schema.String, Page, Key]))

const read = Schema.decodeUnknownOption(Form)

export interface Cursor {
  /** Which list with which parameters the cursor is of. */
  readonly list: string
  readonly page: number
  readonly after: RowKey
}

/** What a list is, and which of its parameters narrow it, in a few characters. */
export const listDigest = (path: string, parameters: ReadonlyArray<object | undefined>): string => {
  const given = parameters.map((group) =>
    Object.entries(group ?? {})
      .filter(([name, value]) => name !== "page" && name !== "cursor" && value !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1))
  )
  return createHash("sha256")
    .update(JSON.stringify([path, ...given]))
    .digest("base64url")
    .slice(0, digestCharacters)
}

export const writeCursor = ({ after, list, page }: Cursor): string =>
  Base64Url.encode(JSON.stringify([version, list, page, after]))

/** What a text says as a cursor; none if it is no cursor. */
export const readCursor = (text: string): Option.Option<Cursor> => {
  if (text.length > cursorMax) return Option.none()
  const json = Base64Url.decodeString(text)
  return json._tag === "Failure"
    ? Option.none()
    : Option.map(read(json.success), ([, list, page, after]) => ({ list, page, after }))
}

/** Records of an export as expressions of SQL, which give JSON as text: the same bytes from any server. */
import type { Kind, kinds } from "../../domain/exchange/Kinds.ts"

/** What one kind of records consists of. An expression that is null is a field that the record does not have. */
export interface Source<K extends Kind> {
  readonly from: string
  readonly where?: string
  /** What the rows are ordered by. */
  readonly order: ReadonlyArray<string>
  readonly fields: { readonly [Field in keyof (typeof kinds)[K]["record"]["fields"]]: string }
  /** The columns that say whose own data a record is: who made it or whom it is about. Others have none. */
  readonly accounts?: ReadonlyArray<string>
  /** Fields that say what others did, which are not in the own data of an account. */
  readonly withheld?: ReadonlyArray<string>
}

/** A text, a number, a boolean or an array of texts. */
export const value = (column: string): string => `to_json(${column})::text`

/** What is JSON already. */
export const json = (column: string): string => `${column}::text`

/** To the microsecond, as it is stored. */
export const time = (column: string): string =>
  `'"' || to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'`

/** A field that only some exports have. */
export const when = (isThere: boolean, field: string): string => (isThere ? field : "null")

/** An object of these fields, in their order. The first of them is always there. */
export const object = (fields: Readonly<Record<string, string>>): string => {
  const members = Object.entries(fields).map(
    ([name, field], place) => `'${place === 0 ? "{" : ","}"${name}":' || ${field}`
  )
  return `concat(${members.join(", ")}, '}')`
}

/** An array of what a query finds, which may be empty. */
export const array = (item: string, from: string, order: ReadonlyArray<string>): string =>
  `(select '[' || coalesce(string_agg(${item}, ',' order by ${order.join(", ")}), '') || ']' from ${from})`

/** By bytes, whatever the database sorts by. */
export const byBytes = (column: string): string => `${column} collate "C"`

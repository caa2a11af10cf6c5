/** Every column that may hold something about a person, with what becomes of it when an account is erased. */
import { ofAccounts } from "./declared/accounts.ts"
import { ofContents } from "./declared/contents.ts"
import { ofOperation } from "./declared/operation.ts"
import { type Fate, type Fates, fates } from "./Fate.ts"

export const declared: Fates = { ...ofAccounts, ...ofContents, ...ofOperation }

export interface Place {
  readonly table: string
  readonly column: string
}

const isFate = (word: string): word is Fate => word in fates

/** All columns with what becomes of them. */
export const places: ReadonlyArray<Place & { readonly fate: Fate }> = Object.entries(declared).flatMap(
  ([table, byFate]) =>
    Object.entries(byFate).flatMap(([fate, columns]) =>
      isFate(fate) ? columns.map((column) => ({ table, column, fate })) : []
    )
)

/** The columns of which this becomes. */
export const placesOf = (fate: Fate): ReadonlyArray<Place> => places.filter((place) => place.fate === fate)

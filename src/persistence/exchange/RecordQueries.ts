/** A query for each kind of records of an export: one column, a record in each row. */
import { type Kind, kinds } from "../../domain/exchange/Kinds.ts"
import * as discussion from "./DiscussionSources.ts"
import * as library from "./LibrarySources.ts"
import * as people from "./PeopleSources.ts"
import * as places from "./PlaceSources.ts"
import { object, type Source } from "./RecordSql.ts"

export interface Wanted {
  /** Whether accounts have the addresses by which they are reached and sign in. */
  readonly withAddresses: boolean
  /** Whether the database sorts by bytes anyway, so that its indexes have that order. */
  readonly sortsByBytes: boolean
  /** Only the own data of this account. */
  readonly account?: string
}

const sourcesOf = (withAddresses: boolean): { readonly [K in Kind]: Source<K> } => ({
  ...people,
  ...places,
  ...library,
  ...discussion,
  accounts: people.accounts(withAddresses)
})

const literal = (id: string) => {
  if (!/^[0-9a-v]{20}$/.test(id)) throw new Error(`${id} is no id`)
  return `'${id}'`
}

const conditionOf = ({ accounts = [], where = "true" }: Source<Kind>, account: string | undefined) =>
  account === undefined ? where : `${where} and ${literal(account)} in (${["null", ...accounts].join(", ")})`

/** The records of a kind, in their order. */
export const recordsOf = (kind: Kind, { account, sortsByBytes, withAddresses }: Wanted): string => {
  const source: Source<Kind> = sourcesOf(withAddresses)[kind]
  const fields: Readonly<Record<string, string>> = source.fields
  const withheld = new Set<string>(account === undefined ? [] : source.withheld)
  const inOrder = Object.keys(kinds[kind].record.fields).map((name) => [
    name,
    withheld.has(name) ? "null" : (fields[name] ?? "null")
  ])
  const query = `select ${object(Object.fromEntries(inOrder))} as record from ${source.from}
    where ${conditionOf(source, account)} order by ${source.order.join(", ")}`
  return sortsByBytes ? query.replaceAll(' collate "C"', "") : query
}

/** The kinds that have own data of accounts. */
export const kindsOfAccounts: ReadonlyArray<Kind> = Object.entries(sourcesOf(true)).flatMap(
  ([kind, { accounts }]) => (accounts === undefined || !isKind(kind) ? [] : [kind])
)

function isKind(name: string): name is Kind {
  return name in kinds
}

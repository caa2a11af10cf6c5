/** How records of a kind are made rows of their staging table. */
import { Result, type Schema } from "effect"
import type { Value } from "../Copying.ts"
import { type Json, makeRepairing, type Notes, type Repairs } from "./Repair.ts"

export type Row = Readonly<Record<string, Value>>

export interface Kind {
  /** The columns of the staging table with their types, beside the number of the record. */
  readonly columns: Readonly<Record<string, string>>
  /** The row of a record, or why it is left out. */
  readonly read: (record: Json, notes: Notes) => Result.Result<Row, string>
}

interface Reading<A> {
  readonly record: Schema.ConstraintDecoder<A> & Schema.Constraint
  readonly columns: string
  readonly repairs?: Repairs
  /** What is changed before the record is checked. */
  readonly before?: (record: Json, notes: Notes) => Json
  /** What is made of it beside its own fields. */
  readonly derive?: (record: A, notes: Notes, given: Json) => Row
}

const columnsOf = (text: string): Kind["columns"] =>
  Object.fromEntries(
    text
      .trim()
      .split(/\s+/)
      .map((column) => {
        const [name = "", type = "text"] = column.split(":")
        return [name, type]
      })
  )

/** A kind whose columns are named `name` or, if they are no text, `name:type`, with spaces between. */
export const kindOf = <A extends object>({ before, columns, derive, record, repairs }: Reading<A>): Kind => {
  const repair = makeRepairing(record, repairs)
  return {
    columns: columnsOf(columns),
    read: (given, notes) =>
      Result.map(repair(before?.(given, notes) ?? given, notes), (read) => ({
        ...read,
        ...derive?.(read, notes, given)
      }))
  }
}

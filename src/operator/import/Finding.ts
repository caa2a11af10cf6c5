/** What was not imported as it is in the input, and why: each is a line of the report. */

/** What became of a record. */
export type Outcome = "left out" | "repaired" | "there already"

/** Why. The report names these. */
export type Reason =
  | "account_unknown"
  | "already_there"
  | "address_taken"
  | "administrator_beside"
  | "too_deep"
  | "cycle"
  | "duplicate_id"
  | "duplicate"
  | "encoding"
  | "file_damaged"
  | "file_missing"
  | "handle_changed"
  | "handle_taken"
  | "hash_unknown"
  | "id_changed"
  | "invalid"
  | "kind_not_imported"
  | "limit"
  | "line_too_long"
  | "markup_too_complex"
  | "name_changed"
  | "no_administrator"
  | "no_such_reference"
  | "not_exported"
  | "not_json"
  | "only_into_empty"
  | "order"
  | "parent_missing"
  | "slug_changed"
  | "text_cut"
  | "time_changed"

export interface Finding {
  readonly kind: string
  /** The number of the record among those of its kind, from 1. */
  readonly line: number
  readonly id?: string | undefined
  readonly outcome: Outcome
  readonly reason: Reason
  /** The field that it is about. */
  readonly field?: string | undefined
  readonly detail?: string | undefined
}

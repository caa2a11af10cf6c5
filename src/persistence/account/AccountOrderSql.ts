/** The orders of lists of accounts. Each has an index. */
import type { AccountOrder } from "../../domain/account/AccountListing.ts"
import type { RowOrder } from "../shared/RowOrder.ts"

// Accounts of one instant or one name are shown newest first in both directions.
export const rowOrder = ({ by, descending }: AccountOrder): RowOrder => {
  const direction = descending ? "desc" : "asc"
  switch (by) {
    case "created_at":
      return [
        ["a.created_at", direction, "timestamptz"],
        ["a.id", "desc", "text"]
      ]
    case "updated_at":
      return [
        ["a.updated_at", direction, "timestamptz"],
        ["a.created_at", "desc", "timestamptz"],
        ["a.id", "desc", "text"]
      ]
    case "name":
      return [
        ['a.name_form collate "C"', direction, "text"],
        ["a.created_at", "desc", "timestamptz"],
        ["a.id", "desc", "text"]
      ]
    case "handle":
      return [
        ['a.handle collate "C"', direction, "text"],
        ["a.id", direction, "text"]
      ]
  }
}

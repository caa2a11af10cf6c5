/** Lists of accounts: which accounts and in which order, whatever is shown of each. */
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { type ListedAccounts, pageSize, selectedMax } from "../../domain/account/AccountListing.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { type Identified, pagedList } from "../shared/PagedList.ts"
import { withinSearchTime } from "../shared/Searching.ts"
import { rowOrder } from "./AccountOrderSql.ts"
import { foundBy, joinedIn, selections } from "./AccountSelection.ts"

/** The columns that a list shows of `accounts a`, and the joins that they need. */
interface Shows {
  readonly columns: string
  readonly joins: string
}

/** The filters that only lists for staff have. */
interface StaffFilter {
  readonly conditions: ReadonlyArray<Statement.Fragment>
  /** The text to find in email addresses and ids, which are not compared in the form of names. */
  readonly verbatim: string | undefined
}

const nothingElse: StaffFilter = { conditions: [], verbatim: undefined }

/** Makes a reader of pages of accounts. */
export const makeAccountListing = <Shown extends Identified>({ columns, joins }: Shows) =>
  Effect.gen(function* () {
    const quick = yield* QuickReads
    const slow = yield* SlowReads

    return (filter: ListedAccounts, staff: StaffFilter = nothingElse) => {
      const { order, place, text } = filter
      const list = pagedList<Shown>({
        table: "accounts",
        row: "a",
        columns,
        order: rowOrder(order),
        pageSize,
        size: "a.profile_weight"
      })
      const conditions = [...joinedIn(quick, filter.joined), ...staff.conditions]
      const query = { place, joins: quick.literal(joins) }
      const selecting = selections(slow, filter)
      if (text === undefined && selecting.length === 0) {
        // Only of the list that people often ask for, statements are kept prepared.
        const isPrepared = conditions.length === 0 && order.by === "created_at" && order.descending
        return list.page(quick, { ...query, conditions, isPrepared })
      }
      // A text, role or inviter may select most accounts, or so few that the index of the order is read almost whole.
      return withinSearchTime(
        Effect.flatMap(foundBy(slow, text, staff.verbatim), (found) =>
          list.search(slow, {
            ...query,
            conditions: [...found, ...selecting, ...conditions],
            most: selectedMax
          })
        )
      )
    }
  })

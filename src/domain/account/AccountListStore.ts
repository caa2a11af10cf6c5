/** What the list of all accounts needs from storage. */
import { Context, type Effect } from "effect"
import type { ListExtent } from "../shared/ListPlace.ts"
import type { SearchTookTooLong } from "../text/TextProblem.ts"
import type { Account } from "./Account.ts"
import type { ListedAccounts } from "./AccountListing.ts"

export interface AccountListFilter extends ListedAccounts {
  /** What was searched for, as it stands in email addresses and ids; absent where `text` is. */
  readonly verbatim: string | undefined
  /** Whether the listed accounts are suspended; if absent, it does not matter. */
  readonly suspended: boolean | undefined
  readonly admin: boolean | undefined
  readonly kind: Account["kind"] | undefined
  /** Ways to sign in: each listed account has at least one of them. If empty, they do not matter. */
  readonly authServices: ReadonlyArray<string>
}

export interface AccountListPage extends ListExtent {
  readonly accounts: ReadonlyArray<Account>
}

export class AccountListStore extends Context.Service<
  AccountListStore,
  {
    /** A page of all accounts. If a text, roles or inviters select them, it lists and counts `selectedMax` at most. */
    readonly list: (filter: AccountListFilter) => Effect.Effect<AccountListPage, SearchTookTooLong>
  }
>()("forum/domain/AccountListStore") {}

/** What the list of all accounts needs from storage. */
import { Context, type Effect } from "effect"
import type { SearchTookTooLong } from "../text/TextProblem.ts"
import type { Account } from "./Account.ts"
import type { ListedAccounts } from "./AccountListing.ts"

export interface AccountListFilter extends ListedAccounts {
  /** What was searched for, as it stands in email addresses and ids; absent where `text` is. */
  readonly verbatim: string | undefined
  /** Absent, both those that are and those that are not. */
  readonly suspended: boolean | undefined
  readonly admin: boolean | undefined
  readonly kind: Account["kind"] | undefined
  /** Ways to sign in, of which an account has any; empty, any account. */
  readonly authServices: ReadonlyArray<string>
}

export interface AccountListPage {
  readonly total: number
  readonly accounts: ReadonlyArray<Account>
}

export class AccountListStore extends Context.Service<
  AccountListStore,
  {
    /** Of accounts that a text, roles or inviters select, `selectedMax` are listed and counted. */
    readonly list: (filter: AccountListFilter) => Effect.Effect<AccountListPage, SearchTookTooLong>
  }
>()("forum/domain/AccountListStore") {}

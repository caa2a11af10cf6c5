/** All accounts, as staff list them. */
import { Schema } from "effect"
import { onePage, withExample } from "../field/Example.ts"
import * as Text from "../field/Text.ts"
import { PageFields } from "../shared/Page.ts"
import { Account } from "./Account.ts"
import { listedAccount } from "./AccountExamples.ts"

export const AccountListResult = Schema.Struct({ ...PageFields, accounts: Schema.Array(Account) })
  .annotate({
    identifier: "AccountListResult",
    description:
      "A page of accounts, without `notifications`. A page has fewer where they are large, so that an answer has about 2 MiB: `next_page` goes on with the next one."
  })
  .pipe(withExample({ ...onePage, accounts: [listedAccount] }))
export interface AccountListResult extends Schema.Schema.Type<typeof AccountListResult> {}

/** What names, handles and email addresses are searched for. */
export const AccountSearchText = Text.term({
  max: 200,
  description:
    "Text that the name, the handle or an email address contains, or the id of an account. Letter case does not matter; in names and handles, accents and compatibility characters do not matter either."
})

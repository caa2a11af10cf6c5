import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Account } from "../../domain/account/Account.ts"
import { Accounts } from "../../domain/account/Accounts.ts"
import { ForumApi } from "../Api.ts"
import { makeConditional } from "../shared/Conditional.ts"

export const layer = HttpApiBuilder.group(
  ForumApi,
  "accounts",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const answerAccount = yield* makeConditional(Account)
    return handlers.handleAll({
      getOwn: ({ headers }) =>
        Effect.flatMap(accounts.own(), (account) => answerAccount(account, headers["if-none-match"])),
      updateOwn: ({ payload }) => accounts.updateOwn(payload),
      get: ({ params }) => accounts.view(params.account_id)
    })
  })
)

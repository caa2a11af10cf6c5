import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { Account } from "../../domain/account/Account.ts"
import { Accounts } from "../../domain/account/Accounts.ts"
import { CurrentActor } from "../../domain/shared/Actor.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import { ForumApi } from "../Api.ts"
import { cachingFor, makeConditional } from "../bytes/ConditionalResponse.ts"
import { group } from "../pipeline/HandlerGroup.ts"

export const layer = group(
  ForumApi,
  "accounts",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const answerAccount = yield* makeConditional(Account)

    const view = Effect.fnUntraced(function* (id: AccountId) {
      const body = yield* accounts.view(id)
      return HttpApiSchema.withHeaders({
        body,
        headers: { "cache-control": cachingFor(yield* CurrentActor) }
      })
    })

    return handlers.handleAll({
      getOwn: ({ headers }) =>
        Effect.flatMap(accounts.own(), (account) =>
          answerAccount(account, headers["if-none-match"], "private, no-cache")
        ),
      updateOwn: ({ payload }) => accounts.updateOwn(payload),
      get: ({ params }) => view(params.account_id)
    })
  })
)

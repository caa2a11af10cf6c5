import { Effect } from "effect"
import { EmailAddresses } from "../../domain/authentication/EmailAddresses.ts"
import { Resets } from "../../domain/authentication/Resets.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { fromNetwork } from "../pipeline/RequestContext.ts"

export const layer = group(
  ForumApi,
  "emailAddresses",
  Effect.fnUntraced(function* (handlers) {
    const addresses = yield* EmailAddresses
    const resets = yield* Resets

    return handlers.handleAll({
      add: ({ payload }) => fromNetwork((from) => addresses.add(payload.email_address, from)),
      remove: ({ params }) => addresses.remove(params.email_address_id),
      setVerified: ({ params, payload }) =>
        addresses.setVerified(params.account_id, params.email_address_id, payload.verified),
      issueResetToken: ({ params }) => resets.issueForStaff(params.account_id),
      mailResetToken: ({ params, payload }) =>
        fromNetwork((from) => resets.mailForStaff(params.account_id, payload, from))
    })
  })
)

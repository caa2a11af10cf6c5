/** Erasing accounts: what is asked for, and what becomes of it. */
import { Duration, Schema } from "effect"
import { ownPassword } from "../authentication/OwnerProof.ts"
import { withExample } from "../field/Example.ts"
import { Timestamp } from "../field/Resource.ts"
import { AccountId } from "../shared/Id.ts"
import { Problem } from "../shared/Problem.ts"
import { askedErasure, erasure, orderedErasure } from "./ErasureExamples.ts"

/** The account in whose name stays what erased accounts made. */
export const nobody = AccountId.make("0000000000000000000g")

/** How long an erasure can be taken back. */
export const waiting = Duration.days(7)

/** How long a handle stays nobody's. */
export const retirement = Duration.days(365)

const keepPosts = Schema.Boolean.annotate({
  description:
    "Whether what others can read of your threads, replies, events and pages stays, as of a deleted account. Drafts, what waits for review, likes, reactions and collections go in any case"
})

export const AskedErasure = Schema.Struct({
  keep_posts: keepPosts,
  password: ownPassword
})
  .annotate({ identifier: "AccountErasureInitialProps", description: "That your account is to be erased" })
  .pipe(withExample(askedErasure))
export interface AskedErasure extends Schema.Schema.Type<typeof AskedErasure> {}

export const OrderedErasure = Schema.Struct({
  keep_posts: keepPosts,
  at_once: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "Whether it begins now, so that it cannot be taken back; after seven days where it is absent"
    })
  )
})
  .annotate({ identifier: "AccountErasureOrderProps", description: "That an account is to be erased" })
  .pipe(withExample(orderedErasure))
export interface OrderedErasure extends Schema.Schema.Type<typeof OrderedErasure> {}

export const Erasure = Schema.Struct({
  requested_at: Timestamp.annotateKey({ description: "When it was asked for" }),
  erased_at: Timestamp.annotateKey({
    description: "When the account will be erased; until then the request can be taken back"
  }),
  keep_posts: Schema.Boolean.annotate({ description: "Whether what others can read stays, as of nobody" }),
  begun: Schema.Boolean.annotate({
    description: "Whether the account is being erased, so that nothing can be taken back any more"
  })
})
  .annotate({ identifier: "AccountErasure", description: "That an account is to be erased, and when" })
  .pipe(withExample(erasure))
export interface Erasure extends Schema.Schema.Type<typeof Erasure> {}

export class ErasureNotFound extends Problem<ErasureNotFound>()("ErasureNotFound", {
  status: 404,
  title: "This account is not to be erased",
  explanation: "Nobody has asked for it, or the request was taken back."
}) {}

export class ErasureBegun extends Problem<ErasureBegun>()("ErasureBegun", {
  status: 409,
  title: "This account is being erased",
  explanation: "The time is over in which the request could be taken back or changed."
}) {}

export class ErasureOfSelf extends Problem<ErasureOfSelf>()("ErasureOfSelf", {
  status: 400,
  title: "Ask for the erasure of your own account as its owner",
  explanation: "Staff erase accounts of others. Your own is erased by `POST /accounts/self/erasure`."
}) {}

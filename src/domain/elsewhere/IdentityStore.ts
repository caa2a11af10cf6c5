/** What sign-ins elsewhere need from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ServiceElsewhere } from "../authentication/AuthProvider.ts"
import type { AccountId, IdentityId } from "../shared/Id.ts"
import type { IdentityTaken, TooManyIdentities } from "./Elsewhere.ts"

/** Which person at which service. */
export interface IdentityKey {
  readonly service: ServiceElsewhere
  readonly issuer: string
  readonly subject: string
}

/** The account that signs in so. */
export interface IdentityOwner {
  readonly id: IdentityId
  readonly accountId: AccountId
  readonly suspended: boolean
}

export interface IdentityInsert extends IdentityKey {
  readonly id: IdentityId
  readonly accountId: AccountId
  readonly name: string
  readonly at: DateTime.Utc
}

export class IdentityStore extends Context.Service<
  IdentityStore,
  {
    readonly findOwner: (key: IdentityKey) => Effect.Effect<Option.Option<IdentityOwner>>
    readonly insert: (identity: IdentityInsert) => Effect.Effect<void, IdentityTaken | TooManyIdentities>
    /** Notes that somebody signed in so; false if the account has given it up meanwhile. */
    readonly noteUse: (id: IdentityId, at: DateTime.Utc) => Effect.Effect<boolean>
  }
>()("forum/domain/IdentityStore") {}

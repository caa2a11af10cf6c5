/** What the ways to sign in of an account need from storage. */
import { Context, type Effect } from "effect"
import type { AccountId } from "../shared/Id.ts"
import type { StoredMethod } from "./AuthMethodRules.ts"

export class AuthMethodStore extends Context.Service<
  AuthMethodStore,
  {
    /** The methods with which an account signs in, oldest first. */
    readonly listOf: (accountId: AccountId) => Effect.Effect<ReadonlyArray<StoredMethod>>
    /** Reads the methods as `listOf` does; no other request removes any of them until the transaction ends. */
    readonly listForUpdate: (accountId: AccountId) => Effect.Effect<ReadonlyArray<StoredMethod>>
    readonly delete: (accountId: AccountId, method: StoredMethod) => Effect.Effect<void>
  }
>()("forum/domain/AuthMethodStore") {}

/** What the rules of warnings need from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId, WarningId } from "../shared/Id.ts"
import type { TooManyWarnings, Warning } from "./Warning.ts"

export interface WarningInsert {
  readonly id: WarningId
  readonly at: DateTime.Utc
  readonly accountId: AccountId
  readonly issuerId: AccountId
  readonly reason: string
}

/** A warning that is locked until the transaction ends. */
export interface LockedWarning {
  readonly id: WarningId
  readonly reason: string
  /** Who gave it. */
  readonly issuerId: AccountId | undefined
}

export class WarningStore extends Context.Service<
  WarningStore,
  {
    readonly insert: (warning: WarningInsert) => Effect.Effect<void, TooManyWarnings>
    /** The warning, if it is this account's. */
    readonly find: (accountId: AccountId, id: string) => Effect.Effect<Option.Option<Warning>>
    /** The warnings of an account, newest first. */
    readonly list: (accountId: AccountId) => Effect.Effect<ReadonlyArray<Warning>>
    readonly findForUpdate: (accountId: AccountId, id: string) => Effect.Effect<Option.Option<LockedWarning>>
    readonly setReason: (id: WarningId, reason: string) => Effect.Effect<void>
    /** The warning that was deleted, if the account had it. */
    readonly delete: (accountId: AccountId, id: string) => Effect.Effect<Option.Option<LockedWarning>>
  }
>()("forum/domain/WarningStore") {}

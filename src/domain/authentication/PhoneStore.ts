/** What signing in with phone numbers needs from storage. Numbers are in the form of E.164. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ClientNetwork } from "../shared/Client.ts"
import type { AccountId, PhoneNumberId } from "../shared/Id.ts"
import type { CodeStore } from "./CodeStore.ts"
import type { PhoneCodeWrong } from "./PhoneSignIn.ts"

export interface StoredNumber {
  readonly id: PhoneNumberId
  readonly number: string
}

/** An account as signing in with its number sees it. */
export interface PhoneAccount {
  readonly accountId: AccountId
  readonly handle: string
  readonly suspended: boolean
  readonly phone: StoredNumber | undefined
}

/** Somebody who signs up with a number, and has not sent the code back yet. */
export interface PhoneSignUp extends StoredNumber {
  readonly handle: string
  /** The invitation that the request named. */
  readonly invitationId: string | undefined
  /** Where the sign-up began, which is no stranger's network. */
  readonly network: ClientNetwork
}

export class PhoneStore extends Context.Service<
  PhoneStore,
  CodeStore<PhoneNumberId> & {
    readonly findAccount: (handle: string) => Effect.Effect<Option.Option<PhoneAccount>>
    /** Locks an account until the transaction ends, and reads its number. */
    readonly findNumberForUpdate: (accountId: AccountId) => Effect.Effect<StoredNumber | undefined>
    /** The handle of the account that has this number, as the running transaction sees it. */
    readonly findHandleOf: (number: string) => Effect.Effect<string | undefined>
    /** The sign-up with this handle, if its code is valid. */
    readonly findSignUp: (handle: string, at: DateTime.Utc) => Effect.Effect<Option.Option<PhoneSignUp>>
    /**
     * Begins a sign-up, unless somebody else, or elsewhere, waits for a code with the handle. Answers the one that there
     * is now, which nobody else changes until the transaction ends.
     */
    readonly putSignUp: (signUp: PhoneSignUp, at: DateTime.Utc) => Effect.Effect<PhoneSignUp>
    /** Makes the number of a sign-up that of its account, unless another account has it. */
    readonly assign: (
      id: PhoneNumberId,
      accountId: AccountId,
      at: DateTime.Utc
    ) => Effect.Effect<void, PhoneCodeWrong>
    /** Removes sign-ups that no code is there for any more. */
    readonly deleteForgottenSignUps: Effect.Effect<void>
  }
>()("forum/domain/PhoneStore") {}

/** What codes need from storage, whatever they are sent to. Codes themselves never arrive here. */
import type { DateTime, Effect, Option } from "effect"
import type { Client } from "../shared/Client.ts"
import type { StoredCode } from "./CodeRules.ts"

/** The codes of one kind of receivers, by the id of the receiver: each has one code at most. */
export interface CodeStore<Id extends string> {
  /** The key that codes are made with. */
  readonly codeKey: Effect.Effect<Uint8Array>
  readonly findCode: (id: Id) => Effect.Effect<Option.Option<StoredCode>>
  /** Replaces the code of a receiver. */
  readonly putCode: (id: Id, code: StoredCode) => Effect.Effect<void>
  /** Notes that several have asked for the code of a receiver. */
  readonly shareCode: (id: Id) => Effect.Effect<void>
  /** Counts an attempt at the code of a receiver, while who sends it has some left and it is valid; answers its nonce. */
  readonly countAttempt: (
    id: Id,
    client: Client,
    at: DateTime.Utc
  ) => Effect.Effect<Option.Option<Uint8Array>>
  /** Takes back the count of an attempt that was right. */
  readonly uncountAttempt: (id: Id, client: Client, nonce: Uint8Array) => Effect.Effect<void>
  /** Uses a code up; false if somebody else did, or if there is another one by now. */
  readonly takeCode: (id: Id, nonce: Uint8Array) => Effect.Effect<boolean>
  readonly deleteExpiredCodes: (at: DateTime.Utc) => Effect.Effect<void>
}

import { Context, type Effect } from "effect"

/**
 * A question that storage answers together with who the caller is, in one round trip: the address of
 * some requests already says what they are about. Stores make it, and only storage reads it.
 */
export abstract class AskedWithCaller<out A> {
  /** The type of the answer; there is no such value. */
  declare readonly Answer: A
}

/**
 * Lets those who change the same thing wait for each other before they take anything that others need. An
 * effect that begins a transaction, with the id of what it changes; not one that runs in a transaction.
 */
export class WriteQueue extends Context.Service<
  WriteQueue,
  <A, E, R>(id: string, write: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
>()("forum/domain/WriteQueue") {}

/** Makes several writes one: all of them are kept, or none. Inside another it joins that one. */
export class Transaction extends Context.Service<
  Transaction,
  <A, E, R>(writes: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
>()("forum/domain/Transaction") {}

/** Whether a transaction is running. What takes long, and needs none of it, is done before one begins. */
export const InTransaction = Context.Reference<boolean>("forum/domain/InTransaction", {
  defaultValue: () => false
})

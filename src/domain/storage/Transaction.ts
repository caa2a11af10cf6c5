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

/**
 * Makes all that some work writes one, with what is written after it of its outcome. The first write begins a
 * transaction, which stays open until the end: transactions of the work become parts of it, and what the work reads
 * from then on is as it has been written. If anything fails, nothing is kept. Work that writes nothing begins none.
 */
export class HeldTransaction extends Context.Service<
  HeldTransaction,
  <A, E, R, B, F, S>(
    work: Effect.Effect<A, E, R>,
    finish: (outcome: A) => Effect.Effect<B, F, S>
  ) => Effect.Effect<B, E | F, R | S>
>()("forum/domain/HeldTransaction") {}

/** Does something once all that has been written is committed: now, if it is. It is not done if that is undone. */
export class AfterCommit extends Context.Service<
  AfterCommit,
  <R>(consequence: Effect.Effect<void, never, R>) => Effect.Effect<void, never, R>
>()("forum/domain/AfterCommit") {}

/** What caches have to know of a request that reads what it has written and not yet committed. */
export interface Unsettled {
  /** When it began to write, in milliseconds of `performance.now`; undefined if what it reads is committed. */
  readonly since: () => number | undefined
  /** Keeps what was read for others, as soon as it is committed; now, if it is. */
  readonly whenCommitted: (keep: () => void) => void
}

const settled: Unsettled = { since: () => undefined, whenCommitted: (keep) => keep() }

/** What the running request reads. */
export const UnsettledReads = Context.Reference<Unsettled>("forum/domain/UnsettledReads", {
  defaultValue: () => settled
})

/** Whether a transaction is running. What takes long, and needs none of it, is done before one begins. */
export const InTransaction = Context.Reference<boolean>("forum/domain/InTransaction", {
  defaultValue: () => false
})

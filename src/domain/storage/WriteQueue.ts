import { Context, type Effect } from "effect"

/**
 * Lets those who change the same thing wait for each other before they take anything that others need. An
 * effect that begins a transaction, with the id of what it changes; not one that runs in a transaction.
 */
export class WriteQueue extends Context.Service<
  WriteQueue,
  <A, E, R>(id: string, write: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
>()("forum/domain/WriteQueue") {}

import { Context, type Effect } from "effect"

/** Makes several writes one: all of them are kept, or none. Inside another it joins that one. */
export class Transaction extends Context.Service<
  Transaction,
  <A, E, R>(writes: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
>()("forum/domain/Transaction") {}

/** Whether a transaction is running. What takes long, and needs none of it, is done before one begins. */
export const InTransaction = Context.Reference<boolean>("forum/domain/InTransaction", {
  defaultValue: () => false
})

import { Context, type Effect } from "effect"

/** How far an instance has come; numbers stop counting at two. */
export interface Progress {
  readonly accounts: number
  readonly categories: number
  readonly posts: number
}

/** What the rules of an instance need from storage. */
export class InstanceStore extends Context.Service<
  InstanceStore,
  { readonly progress: Effect.Effect<Progress> }
>()("forum/domain/InstanceStore") {}

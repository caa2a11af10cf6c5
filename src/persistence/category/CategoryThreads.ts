import { Context, type Effect } from "effect"

/** What deleting a category asks of its threads, deleted ones included; the area of threads provides it. */
export class CategoryThreads extends Context.Service<
  CategoryThreads,
  {
    /** Lets nobody change them until the transaction ends. No thread may enter the category meanwhile. */
    readonly lock: (category: string) => Effect.Effect<void>
    readonly move: (from: string, to: string) => Effect.Effect<void>
  }
>()("forum/persistence/CategoryThreads") {}

import { Context, type Effect } from "effect"

/** What the deletion of a category does with its threads, deleted ones included; the area of threads provides it. */
export class CategoryThreads extends Context.Service<
  CategoryThreads,
  {
    /**
     * Locks the threads of a category until the transaction ends. The caller keeps other threads from entering it
     * meanwhile.
     */
    readonly lock: (category: string) => Effect.Effect<void>
    readonly move: (from: string, to: string) => Effect.Effect<void>
  }
>()("forum/persistence/CategoryThreads") {}

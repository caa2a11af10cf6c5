/** Working on one entry of a purge: removing what it is about, and deciding when somebody goes on. */
import { DateTime, Effect } from "effect"
import { decideNext, leaseFrom, type Outcome, skippedMax } from "./PurgeRules.ts"
import { makePurgeSteps, type Step } from "./PurgeSteps.ts"
import { PurgeStore, type TakenPurge } from "./PurgeStore.ts"

/** How much somebody may still remove. */
export interface Budget {
  items: number
  readonly until: DateTime.Utc
}

/** Items after which whoever removes them says that they still do. */
const keptEvery = 25

/** Removes what an entry is about, within a budget, and settles what becomes of the entry. */
export const makePurgeRuns = Effect.gen(function* () {
  const store = yield* PurgeStore
  const nextSteps = yield* makePurgeSteps

  /** Answers whether it worked; what did not is tried again later. */
  const removed = ({ id, remove }: Step, { accountId, content }: TakenPurge) =>
    remove.pipe(
      Effect.as(true),
      Effect.catchCause((cause) =>
        Effect.logWarning("Content could not be removed", cause).pipe(
          Effect.annotateLogs({ account_id: accountId, content, item_id: id }),
          Effect.as(false)
        )
      )
    )

  /** Removes what an entry is about, within a budget. */
  const empties = Effect.fnUntraced(function* (purge: TakenPurge, budget: Budget) {
    const skipped: Array<string> = []
    for (let count = 1; ; ) {
      const steps = yield* nextSteps(purge, skipped)
      if (steps.length === 0) return skipped.length === 0 ? "emptied" : "failed"
      for (const step of steps) {
        const now = yield* DateTime.now
        if (budget.items <= 0 || DateTime.isGreaterThan(now, budget.until)) return "left"
        if (count % keptEvery === 0 && !(yield* store.keep(purge, leaseFrom(now)))) return "lost"
        if (!(yield* removed(step, purge))) skipped.push(step.id)
        if (skipped.length >= skippedMax) return "failed"
        budget.items -= 1
        count += 1
      }
    }
  })

  const settle = Effect.fnUntraced(function* (purge: TakenPurge, outcome: Outcome) {
    const next = decideNext(purge, outcome, yield* DateTime.now)
    if (next._tag === "Nothing") return
    if (next._tag === "Release") return yield* store.release(purge, next.dueAt)
    if (next.gaveUp) {
      const { accountId, content } = purge
      const message = "Content of an account stays, as it could not be removed"
      yield* Effect.annotateLogs(Effect.logError(message), { account_id: accountId, content })
    }
    yield* store.finish(purge)
  })

  return (purge: TakenPurge, budget: Budget) =>
    Effect.flatMap(empties(purge, budget), (outcome) => settle(purge, outcome))
})

/**
 * Lets writers wait where they take no connection. Those that wait for a lock in the database each hold one, so
 * a few who change the same row could keep all others from writing.
 */
import { Context } from "effect"
import { makeTurns, type Turns } from "../../domain/queue/Turns.ts"
import { dieWithProblem } from "../../domain/shared/Problem.ts"
import { TooManyWriters } from "../../domain/storage/StorageProblem.ts"

/**
 * How many writes of one row, and of one account, run or wait; more are refused. Far more than people and their
 * programs send at a time, and few enough that the last does not wait for long.
 */
const present = { row: 64, account: 128 }

/** How long a statement waits for the locks of others: far longer than a transaction takes. */
export const lockTimeout = "5s"

const secondsToRetry = 1

export const tooManyWriters = new TooManyWriters({ metadata: { retry_after: secondsToRetry } })

const full = dieWithProblem(tooManyWriters)

/** Lets writes wait in turns for a pool of connections, so that neither one row nor one account takes all of them. */
export class WriteTurns extends Context.Service<
  WriteTurns,
  { readonly ofRow: Turns; readonly ofAccount: Turns }
>()("forum/persistence/WriteTurns") {
  static readonly sharing = (connections: number) => {
    const half = Math.max(1, Math.floor(connections / 2))
    return WriteTurns.of({
      // One that holds the row's lock and one that waits for it; more would go no faster.
      ofRow: makeTurns({ running: Math.min(2, half), present: present.row }, full),
      ofAccount: makeTurns({ running: half, present: present.account }, full)
    })
  }
}

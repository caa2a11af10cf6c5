/** Tells other instances what was counted here, and learns what was counted there. */
import { Effect } from "effect"
import type { ClientCounts, CountedClient } from "./ClientCounts.ts"
import type { SharedCountsShape, SharedCountsUnavailable } from "./SharedCounts.ts"

/** How many clients' counts are exchanged at once. */
const exchangedMax = 500

/** How often counts are exchanged: for so long an instance may not know what others have admitted. */
const exchangeEvery = "100 millis"
const afterFailure = "1 second"

const untoldOf = ({ network, window }: CountedClient) => ({
  client: network,
  shape: window.shape,
  counts: window.takeUntold()
})

/**
 * Makes an effect that exchanges counts once. After a failure it tries with one client, to find out whether it still
 * fails.
 */
export const makeExchange = (counts: ClientCounts, shared: SharedCountsShape | undefined) => {
  let answers = true
  return Effect.suspend((): Effect.Effect<void, SharedCountsUnavailable> => {
    if (shared === undefined) return Effect.void
    const batch = counts.takeChanged(answers ? exchangedMax : 1)
    if (batch.length === 0) return Effect.void
    const told = batch.map(untoldOf)
    return Effect.matchEffect(shared.exchange(told), {
      onSuccess: (ofAll) =>
        Effect.sync(() => {
          answers = true
          for (const [n, { window }] of batch.entries()) window.takeOver(ofAll[n] ?? [])
        }),
      onFailure: (unavailable) => {
        answers = false
        for (const [n, client] of batch.entries()) {
          client.window.putBack(told[n]?.counts ?? [])
          counts.putBack(client)
        }
        return Effect.fail(unavailable)
      }
    })
  })
}

/** Exchanges for as long as the service runs, and logs when that begins to fail and when it succeeds again. */
export const exchangeForever = (exchange: Effect.Effect<void, SharedCountsUnavailable>) => {
  let answers = true
  const failed = ({ reason }: SharedCountsUnavailable) => {
    const wasAnswering = answers
    answers = false
    return wasAnswering
      ? Effect.logWarning(
          `Requests are counted by each instance for itself: Redis does not answer (${reason})`
        )
      : Effect.void
  }
  const succeeded = Effect.suspend(() => {
    const wasAnswering = answers
    answers = true
    return wasAnswering ? Effect.void : Effect.logInfo("Requests are counted by all instances together again")
  })
  return Effect.matchEffect(exchange, {
    onFailure: (unavailable) => Effect.andThen(failed(unavailable), Effect.sleep(afterFailure)),
    onSuccess: () => Effect.andThen(succeeded, Effect.sleep(exchangeEvery))
  }).pipe(Effect.forever)
}

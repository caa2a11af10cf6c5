/** Decides which requests run, which wait and which are refused, by what their operations cost. */

import { Context, Effect, Layer, Metric, Record } from "effect"
import {
  type Bounds,
  makeFairQueue,
  type NoPlace,
  type ReleasingPlaceWhile
} from "../../domain/queue/FairQueue.ts"
import type { ClientNetwork } from "../../domain/shared/Client.ts"
import { type Cost, isRefused, lanes, type Pressure } from "../contract/Cost.ts"
import { ServiceBusy } from "../contract/RequestProblems.ts"

/** How hard-pressed this process is, as of the last measurement. */
export class CurrentPressure extends Context.Service<CurrentPressure, () => Pressure>()(
  "forum/http/CurrentPressure"
) {}

/** The lanes of this process; the declared ones unless a test narrows them. */
export const Lanes = Context.Reference<Readonly<Record<Cost, Bounds>>>("forum/http/Lanes", {
  defaultValue: () => lanes
})

const refusals = Metric.counter("http_requests_refused_total", {
  description: "Requests refused because there was too much to do, by cost and reason",
  incremental: true
})
const inLanes = Metric.gauge("http_requests_admitted", {
  description: "Requests that run or wait to run, by cost"
})

// Long enough for a queue to become shorter, short enough for people.
const retryAfter = 2

/** What is said where there is too much to do. */
export const busy = () => new ServiceBusy({ metadata: { retry_after: retryAfter } })

const makeLane = (cost: Cost, bounds: Bounds) => {
  const queue = makeFairQueue(bounds)
  const gauge = Metric.withAttributes(inLanes, { cost })

  const refuse = (reason: NoPlace | "pressure"): Effect.Effect<never, ServiceBusy> =>
    Effect.andThen(Metric.update(Metric.withAttributes(refusals, { cost, reason }), 1), Effect.fail(busy()))

  return {
    queue,
    refuse,
    observe: Effect.suspend(() => Metric.update(gauge, queue.present()))
  } as const
}

export class Admission extends Context.Service<
  Admission,
  {
    /** Runs the work of a client's request in the lane for its cost; `ServiceBusy` if there is no place. */
    readonly admit: <A, E, R>(
      cost: Cost,
      client: ClientNetwork,
      work: (releasingPlaceWhile: ReleasingPlaceWhile) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | ServiceBusy, R>
    /** Brings the metrics up to date. */
    readonly observe: Effect.Effect<void>
  }
>()("forum/http/Admission") {
  static readonly layer = Layer.effect(
    Admission,
    Effect.gen(function* () {
      const pressure = yield* CurrentPressure
      const byCost = Record.map(yield* Lanes, (bounds, cost) => makeLane(cost, bounds))
      const all = Object.values(byCost)
      // Refusing is for those who would wait for this request. Where nobody is, the pressure is over or not of requests.
      const isAnyHere = () => all.some(({ queue }) => queue.present() > 0)
      return Admission.of({
        admit: (cost, client, work) => {
          const { queue, refuse } = byCost[cost]
          return isRefused(cost, pressure()) && isAnyHere()
            ? refuse("pressure")
            : queue.run(client, work, refuse)
        },
        observe: Effect.forEach(all, ({ observe }) => observe, { discard: true })
      })
    })
  )
}

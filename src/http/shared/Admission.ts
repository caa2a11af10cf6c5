/** Decides which requests run, which wait and which are refused, by what their operations cost. */
import { Context, Effect, Layer, Metric, Record, Semaphore } from "effect"
import type { ClientNetwork } from "../../domain/authentication/ClientNetwork.ts"
import { type Cost, isRefused, type Lane, lanes, type Pressure } from "./Cost.ts"
import { ServiceBusy } from "./RequestProblems.ts"

/** How hard-pressed this process is, as of the last measurement. */
export class CurrentPressure extends Context.Service<CurrentPressure, () => Pressure>()(
  "forum/http/CurrentPressure"
) {}

/** The lanes of this process; the declared ones unless a test narrows them. */
export const Lanes = Context.Reference<Readonly<Record<Cost, Lane>>>("forum/http/Lanes", {
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

type Reason = "pressure" | "queue" | "client"

const makeLane = (cost: Cost, { perClient, running, waiting }: Lane) => {
  const semaphore = Semaphore.makeUnsafe(running)
  const clients = new Map<string, number>()
  const gauge = Metric.withAttributes(inLanes, { cost })
  let admitted = 0

  const leave = (client: string) => {
    admitted -= 1
    const left = (clients.get(client) ?? 1) - 1
    if (left === 0) clients.delete(client)
    else clients.set(client, left)
  }

  const refuse = (reason: Reason): Effect.Effect<never, ServiceBusy> =>
    Effect.andThen(
      Metric.update(Metric.withAttributes(refusals, { cost, reason }), 1),
      Effect.fail(new ServiceBusy({ metadata: { retry_after: retryAfter } }))
    )

  /** Runs the work when it is its turn. */
  const admit = <A, E, R>(
    client: string,
    work: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | ServiceBusy, R> =>
    Effect.suspend((): Effect.Effect<A, E | ServiceBusy, R> => {
      if (admitted >= running + waiting) return refuse("queue")
      const mine = clients.get(client) ?? 0
      if (mine >= perClient) return refuse("client")
      admitted += 1
      clients.set(client, mine + 1)
      return Effect.ensuring(
        semaphore.withPermit(work),
        Effect.sync(() => leave(client))
      )
    })

  return { admit, refuse, observe: Effect.suspend(() => Metric.update(gauge, admitted)) } as const
}

export class Admission extends Context.Service<
  Admission,
  {
    /** Runs the work of a client's request in the lane for its cost; `ServiceBusy` if there is no place. */
    readonly admit: <A, E, R>(
      cost: Cost,
      client: ClientNetwork,
      work: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | ServiceBusy, R>
    /** Brings the metrics up to date. */
    readonly observe: Effect.Effect<void>
  }
>()("forum/http/Admission") {
  static readonly layer = Layer.effect(
    Admission,
    Effect.gen(function* () {
      const pressure = yield* CurrentPressure
      const byCost = Record.map(yield* Lanes, (lane, cost) => makeLane(cost, lane))
      return Admission.of({
        admit: (cost, client, work) => {
          const lane = byCost[cost]
          return isRefused(cost, pressure()) ? lane.refuse("pressure") : lane.admit(client, work)
        },
        observe: Effect.forEach(Object.values(byCost), ({ observe }) => observe, { discard: true })
      })
    })
  )
}

/** Bounds how many callers follow changes at the same time: those who have a stream, and those who wait for an answer. */
import { Context, Deferred, Effect, Layer, Metric, type Scope } from "effect"
import type { ClientNetwork } from "../shared/Client.ts"
import type { AccountId } from "../shared/Id.ts"
import { TooManyStreams } from "./ChangeList.ts"

export const streamsMax = { account: 10, network: 50 } as const

/** How many there may be in this process. */
export const StreamsOfProcess = Context.Reference<number>("forum/domain/StreamsOfProcess", {
  defaultValue: () => 5000
})

/** Who follows changes: from which network, and with which account, if with any. */
export interface StreamClient {
  readonly network: ClientNetwork
  readonly account: AccountId | undefined
}

/** How many have a place in this process. */
export const streamsOpen = Metric.gauge("change_streams_open", {
  description: "Callers who follow changes: streams, and requests that wait for changes"
})

// Streams end when their clients leave, which may be at any time.
const retryAfter = 5

/** Counts by name, of which nothing is kept for those who have none. */
const makeCounts = () => {
  const counts = new Map<string, number>()
  return {
    of: (name: string) => counts.get(name) ?? 0,
    add: (name: string, change: 1 | -1) => {
      const count = (counts.get(name) ?? 0) + change
      if (count === 0) counts.delete(name)
      else counts.set(name, count)
    }
  } as const
}

const make = Effect.gen(function* () {
  const most = yield* StreamsOfProcess
  const ofAccounts = makeCounts()
  const ofNetworks = makeCounts()
  const ended = yield* Deferred.make<void>()
  const endings = new Set<() => void>()
  let all = 0

  const refusal = ({ account, network }: StreamClient) => {
    const refused = (of: "account" | "network" | "instance", maximum: number) =>
      new TooManyStreams({ metadata: { retry_after: retryAfter, of, maximum } })
    if (account !== undefined && ofAccounts.of(account) >= streamsMax.account) {
      return refused("account", streamsMax.account)
    }
    if (ofNetworks.of(network) >= streamsMax.network) return refused("network", streamsMax.network)
    return all >= most ? refused("instance", most) : undefined
  }

  const count = ({ account, network }: StreamClient, change: 1 | -1) => {
    all += change
    ofNetworks.add(network, change)
    if (account !== undefined) ofAccounts.add(account, change)
  }

  const take = (client: StreamClient) =>
    Effect.suspend(() => {
      const refused = refusal(client)
      if (refused !== undefined) return Effect.fail(refused)
      count(client, 1)
      return Metric.update(streamsOpen, all)
    })

  const leave = (client: StreamClient) =>
    Effect.suspend(() => {
      count(client, -1)
      return Metric.update(streamsOpen, all)
    })

  return StreamPlaces.of({
    take: (client) => Effect.acquireRelease(take(client), () => leave(client)),
    endAll: Effect.suspend(() => {
      for (const end of endings) end()
      return Effect.asVoid(Deferred.succeed(ended, undefined))
    }),
    ended: Deferred.await(ended),
    whenEnded: (end) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          if (Deferred.isDoneUnsafe(ended)) end()
          endings.add(end)
        }),
        () => Effect.sync(() => endings.delete(end))
      )
  })
})

export class StreamPlaces extends Context.Service<
  StreamPlaces,
  {
    /** Takes a place, until the scope ends. */
    readonly take: (client: StreamClient) => Effect.Effect<void, TooManyStreams, Scope.Scope>
    /** Ends all who have a place, as the service stops: they go on at another instance. */
    readonly endAll: Effect.Effect<void>
    /** Waits until all are to end. */
    readonly ended: Effect.Effect<void>
    /** Calls this when all are to end, as long as the scope is open; at once if they have to already. */
    readonly whenEnded: (end: () => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("forum/domain/StreamPlaces") {
  static readonly layer = Layer.effect(StreamPlaces, make)
}

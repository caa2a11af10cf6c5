/**
 * Counts what clients ask for, and refuses what is too much before anything else is done for it. Refusing costs no
 * statement: who asks is not known then, so that credentials count as those of an account until they are read.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { LRUCache } from "lru-cache"
import { type CurrentSettings, InstanceSettings } from "../../domain/settings/InstanceSettings.ts"
import type { ClientNetwork } from "../../domain/shared/ClientNetwork.ts"
import { isWithin, networksOf, toAddress } from "../../domain/shared/Network.ts"
import { RateLimitExceeded } from "../contract/RequestProblems.ts"
import { SharedCounts, type SharedCountsUnavailable } from "../ratelimit/SharedCounts.ts"
import { watch } from "../ratelimit/SharedCountsHealth.ts"
import { type Shape, shapeOf, Window } from "../ratelimit/Window.ts"
import { credentialsOf } from "./Authentication.ts"
import { addressFinder, networkOf, unknownNetwork } from "./ClientAddress.ts"
import type { Client, RequestFacts } from "./RequestContext.ts"

type Request = HttpServerRequest.HttpServerRequest

/** What a request costs where its operation does not say it, and where there is none. */
const usualUnits = 1

/** How many clients are counted, each in at most a kilobyte. Beyond it the one that was longest away is forgotten. */
const clientsMax = 20_000

/** Of how many addresses it is remembered which network they are in, and whether they are exempt. */
const addressesMax = 5_000

/** Of how many clients counts are exchanged at once. */
const exchangedMax = 500

/** How often they are exchanged: for so long an instance may not know what others have admitted. */
const exchangeEvery = "100 millis"
const afterFailure = "1 second"

/** The settings, as requests need them. */
interface Rules {
  readonly limit: number
  readonly guestCost: number
  readonly overrides: ReadonlyMap<string, number>
  readonly shape: Shape
  readonly clientOf: (request: Request) => Client
}

const makeClients = ({ client_ip, rate_limiting }: CurrentSettings) => {
  const findAddress = addressFinder(client_ip)
  const exempt = networksOf(rate_limiting.exempt_cidrs)
  const known = new LRUCache<string, Client>({ max: addressesMax })
  const isExempt = (text: string) => {
    const address = toAddress(text)
    return address !== undefined && isWithin(exempt, address)
  }
  const unknown: Client = { address: undefined, network: unknownNetwork, isExempt: false }
  return (request: Request): Client => {
    const address = findAddress(request)
    if (address === undefined) return unknown
    const found = known.get(address)
    if (found !== undefined) return found
    const client = { address, network: networkOf(address), isExempt: isExempt(address) }
    known.set(address, client)
    return client
  }
}

const rulesOf = (settings: CurrentSettings): Rules => {
  const limits = settings.rate_limiting
  return {
    limit: limits.rate_limit,
    guestCost: limits.rate_limit_guest_cost,
    overrides: new Map(Object.entries(limits.cost_overrides)),
    shape: shapeOf(limits.rate_limit_period, limits.rate_limit_bucket),
    clientOf: makeClients(settings)
  }
}

const isSameShape = (one: Shape, other: Shape) => one.period === other.period && one.buckets === other.buckets

/** A whole second after this time, by a millisecond at least, as HTTP writes dates without parts of seconds. */
const secondAfter = (millis: number) => (Math.floor((millis + 1) / 1000) + 1) * 1000
const httpDate = (millis: number) => new Date(millis).toUTCString()

const presentsCredentials = (request: Request) => {
  const { bearer, cookies } = credentialsOf(request)
  return bearer !== undefined || cookies.length > 0
}

interface Tracked {
  readonly network: ClientNetwork
  readonly window: Window
}

const make = Effect.gen(function* () {
  const settings = yield* InstanceSettings
  const shared = yield* SharedCounts
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()

  let source = yield* settings.latest
  let rules = rulesOf(source)
  const changed = new Set<Tracked>()
  // Whoever is forgotten has nothing to tell: new networks would fill the memory while Redis fails.
  const trackNobody = () =>
    new LRUCache<ClientNetwork, Tracked>({
      max: clientsMax,
      dispose: (client) => {
        changed.delete(client)
      }
    })
  let tracked = trackNobody()

  /** What has been used is forgotten if it is measured otherwise from now on. */
  const use = (latest: CurrentSettings) => {
    if (latest.rate_limiting === source.rate_limiting && latest.client_ip === source.client_ip) return
    const next = rulesOf(latest)
    if (!isSameShape(rules.shape, next.shape)) {
      tracked = trackNobody()
      changed.clear()
    }
    source = latest
    rules = next
  }

  // All clients that ask within a bucket of time are told the same date, so it is written once for all of them.
  let resetOf = { bucket: -1, length: 0, text: "" }
  const resetAt = (time: number): string => {
    const { bucket: length, buckets } = rules.shape
    const bucket = Math.floor(time / length)
    if (resetOf.bucket !== bucket || resetOf.length !== length) {
      resetOf = { bucket, length, text: httpDate(Math.ceil(((bucket + buckets + 1) * length) / 1000) * 1000) }
    }
    return resetOf.text
  }

  const track = (network: ClientNetwork, time: number): Tracked => {
    const found = tracked.get(network)
    if (found !== undefined) return found
    const client = { network, window: new Window(rules.shape, time, shared !== undefined) }
    tracked.set(network, client)
    return client
  }

  const count = (client: Tracked, cost: number, time: number): number => {
    if (shared !== undefined) changed.add(client)
    return client.window.add(cost, time)
  }

  const standing = (total: number, reset: string) => ({
    limit: rules.limit,
    remaining: Math.max(0, Math.floor(rules.limit - total)),
    reset
  })

  /** Notes how it stands for the client, and counts nothing. */
  const show = (facts: RequestFacts): void => {
    const time = now()
    const { isExempt, network } = facts.client
    const total = isExempt ? 0 : (tracked.get(network)?.window.total(time) ?? 0)
    facts.rate = standing(total, resetAt(time))
  }

  const exceeded = (facts: RequestFacts, { window }: Tracked, cost: number, time: number) => {
    const resets = secondAfter(window.belowFrom(rules.limit - cost, time))
    facts.rate = { limit: rules.limit, remaining: 0, reset: httpDate(resets) }
    return new RateLimitExceeded({
      metadata: {
        limit: rules.limit,
        retry_after: Math.ceil((resets - time) / 1000),
        resets_at: new Date(resets).toISOString()
      }
    })
  }

  /** Of which it is not known yet whether they make the caller an account. */
  const chargeLater = (facts: RequestFacts, network: ClientNetwork, rest: number) => {
    const chargeAsGuest = () => {
      const time = now()
      facts.rate = standing(count(track(network, time), rest, time), resetAt(time))
    }
    facts.chargeAsGuest = chargeAsGuest
  }

  /** Counts a request; the problem if it is too much. Notes for the answer how it stands for the client. */
  const charge = (
    request: Request,
    facts: RequestFacts,
    operation = "",
    units = usualUnits
  ): RateLimitExceeded | undefined => {
    const { isExempt, network } = facts.client
    if (isExempt) {
      show(facts)
      return undefined
    }
    const time = now()
    const base = rules.overrides.get(operation) ?? units
    const isFull = rules.guestCost === 1 || !presentsCredentials(request)
    const cost = isFull ? base * rules.guestCost : base
    const client = track(network, time)
    const total = count(client, cost, time)
    if (total >= rules.limit) return exceeded(facts, client, cost, time)
    facts.rate = standing(total, resetAt(time))
    if (!isFull) chargeLater(facts, network, base * (rules.guestCost - 1))
    return undefined
  }

  /** Where a request comes from. Every request begins with it, so that the settings are those of now. */
  const clientOf = (request: Request): Effect.Effect<Client> =>
    Effect.map(settings.latest, (latest) => {
      use(latest)
      return rules.clientOf(request)
    })

  let isShared = true

  /**
   * Tells other instances what was counted here, and learns what was counted there. After a failure one client is
   * enough to find out whether it still fails.
   */
  const exchange: Effect.Effect<void, SharedCountsUnavailable> = Effect.suspend(() => {
    const batch = [...changed.values().take(isShared ? exchangedMax : 1)]
    if (shared === undefined || batch.length === 0) return Effect.void
    for (const client of batch) changed.delete(client)
    const told = batch.map(({ network, window }) => ({
      client: network,
      shape: window.shape,
      counts: window.takeUntold()
    }))
    return shared.exchange(told).pipe(
      Effect.flatMap((answers) =>
        Effect.sync(() => {
          isShared = true
          for (const [n, { window }] of batch.entries()) window.takeOver(answers[n] ?? [])
        })
      ),
      Effect.tapError(() =>
        Effect.sync(() => {
          isShared = false
          for (const [n, client] of batch.entries()) {
            client.window.putBack(told[n]?.counts ?? [])
            if (tracked.peek(client.network) === client) changed.add(client)
          }
        })
      )
    )
  })

  return { clientOf, charge, show, exchange } as const
})

const exchangeForever = Effect.gen(function* () {
  const { exchange } = yield* RateLimits
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
  const once = Effect.matchEffect(exchange, {
    onFailure: (problem) => Effect.andThen(failed(problem), Effect.sleep(afterFailure)),
    onSuccess: () => Effect.andThen(succeeded, Effect.sleep(exchangeEvery))
  })
  return yield* Effect.forever(once)
})

export class RateLimits extends Context.Service<RateLimits, Effect.Success<typeof make>>()(
  "forum/http/RateLimits"
) {
  static readonly layer = Layer.effect(RateLimits, make)

  /** Lets instances count together for as long as the service runs, where there is something to do it with. */
  static readonly exchanging = Layer.effectDiscard(
    Effect.flatMap(SharedCounts, (shared) =>
      shared === undefined
        ? Effect.void
        : Effect.andThen(Effect.forkScoped(watch(shared)), Effect.forkScoped(exchangeForever))
    )
  )
}

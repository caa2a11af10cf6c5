/**
 * Counts what clients ask for, and refuses what is too much before anything else is done for it. Refusing costs no
 * statement: who asks is not known then, so that credentials count as those of an account until they are read.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type CurrentSettings, InstanceSettings } from "../../domain/settings/InstanceSettings.ts"
import { RateLimitExceeded } from "../contract/RequestProblems.ts"
import { ClientCounts, type CountedClient } from "../ratelimit/ClientCounts.ts"
import { exchangeForever, makeExchange } from "../ratelimit/Exchange.ts"
import { SharedCounts } from "../ratelimit/SharedCounts.ts"
import { watch } from "../ratelimit/SharedCountsHealth.ts"
import type { Shape } from "../ratelimit/Window.ts"
import { credentialsOf } from "./Authentication.ts"
import type { ClientAddress } from "./ClientAddress.ts"
import { type RateRules, rateRulesOf } from "./RateRules.ts"
import type { RateStanding, RequestFacts } from "./RequestContext.ts"

type Request = HttpServerRequest.HttpServerRequest

/** How many units a request costs where its operation does not say it, or where it reaches no operation. */
const usualUnits = 1

const isSameShape = (one: Shape, other: Shape) => one.period === other.period && one.buckets === other.buckets

/** The first whole second that is at least a millisecond after this time, as dates in HTTP have no parts of seconds. */
const secondAfter = (millis: number) => (Math.floor((millis + 1) / 1000) + 1) * 1000
const httpDate = (millis: number) => new Date(millis).toUTCString()

/**
 * Makes a function that tells when nothing counts any more. All who ask within a bucket of time are told the same text.
 */
const makeResets = () => {
  let written = { bucket: -1, length: 0, text: "" }
  return ({ bucket: length, buckets }: Shape, time: number): string => {
    const bucket = Math.floor(time / length)
    if (written.bucket !== bucket || written.length !== length) {
      written = { bucket, length, text: httpDate(Math.ceil(((bucket + buckets + 1) * length) / 1000) * 1000) }
    }
    return written.text
  }
}

const presentsCredentials = (request: Request) => {
  const { bearer, cookies } = credentialsOf(request)
  return bearer !== undefined || cookies.length > 0
}

interface Limits {
  settings: CurrentSettings
  rules: RateRules
  readonly counts: ClientCounts
  readonly now: () => number
  readonly resetAt: (shape: Shape, time: number) => string
}

/** Begins to use the latest settings. What clients have used is forgotten if it is measured otherwise from now on. */
const use = (limits: Limits, latest: CurrentSettings): void => {
  const { rules, settings } = limits
  if (latest.rate_limiting === settings.rate_limiting && latest.client_ip === settings.client_ip) return
  limits.settings = latest
  limits.rules = rateRulesOf(latest)
  if (!isSameShape(rules.shape, limits.rules.shape)) limits.counts.restart(limits.rules.shape)
}

const standingAt = ({ resetAt, rules }: Limits, total: number, time: number): RateStanding => ({
  limit: rules.limit,
  remaining: Math.max(0, Math.floor(rules.limit - total)),
  reset: resetAt(rules.shape, time)
})

/** Notes for the answer what the rate limit leaves to the client, and counts nothing. */
const show = (limits: Limits, facts: RequestFacts): void => {
  const time = limits.now()
  const { isExempt, network } = facts.client
  facts.rate = standingAt(limits, isExempt ? 0 : limits.counts.total(network, time), time)
}

const exceeded = (
  { limit }: RateRules,
  facts: RequestFacts,
  { window }: CountedClient,
  cost: number,
  time: number
) => {
  const resets = secondAfter(window.belowFrom(limit - cost, time))
  facts.rate = { limit, remaining: 0, reset: httpDate(resets) }
  return new RateLimitExceeded({
    metadata: {
      limit,
      retry_after: Math.ceil((resets - time) / 1000),
      resets_at: new Date(resets).toISOString()
    }
  })
}

/** Charges the rest of what a guest pays, once it is known that the credentials of the caller are worth nothing. */
const chargeRest = (limits: Limits, facts: RequestFacts, rest: number): void => {
  const time = limits.now()
  const client = limits.counts.clientOf(facts.client.network, time)
  facts.rate = standingAt(limits, limits.counts.add(client, rest, time), time)
}

/**
 * Counts a request, and answers a problem if it is too much. Notes for the answer what the rate limit leaves to the
 * client.
 */
const charge = (
  limits: Limits,
  request: Request,
  facts: RequestFacts,
  operation: string,
  units: number
): RateLimitExceeded | undefined => {
  const { counts, rules } = limits
  if (facts.client.isExempt) {
    show(limits, facts)
    return undefined
  }
  const time = limits.now()
  const base = rules.overrides.get(operation) ?? units
  const isFull = rules.guestCost === 1 || !presentsCredentials(request)
  const cost = isFull ? base * rules.guestCost : base
  const client = counts.clientOf(facts.client.network, time)
  const total = counts.add(client, cost, time)
  if (total >= rules.limit) return exceeded(rules, facts, client, cost, time)
  facts.rate = standingAt(limits, total, time)
  if (!isFull) facts.chargeAsGuest = () => chargeRest(limits, facts, base * (rules.guestCost - 1))
  return undefined
}

const make = Effect.gen(function* () {
  const instance = yield* InstanceSettings
  const shared = yield* SharedCounts
  const clock = yield* Clock.Clock
  const settings = yield* instance.latest
  const rules = rateRulesOf(settings)
  const limits: Limits = {
    settings,
    rules,
    counts: new ClientCounts(rules.shape, shared !== undefined),
    now: () => clock.currentTimeMillisUnsafe(),
    resetAt: makeResets()
  }
  return {
    /** Where a request comes from. Every request begins with it, so that the settings are those of now. */
    clientOf: (request: Request): Effect.Effect<ClientAddress> =>
      Effect.map(instance.latest, (latest) => {
        use(limits, latest)
        return limits.rules.clientOf(request)
      }),
    charge: (request: Request, facts: RequestFacts, operation = "", units = usualUnits) =>
      charge(limits, request, facts, operation, units),
    /** Charges what a request costs beyond its operation, once it turned out to be worth nothing. */
    chargeMore: (facts: RequestFacts, units: number) => {
      if (!facts.client.isExempt) chargeRest(limits, facts, units)
    },
    show: (facts: RequestFacts) => show(limits, facts),
    exchange: makeExchange(limits.counts, shared)
  } as const
})

export class RateLimits extends Context.Service<RateLimits, Effect.Success<typeof make>>()(
  "forum/http/RateLimits"
) {
  static readonly layer = Layer.effect(RateLimits, make)

  /** Lets instances count together for as long as the service runs, where there is something to do it with. */
  static readonly exchanging = Layer.effectDiscard(
    Effect.gen(function* () {
      const shared = yield* SharedCounts
      if (shared === undefined) return
      const { exchange } = yield* RateLimits
      yield* Effect.forkScoped(watch(shared))
      yield* Effect.forkScoped(exchangeForever(exchange))
    })
  )
}

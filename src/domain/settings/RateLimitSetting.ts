/** How much each client may ask for. */
import { Schema } from "effect"
import { IpNetwork } from "effect/net"
import type { Deployment } from "./Deployment.ts"
import { NetworkChanges, NetworkList } from "./NetworkList.ts"

const day = 24 * 60 * 60

/** The largest values. */
export const rateLimitBounds = {
  limit: 1_000_000_000,
  period: 30 * day,
  guestCost: 1_000,
  cost: 1_000_000,
  overrides: 500
}

/** A number of at most this much. Zero and less stand for the default. */
const AtMost = (maximum: number) => Schema.Int.check(Schema.isLessThanOrEqualTo(maximum))

const OperationCost = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: rateLimitBounds.cost }))

const operationId = /^[\w.-]{1,100}$/

const hasOperationIds = Schema.makeFilter<object>(
  (costs) => {
    const odd = Object.keys(costs).find((id) => !operationId.test(id))
    return odd === undefined ? undefined : { path: [], issue: "Expected ids of operations as keys" }
  },
  { toJsonSchema: () => [{}, true] }
)

const describedAs = {
  rate_limit: "How many units a client may use in a period: the request that would reach it is refused",
  rate_limit_period: "How long what a client has used counts, in seconds",
  rate_limit_bucket: "How exactly that time is measured, in seconds; at least a 120th of the period",
  rate_limit_guest_cost: "By how much the costs of requests are multiplied for those who are not signed in",
  cost_overrides: "What operations cost in units, by their ids, instead of their usual costs; 0 is free",
  exempt_cidrs: "Addresses and networks whose requests are not counted"
}

const stored = {
  rate_limit: Schema.Int.annotate({ description: describedAs.rate_limit }),
  rate_limit_period: Schema.Int.annotate({ description: describedAs.rate_limit_period }),
  rate_limit_bucket: Schema.Int.annotate({ description: describedAs.rate_limit_bucket }),
  rate_limit_guest_cost: Schema.Int.annotate({ description: describedAs.rate_limit_guest_cost }),
  cost_overrides: Schema.Record(Schema.String, Schema.Int).annotate({
    description: describedAs.cost_overrides
  }),
  exempt_cidrs: NetworkList.annotate({ description: describedAs.exempt_cidrs })
}

export const RateLimitSettings = Schema.Struct(stored).annotate({
  identifier: "RateLimitServiceSettings",
  description: "How much each client may ask for"
})
export interface RateLimitSettings extends Schema.Schema.Type<typeof RateLimitSettings> {}

/** What administrators have changed. */
export const StoredRateLimit = RateLimitSettings.mapFields((all) => ({
  rate_limit: Schema.optionalKey(all.rate_limit),
  rate_limit_period: Schema.optionalKey(all.rate_limit_period),
  rate_limit_bucket: Schema.optionalKey(all.rate_limit_bucket),
  rate_limit_guest_cost: Schema.optionalKey(all.rate_limit_guest_cost),
  cost_overrides: Schema.optionalKey(all.cost_overrides),
  exempt_cidrs: Schema.optionalKey(all.exempt_cidrs)
}))
export interface StoredRateLimit extends Schema.Schema.Type<typeof StoredRateLimit> {}

const number = (maximum: number, description: string) =>
  Schema.optionalKey(
    AtMost(maximum).annotate({ description: `${description}. Zero or less restores the default.` })
  )

export const RateLimitChanges = Schema.Struct({
  rate_limit: number(rateLimitBounds.limit, describedAs.rate_limit),
  rate_limit_period: number(rateLimitBounds.period, describedAs.rate_limit_period),
  rate_limit_bucket: number(rateLimitBounds.period, describedAs.rate_limit_bucket),
  rate_limit_guest_cost: number(rateLimitBounds.guestCost, describedAs.rate_limit_guest_cost),
  cost_overrides: Schema.optionalKey(
    Schema.Record(Schema.String, OperationCost)
      .check(Schema.isMaxProperties(rateLimitBounds.overrides), hasOperationIds)
      .annotate({
        description: `${describedAs.cost_overrides}. Merged with what there is, key by key; \`{}\` clears it.`
      })
  ),
  exempt_cidrs: Schema.optionalKey(
    NetworkChanges.annotate({
      description: `${describedAs.exempt_cidrs}. Replaces the list; \`[]\` exempts nobody.`
    })
  )
}).annotate({
  identifier: "RateLimitServiceMutableProps",
  description: "What to change of how much each client may ask for; absent fields stay as they are"
})
export interface RateLimitChanges extends Schema.Schema.Type<typeof RateLimitChanges> {}

/** What holds until administrators change it. */
export const rateLimitDefaults = ({
  exemptNetworks
}: Pick<Deployment["Service"], "exemptNetworks">): RateLimitSettings => ({
  rate_limit: 5_000,
  rate_limit_period: 3_600,
  rate_limit_bucket: 60,
  rate_limit_guest_cost: 1,
  cost_overrides: {},
  exempt_cidrs: exemptNetworks.map(IpNetwork.format)
})

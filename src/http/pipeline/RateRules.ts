/** The settings of rate limits and client addresses, as requests need them. */
import type { HttpServerRequest } from "effect/http"
import { LRUCache } from "lru-cache"
import type { CurrentSettings } from "../../domain/settings/InstanceSettings.ts"
import { isWithin, networksOf, toAddress } from "../../domain/shared/Network.ts"
import { type Shape, shapeOf } from "../ratelimit/Window.ts"
import { addressFinder, type ClientAddress, networkOf, unknownAddress } from "./ClientAddress.ts"

type Request = HttpServerRequest.HttpServerRequest

/** How many addresses are remembered, with their networks and whether they are exempt. */
const addressesMax = 5_000

export interface RateRules {
  readonly limit: number
  readonly guestCost: number
  readonly overrides: ReadonlyMap<string, number>
  readonly shape: Shape
  readonly clientOf: (request: Request) => ClientAddress
}

const makeClients = ({ client_ip, rate_limiting }: CurrentSettings) => {
  const findAddress = addressFinder(client_ip)
  const exempt = networksOf(rate_limiting.exempt_cidrs)
  const known = new LRUCache<string, ClientAddress>({ max: addressesMax })
  const isExempt = (text: string) => {
    const address = toAddress(text)
    return address !== undefined && isWithin(exempt, address)
  }
  return (request: Request): ClientAddress => {
    const address = findAddress(request)
    if (address === undefined) return unknownAddress
    const found = known.get(address)
    if (found !== undefined) return found
    const client = { address, network: networkOf(address), isExempt: isExempt(address) }
    known.set(address, client)
    return client
  }
}

export const rateRulesOf = (settings: CurrentSettings): RateRules => {
  const limits = settings.rate_limiting
  return {
    limit: limits.rate_limit,
    guestCost: limits.rate_limit_guest_cost,
    overrides: new Map(Object.entries(limits.cost_overrides)),
    shape: shapeOf(limits.rate_limit_period, limits.rate_limit_bucket),
    clientOf: makeClients(settings)
  }
}

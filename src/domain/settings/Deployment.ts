import { Context } from "effect"
import type { IpNetwork } from "effect/net"

/** Where and as what this instance runs; fixed from its start. Addresses are absolute, without a trailing slash. */
export class Deployment extends Context.Service<
  Deployment,
  {
    /** Where the API is reached from outside, without `/api`. */
    readonly publicUrl: URL
    /** Where people read the forum; the same as `publicUrl` unless a frontend lives elsewhere. */
    readonly webUrl: URL
    /** Further origins whose pages may use the API with the session cookie. */
    readonly origins: ReadonlyArray<string>
    /** Proxies whose word on where a request comes from counts, until administrators name others. */
    readonly trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>
    /** Networks that no rate limit holds for, until administrators name others. */
    readonly exemptNetworks: ReadonlyArray<IpNetwork.IpNetwork>
    /** Whether other programs can act for accounts by OAuth. */
    readonly oauthEnabled: boolean
    /** Whether any program may register as a client of OAuth, without a token. */
    readonly oauthRegistrationOpen: boolean
    /** Whether plugins extend the service. */
    readonly pluginsEnabled: boolean
    /** Whether agents use the service over the Model Context Protocol. */
    readonly mcpEnabled: boolean
    readonly version: string
  }
>()("forum/domain/Deployment") {}

/** An address as it is shown: without a trailing slash. */
export const addressOf = (url: URL): string => url.href.replace(/\/+$/, "")

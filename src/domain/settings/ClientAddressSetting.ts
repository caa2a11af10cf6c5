/** How the service finds out from which address a request comes. */
import { Schema } from "effect"
import { IpNetwork } from "effect/net"
import * as Text from "../field/Text.ts"
import type { Deployment } from "./Deployment.ts"
import { NetworkChanges, NetworkList } from "./NetworkList.ts"

export const ClientAddressMode = Schema.Literals([
  "remote_addr",
  "single_header",
  "xff_trusted_proxies"
]).annotate({
  identifier: "ClientIPMode",
  description:
    "`remote_addr` takes the address of the connection, `single_header` that in `client_ip_header`, `xff_trusted_proxies` that in `X-Forwarded-For` if a trusted proxy sent it"
})
export type ClientAddressMode = typeof ClientAddressMode.Type

const descriptions = {
  client_ip_header:
    "The header that has the address in the mode `single_header`. Whoever reaches the service without the proxy can forge it.",
  trusted_proxy_cidrs: "The proxies that are trusted in the mode `xff_trusted_proxies`"
}

const headerLength = 100

export const ClientAddressSettings = Schema.Struct({
  client_ip_mode: ClientAddressMode,
  client_ip_header: Schema.String.annotate({ description: descriptions.client_ip_header }),
  trusted_proxy_cidrs: NetworkList.annotate({ description: descriptions.trusted_proxy_cidrs })
}).annotate({
  identifier: "ClientIPServiceSettings",
  description: "How the service finds out from which address a request comes"
})
export interface ClientAddressSettings extends Schema.Schema.Type<typeof ClientAddressSettings> {}

/** What administrators have changed. */
export const StoredClientAddress = ClientAddressSettings.mapFields((all) => ({
  client_ip_mode: Schema.optionalKey(all.client_ip_mode),
  client_ip_header: Schema.optionalKey(all.client_ip_header),
  trusted_proxy_cidrs: Schema.optionalKey(all.trusted_proxy_cidrs)
}))
export interface StoredClientAddress extends Schema.Schema.Type<typeof StoredClientAddress> {}

export const ClientAddressChanges = Schema.Struct({
  client_ip_mode: Schema.optionalKey(ClientAddressMode),
  client_ip_header: Schema.optionalKey(
    Text.verbatim({
      max: headerLength,
      description: `${descriptions.client_ip_header} An empty name restores the default.`
    }).check(
      // A token of RFC 9110, 5.6.2.
      Schema.isPattern(/^[!#$%&'*+.^_`|~\w-]*$/u, { expected: "the name of a header" })
    )
  ),
  trusted_proxy_cidrs: Schema.optionalKey(
    NetworkChanges.annotate({ description: `${descriptions.trusted_proxy_cidrs}. Replaces the list.` })
  )
}).annotate({
  identifier: "ClientIPServiceMutableProps",
  description:
    "What to change of how the service finds out from which address a request comes; absent fields stay as they are"
})
export interface ClientAddressChanges extends Schema.Schema.Type<typeof ClientAddressChanges> {}

/** What holds until administrators change it. */
export const clientAddressDefaults = ({
  trustedProxies
}: Pick<Deployment["Service"], "trustedProxies">): ClientAddressSettings => ({
  client_ip_mode: trustedProxies.length === 0 ? "remote_addr" : "xff_trusted_proxies",
  client_ip_header: "X-Real-IP",
  trusted_proxy_cidrs: trustedProxies.map(IpNetwork.format)
})

import { Context } from "effect"
import type { OpenedNetworks } from "./OutboundRules.ts"

/** Networks that the operator opened, for what is decided before a request is sent; none where nobody says so. */
export const NetworksOpened = Context.Reference<OpenedNetworks>("forum/domain/NetworksOpened", {
  defaultValue: () => []
})

/** Networks in settings. */
import { Schema, SchemaGetter } from "effect"
import { IpNetwork } from "effect/net"
import * as Text from "../field/Text.ts"
import { toNetwork } from "../shared/Network.ts"

/** How many networks a list may have. */
export const networksMax = 256

// The longest address has 39 characters, or 45 with an IPv4 address at its end.
const length = 64

const isNetwork = Schema.makeFilter<string>((text) => toNetwork(text) !== undefined, {
  expected: "an IP address, or a network such as 10.0.0.0/8",
  toJsonSchema: () => [{}, true]
})

/** What a text has to look like at least. */
const form = Schema.isPattern(/^\s*[0-9A-Fa-f:.]+(?:\/\d{1,3})?\s*$/u, {
  expected: "an IP address, or a network such as 10.0.0.0/8"
})

const normalised = (text: string): string => {
  const network = toNetwork(text)
  return network === undefined ? text : IpNetwork.format(network)
}

/** A network as it is stored: without host bits, a single address with its full length. */
const Network = Text.verbatim({
  max: length,
  description: "An IP address, or a network such as `10.0.0.0/8`"
})
  .check(form)
  .pipe(
    Schema.decodeTo(Schema.String.check(isNetwork), {
      decode: SchemaGetter.transform(normalised),
      encode: SchemaGetter.passthrough<string>()
    })
  )

/** Networks in a request: checked, in their normal form, and not too many. */
export const NetworkChanges = Schema.Array(Network).check(Schema.isMaxLength(networksMax))

/** Networks as they are stored and shown. */
export const NetworkList = Schema.Array(Schema.String)

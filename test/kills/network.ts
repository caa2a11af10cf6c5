/** A network between clients and a service that loses connections, whatever was sent on them. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import type { Chance } from "./chance.ts"

const fates = [
  [80, "arrives"],
  [3, "lost before the request"],
  [3, "lost within the request"],
  [5, "lost while it is handled"],
  [3, "lost before the answer"],
  [3, "lost within the answer"],
  [3, "lost after the answer"]
] as const

export type Fate = (typeof fates)[number][1]

/** The longest time until a connection is lost while its request is handled, in milliseconds. */
const handledMax = 60

const half = (bytes: Buffer) => bytes.subarray(0, Math.ceil(bytes.length / 2))

/** Joins two connections until their fate comes. */
const join = (client: Socket, service: Socket, fate: Fate, chance: Chance) => {
  const lose = () => {
    client.resetAndDestroy()
    service.resetAndDestroy()
  }
  client.on("data", (bytes: Buffer) => {
    if (fate === "lost within the request") service.write(half(bytes), lose)
    else service.write(bytes)
    if (fate === "lost while it is handled") setTimeout(lose, chance.below(handledMax))
  })
  service.on("data", (bytes: Buffer) => {
    if (fate === "lost before the answer") lose()
    else if (fate === "lost within the answer") client.write(half(bytes), lose)
    else client.write(bytes, () => fate === "lost after the answer" && lose())
  })
  client.on("close", () => service.destroy())
  service.on("close", () => client.end())
}

export interface Network {
  readonly port: number
  /** How many connections came to what. */
  readonly fates: ReadonlyMap<Fate, number>
  readonly close: () => void
}

/** A way to a service whose port changes, and which is not always there. */
export const startNetwork = async (portOf: () => number | undefined, chance: Chance): Promise<Network> => {
  const counts = new Map<Fate, number>()
  const open = new Set<Socket>()
  const server = createServer((client) => {
    open.add(client)
    client.on("error", () => {}).on("close", () => open.delete(client))
    const fate = chance.weighed(fates)
    counts.set(fate, (counts.get(fate) ?? 0) + 1)
    const port = portOf()
    if (port === undefined || fate === "lost before the request") {
      client.destroy()
      return
    }
    const service = connect(port, "127.0.0.1")
    service.on("error", () => {})
    join(client, service, fate, chance)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    fates: counts,
    close: () => {
      server.close()
      for (const client of open) client.destroy()
    }
  }
}

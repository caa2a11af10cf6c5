/** The open connections, and which of them gives way when there are too many. */
import type { Socket } from "node:net"
import { performance } from "node:perf_hooks"
import type { Duplex } from "node:stream"

export interface Occupant {
  readonly socket: Socket
  /** The network of the client, as far as the socket tells. */
  readonly network: string
  /** Since when the connection has no request, in milliseconds of a clock that nobody sets. */
  idleSince: number
}

export interface RoomLimits {
  readonly connections: number
  /** How long a connection may be without a request, in milliseconds, while there is no room for others. */
  readonly idle: number
}

export interface Room<P extends Occupant> {
  readonly size: () => number
  readonly all: () => ReadonlyArray<P>
  readonly find: (socket: Duplex) => P | undefined
  readonly add: (place: P) => void
  readonly remove: (place: P) => void
  /** Notes that a connection has no request any more. */
  readonly rest: (place: P) => void
  /** Notes that a connection has a request. */
  readonly wake: (place: P) => void
  /** The connection that was longest without a request, if nobody seems to need it. */
  readonly unused: () => P | undefined
  /**
   * A connection of the network that has most, if that would still have as many as `network` with one more: if possible
   * one without a request, else the oldest.
   */
  readonly ofMost: (network: string) => P | undefined
}

export const makeRoom = <P extends Occupant>(limits: RoomLimits): Room<P> => {
  const places = new Map<Duplex, P>()
  // The connections without a request, the one that was used last at the end.
  const idle = new Set<P>()
  // The connections of each network, oldest first.
  const byNetwork = new Map<string, Set<P>>()

  const rest = (place: P) => {
    place.idleSince = performance.now()
    idle.add(place)
  }

  const add = (place: P) => {
    places.set(place.socket, place)
    const own = byNetwork.get(place.network)
    if (own === undefined) byNetwork.set(place.network, new Set([place]))
    else own.add(place)
    rest(place)
  }

  const remove = (place: P) => {
    places.delete(place.socket)
    idle.delete(place)
    const own = byNetwork.get(place.network)
    own?.delete(place)
    if (own?.size === 0) byNetwork.delete(place.network)
  }

  const unused = () => {
    const [longest] = idle
    return longest !== undefined && longest.idleSince + limits.idle <= performance.now() ? longest : undefined
  }

  const ofMost = (network: string) => {
    let most: ReadonlySet<P> = new Set()
    for (const own of byNetwork.values()) if (own.size > most.size) most = own
    if (most.size <= (byNetwork.get(network)?.size ?? 0) + 1) return undefined
    for (const place of idle) if (most.has(place)) return place
    const [oldest] = most
    return oldest
  }

  return {
    size: () => places.size,
    all: () => [...places.values()],
    find: (socket) => places.get(socket),
    add,
    remove,
    rest,
    wake: (place) => idle.delete(place),
    unused,
    ofMost
  }
}

/** Counts what each client has used in a window of time, and knows which counts other instances have not been told. */
import { LRUCache } from "lru-cache"
import type { ClientNetwork } from "../../domain/shared/Client.ts"
import { type Shape, Window } from "./Window.ts"

/**
 * How many clients are counted, each in at most a kilobyte. With more, the client that was longest away is forgotten.
 */
const clientsMax = 20_000

export interface CountedClient {
  readonly network: ClientNetwork
  readonly window: Window
}

export class ClientCounts {
  #shape: Shape
  readonly #isShared: boolean
  readonly #changed = new Set<CountedClient>()
  // Whoever is forgotten has nothing to tell: new networks would fill the memory while Redis fails.
  readonly #clients = new LRUCache<ClientNetwork, CountedClient>({
    max: clientsMax,
    dispose: (client) => {
      this.#changed.delete(client)
    }
  })

  constructor(shape: Shape, isShared: boolean) {
    this.#shape = shape
    this.#isShared = isShared
  }

  /** Counts in windows of this shape from now on, and forgets what was counted in others. */
  restart(shape: Shape): void {
    this.#clients.clear()
    this.#shape = shape
  }

  total(network: ClientNetwork, time: number): number {
    return this.#clients.get(network)?.window.total(time) ?? 0
  }

  clientOf(network: ClientNetwork, time: number): CountedClient {
    const found = this.#clients.get(network)
    if (found !== undefined) return found
    const client = { network, window: new Window(this.#shape, time, this.#isShared) }
    this.#clients.set(network, client)
    return client
  }

  /** Counts what a client uses, and answers the client's total with it. */
  add(client: CountedClient, cost: number, time: number): number {
    if (this.#isShared) this.#changed.add(client)
    return client.window.add(cost, time)
  }

  /** At most so many of the clients whose counts have changed since they were taken last. */
  takeChanged(most: number): ReadonlyArray<CountedClient> {
    const taken = [...this.#changed.values().take(most)]
    for (const client of taken) this.#changed.delete(client)
    return taken
  }

  /** Takes back a client whose counts could not be told, unless it has been forgotten since. */
  putBack(client: CountedClient): void {
    if (this.#clients.peek(client.network) === client) this.#changed.add(client)
  }
}

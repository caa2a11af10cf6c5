/** What clients have used, each in a window of time, and who of them others have not been told of. */
import { LRUCache } from "lru-cache"
import type { ClientNetwork } from "../../domain/shared/Client.ts"
import { type Shape, Window } from "./Window.ts"

/** How many clients are counted, each in at most a kilobyte. Beyond it the one that was longest away is forgotten. */
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

  /** Counts something, and answers the client's total with it. */
  add(client: CountedClient, cost: number, time: number): number {
    if (this.#isShared) this.#changed.add(client)
    return client.window.add(cost, time)
  }

  /** Some of those whose counts have changed since they were taken last. */
  takeChanged(most: number): ReadonlyArray<CountedClient> {
    const taken = [...this.#changed.values().take(most)]
    for (const client of taken) this.#changed.delete(client)
    return taken
  }

  /** Keeps one that could not be told of, unless it is forgotten since. */
  putBack(client: CountedClient): void {
    if (this.#clients.peek(client.network) === client) this.#changed.add(client)
  }
}

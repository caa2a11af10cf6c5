/** The load generator: connections, each of which sends its next request when the last is answered. */
import autocannon from "autocannon"
import { Effect } from "effect"

export const usualConnections = 16

export interface Request {
  readonly method?: "GET" | "POST" | "PATCH"
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Load {
  readonly requests: ReadonlyArray<Request>
  /** What every answer must have; 200 when absent. */
  readonly status?: number
  /** Whether no request may be sent twice in a round. */
  readonly once?: boolean
  /** How many ask at a time; sixteen when absent. */
  readonly connections?: number
  /** How many requests are sent at a time of measuring at most, where what follows from them takes long. */
  readonly most?: number
}

/** When to stop. Requests that are still under way after some seconds are not counted. */
export type Until = { readonly seconds: number } | { readonly requests: number }

export interface Driven {
  readonly requests: number
  readonly perSecond: number
  /** Latencies in milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Why requests failed, a line each. */
  readonly failures: ReadonlyArray<string>
}

const requestOf = ({ headers, ...request }: Request): autocannon.Request => ({
  ...request,
  headers: { ...headers }
})

/** The value that a part of the sorted values does not exceed. */
export const quantile = (sorted: Float64Array, part: number) =>
  sorted[Math.floor(sorted.length * part)] ?? Number.NaN

/** Deals the requests out to the connections, so that no two connections ask for the same at the same time. */
const deal = (requests: ReadonlyArray<Request>, connections: number) => {
  let dealt = 0
  return (client: autocannon.Client) => {
    const place = dealt++
    const own = requests.filter((_, n) => requests.length < connections || n % connections === place)
    client.setRequests(own.map(requestOf))
  }
}

/** Drives an address. */
export const drive = (
  url: string,
  { connections = usualConnections, requests, status = 200 }: Load,
  until: Until
) =>
  Effect.callback<Driven>((resume) => {
    const latencies: Array<number> = []
    const others = new Map<number, number>()
    let start = performance.now()
    let end = start
    const options: autocannon.Options = {
      url,
      connections,
      sampleInt: 50,
      setupClient: deal(requests, connections),
      ...("seconds" in until ? { duration: until.seconds } : { amount: until.requests })
    }
    const instance = autocannon(options, (error: unknown, result) => {
      const failures = [...others].map(([code, count]) => `${count} answers had status ${code}`)
      if (error) failures.push(String(error))
      else if (result.errors > 0) failures.push(`${result.errors} requests had no answer`)
      const sorted = Float64Array.from(latencies).sort()
      resume(
        Effect.succeed({
          requests: sorted.length,
          perSecond: (sorted.length / (end - start)) * 1000,
          p50: quantile(sorted, 0.5),
          p99: quantile(sorted, 0.99),
          failures
        })
      )
    })
    instance.on("start", () => {
      start = performance.now()
    })
    instance.on("response", (_client, code, _bytes, latency) => {
      end = performance.now()
      latencies.push(latency)
      if (code !== status) others.set(code, (others.get(code) ?? 0) + 1)
    })
    return Effect.sync(() => instance.stop())
  })

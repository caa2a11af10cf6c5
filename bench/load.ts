import autocannon from "autocannon"

export interface Load {
  readonly requests: ReadonlyArray<{
    readonly method?: "GET" | "POST"
    readonly path: string
    readonly body?: string
  }>
  readonly headers?: Readonly<Record<string, string>>
}

export interface Measured {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly answers: Readonly<Record<string, number>>
  readonly total: number
}

export const connections = 16

/** Drives an address for some seconds over sixteen connections; latencies in milliseconds. */
export const drive = async (url: string, load: Load, seconds: number): Promise<Measured> => {
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    headers: { ...load.headers },
    requests: load.requests.map(({ body, method = "GET", path }) => ({
      method,
      path,
      ...(body === undefined
        ? {}
        : { body, headers: { "content-type": "application/json", ...load.headers } })
    }))
  })
  if (result.errors > 0) throw new Error(`${url}: ${result.errors} requests failed`)
  const answers = Object.fromEntries(
    Object.entries(result.statusCodeStats ?? {}).map(([status, { count = 0 }]) => [status, count])
  )
  return {
    perSecond: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    answers,
    total: result.requests.total
  }
}

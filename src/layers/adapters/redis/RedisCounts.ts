/** Keeps the counts that instances share in Redis: a hash for each client, with a field for each bucket of time. */
import { Effect, Layer, Redacted } from "effect"
import {
  type Counted,
  SharedCounts,
  type SharedCountsShape,
  SharedCountsUnavailable
} from "../../../http/ratelimit/SharedCounts.ts"
import { observed } from "../../../http/ratelimit/SharedCountsHealth.ts"
import type { BucketCount, Shape } from "../../../http/ratelimit/Window.ts"
import { Settings } from "../../process/Settings.ts"

/** How long connecting and an answer may take together. No request waits for it. */
const patience = "1 second"

// The package is loaded only where it is used: most services have no Redis.
const library = Effect.promise(() => import("@redis/client"))

const makeClient = ({ createClient }: Effect.Success<typeof library>, url: string) => {
  const client = createClient({
    url,
    RESP: 2,
    disableClientInfo: true,
    disableOfflineQueue: true,
    maintNotifications: "disabled",
    // The next exchange connects again.
    socket: { reconnectStrategy: false }
  })
  // An error without a listener would end the process. The command that fails reports the same error.
  client.on("error", () => {})
  return client
}

type Client = ReturnType<typeof makeClient>

/**
 * The key of a client's hash. It contains the shape of the buckets: for a moment after a change of settings, instances
 * count in different ones, which must not be mixed.
 */
const keyOf = (client: string, { bucket, buckets }: Shape) => `forum:rate:${bucket}x${buckets}:${client}`

const secondsOf = ({ bucket, period }: Shape) => Math.ceil((period + 2 * bucket) / 1000)

const toCounts = (fields: Readonly<Record<string, string>>): ReadonlyArray<BucketCount> =>
  Object.entries(fields).map(([bucket, count]) => [Number(bucket), Number(count)] as const)

/** Removes the buckets that have left the period, so that the hash of a client who never rests does not grow. */
const tidy = async (client: Client, key: string, { buckets }: Shape, counts: ReadonlyArray<BucketCount>) => {
  const newest = Math.max(...counts.map(([bucket]) => bucket))
  const past = counts.filter(([bucket]) => bucket < newest - buckets).map(([bucket]) => String(bucket))
  if (past.length > 0) await client.hDel(key, past)
}

const exchangeOne = async (client: Client, { client: name, counts, shape }: Counted) => {
  const key = keyOf(name, shape)
  // The commands are sent together and answered in order, as are those for all clients.
  const added = counts.map(([bucket, count]) => client.hIncrBy(key, String(bucket), count))
  const kept = client.expire(key, secondsOf(shape))
  const [fields] = await Promise.all([client.hGetAll(key), kept, ...added])
  const all = toCounts(fields)
  await tidy(client, key, shape, all)
  return all
}

/**
 * Why Redis did not answer. A name with several addresses fails with an error for each of them, and no message of its
 * own.
 */
const reasonOf = (cause: unknown): string => {
  if (cause instanceof AggregateError && cause.message === "") return cause.errors.map(reasonOf).join(", ")
  return cause instanceof Error ? cause.message : String(cause)
}

export const make = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const redis = yield* library
  let connected: Client | undefined
  let connecting: Promise<Client> | undefined

  const disconnect = () => {
    if (connected?.isOpen === true) connected.destroy()
    connected = undefined
    connecting = undefined
  }

  const open = async () => {
    const client = makeClient(redis, Redacted.value(url))
    connected = client
    await client.connect()
    return client
  }

  /** The open connection, or a new one. Callers who come while it is being opened wait for the same one. */
  const connect = (): Promise<Client> => {
    if (connected?.isReady === true) return Promise.resolve(connected)
    if (connecting !== undefined && connected !== undefined) return connecting
    disconnect()
    const opening = open().finally(() => {
      if (connecting === opening) connecting = undefined
    })
    connecting = opening
    return opening
  }

  const run = <A>(use: (client: Client) => Promise<A>): Effect.Effect<A, SharedCountsUnavailable> =>
    Effect.tryPromise({
      try: async () => use(await connect()),
      catch: (cause) => new SharedCountsUnavailable({ reason: reasonOf(cause) })
    }).pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => Effect.fail(new SharedCountsUnavailable({ reason: "no answer within a second" }))
      }),
      Effect.tapError(() => Effect.sync(disconnect))
    )

  const exchange: SharedCountsShape["exchange"] = (counted) =>
    run((client) => Promise.all(counted.map((one) => exchangeOne(client, one))))
  const check = Effect.asVoid(run((client) => client.ping()))

  yield* Effect.addFinalizer(() => Effect.sync(disconnect))
  return { check, exchange } satisfies SharedCountsShape
})

/** The shared counts in the Redis that the settings name; undefined if they name none. */
export const layer = Layer.effect(
  SharedCounts,
  Effect.flatMap(Settings, ({ redisUrl }) =>
    redisUrl === undefined ? Effect.undefined : Effect.map(make(redisUrl), observed)
  )
)

/** How much slower reading a thread gets for some while others do what is expensive. */
import { Effect } from "effect"
import { cookie } from "./forum.ts"
import { type Driven, drive, type Request } from "./load.ts"
import { sample, signIn } from "./scenarios.ts"
import { idOf } from "./seed.ts"
import { settle, type Target } from "./spans.ts"

export interface Interference {
  readonly quiet: Driven
  readonly loaded: Driven
  /** What the others got done meanwhile, per second, by its name. */
  readonly others: Readonly<Record<string, number>>
}

const reads = { requests: sample.map((id) => ({ path: `/api/threads/${id}` })) }

/** Another title for a thread that the seeded account opened. */
const write = (n: number): Request => ({
  method: "PATCH",
  path: `/api/threads/${idOf("t", 0)}`,
  headers: { "content-type": "application/json", ...cookie },
  body: JSON.stringify({ title: `Thread number 0, change ${n}` })
})

/** Every post has all parts of this text and none has the text, so that no index helps. */
const search = (): Request => ({ path: "/api/threads?q=lazy%20fox" })

/** What others do all the time, and how many of them. */
interface Others {
  readonly name: string
  readonly count: number
  readonly request: (n: number) => Request
}

/** What happens together while threads are read. */
export const disturbances: ReadonlyArray<{ readonly title: string; readonly others: ReadonlyArray<Others> }> =
  [
    {
      title: "write to one thread and search",
      others: [
        { name: "writes", count: 32, request: write },
        { name: "searches", count: 4, request: search }
      ]
    },
    { title: "sign in", others: [{ name: "sign-ins", count: 8, request: () => signIn }] }
  ]

interface Progress {
  sent: number
  succeeded: number
}

/** Sends a request, each time that the last is answered, until the scope ends. */
const loops = Effect.fnUntraced(function* (url: string, { count, request }: Others) {
  const progress: Progress = { sent: 0, succeeded: 0 }
  const once = Effect.promise((signal) => {
    const { path, ...init } = request(progress.sent++)
    return fetch(`${url}${path}`, { ...init, signal }).then(
      async (response) => {
        await response.arrayBuffer()
        if (response.ok) progress.succeeded += 1
      },
      () => {}
    )
  })
  const all = Array.from({ length: count }, () => Effect.forever(once))
  yield* Effect.forkScoped(Effect.all(all, { concurrency: "unbounded", discard: true }))
  return progress
})

const measureOnce = Effect.fnUntraced(function* (
  target: Target,
  others: ReadonlyArray<Others>,
  seconds: number
) {
  const { url } = target
  yield* settle(target)
  const quiet = yield* drive(url, reads, { seconds })
  const progress = yield* Effect.forEach(others, (some) => loops(url, some))
  // Until the queues are as long as they get.
  yield* Effect.sleep("1 second")
  const before = progress.map(({ succeeded }) => succeeded)
  const start = performance.now()
  const loaded = yield* drive(url, reads, { requests: Math.max(200, Math.round(quiet.requests / 4)) })
  const elapsed = (performance.now() - start) / 1000
  return {
    quiet,
    loaded,
    others: Object.fromEntries(
      others.map(({ name }, n) => [name, ((progress[n]?.succeeded ?? 0) - (before[n] ?? 0)) / elapsed])
    )
  } satisfies Interference
}, Effect.scoped)

/** By turns, round after round; by round, then by target. */
export const interference = Effect.fn("interference")(function* (
  targets: ReadonlyArray<Target>,
  others: ReadonlyArray<Others>,
  seconds: number,
  count: number
) {
  for (const { url } of targets) yield* drive(url, reads, { seconds })
  const measured: Array<ReadonlyArray<Interference>> = []
  for (let round = 0; round < count; round++) {
    measured.push(yield* Effect.forEach(targets, (target) => measureOnce(target, others, seconds / count)))
  }
  return measured
})

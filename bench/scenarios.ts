/** What is measured. */
import { Effect } from "effect"
import { type Gather, plugins, webhooks } from "./audiences.ts"
import { BenchFailure } from "./BenchFailure.ts"
import { answerer, cookie, staffCookie } from "./forum.ts"
import type { Load, Request } from "./load.ts"
import { idOf, tags, threads } from "./seed.ts"
import { accounts } from "./seedParts.ts"

export interface Scenario {
  readonly title: string
  /** Whether the service may keep in memory what has not changed. */
  readonly caching: boolean
  readonly load: (url: string) => Effect.Effect<Load, BenchFailure>
  /** The floors' page that answers the same. */
  readonly floor?: "version" | "guest" | "member" | "first" | "last" | "reply"
  /** The plain select of the page's main rows; those of a node are the nodes and their values. */
  readonly plain?: "nodes" | "replies" | "threads"
  /** Run in the database before each span. */
  readonly before?: ReadonlyArray<string>
  /** Those who are told of what happens. Ours is measured without them as well. */
  readonly gather?: Gather
}

const hundred = (first: number) => Array.from({ length: 100 }, (_, n) => idOf("t", first + n * 89))

/** Threads all over the forum, which stay as they are. */
export const sample = hundred(37)

/** Threads that grow. */
export const growing = hundred(38)

export const lastPage = threads / 50

export const replyText = "A reply of ordinary length, as people write them."

export const replyTo = (id: string): Request => ({
  method: "POST",
  path: `/api/threads/${id}/replies`,
  headers: { "content-type": "application/json", ...cookie },
  body: JSON.stringify({ body: `<p>${replyText}</p>` })
})

export const signIn: Request = {
  method: "POST",
  path: "/api/auth/password/signin",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(answerer)
}

const gets = (paths: ReadonlyArray<string>, headers: Readonly<Record<string, string>> = {}) => {
  const load: Load = { requests: paths.map((path) => ({ path: `/api${path}`, headers })) }
  return () => Effect.succeed(load)
}

const pages = sample.map((id) => `/threads/${id}`)

/** Pages of the library with a hundred children each. */
export const shelvesSample = Array.from({ length: 100 }, (_, n) => idOf("n", 1 + n * 8))

const shelvesRead = shelvesSample.map((id) => `/nodes/${id}`)

/** Asks for each page whether it is still what it is now. */
const unchanged = (pages: ReadonlyArray<string>) =>
  Effect.fnUntraced(function* (url: string) {
    const requests = yield* Effect.forEach(pages, (page) =>
      Effect.tryPromise({
        try: async (): Promise<Request> => {
          const { headers, status } = await fetch(`${url}/api${page}`, { headers: cookie })
          const etag = headers.get("etag")
          // A commit that has no such pages is left out when one of them is asked for.
          if (status === 404) return { path: `/api${page}`, headers: cookie }
          if (etag === null) throw new Error("no entity tag")
          return { path: `/api${page}`, headers: { ...cookie, "if-none-match": etag } }
        },
        catch: (cause) => new BenchFailure({ message: `${page}: ${cause}` })
      })
    )
    return { requests, status: 304 }
  })

const everyPage = Array.from({ length: threads }, (_, n) => idOf("t", n)).flatMap((id) => [
  `/threads/${id}`,
  `/threads/${id}?page=2`
])

const numbers = Array.from({ length: 100 }, (_, n) => 37 + n * 89)

/** Words that follow each other, in about 11,000 texts out of a million: each ends in a number. */
const fewTexts = numbers.map((n) => `/datagraph?q=dog.+${n}`)

/** The beginnings of titles, as somebody types them. */
const typed = numbers.flatMap((n) =>
  ["thr", "thread nu", `number ${n}`].map((text) => `/datagraph/matches?q=${encodeURIComponent(text)}`)
)

/** Asked by as many at a time as the machine has cores: how long an answer takes, not how many wait for theirs. */
const byFew = (paths: ReadonlyArray<string>, headers: Request["headers"] = {}, connections = 2) =>
  Effect.map(gets(paths, headers)(), (load): Load => ({ ...load, connections }))

/** As long reads of the database take turns on one connection of a small service. */
const search = (words: string, paths: ReadonlyArray<string>): Scenario => ({
  title: `search, ${words}`,
  caching: true,
  load: () => byFew(paths, {}, 1)
})

const pagesOf = (
  path: string,
  last: number,
  headers: Request["headers"] = cookie
): ReadonlyArray<Scenario> => {
  const title = path.slice(1)
  const at = (page: number) => `${path}${path.includes("?") ? "&" : "?"}page=${page}`
  const middle = numbers.slice(0, 32).map((n) => at(Math.floor(last / 3) + (n % 20)))
  return [
    { title: `${title}, page 1`, caching: true, load: () => byFew([path], headers) },
    { title: `${title}, pages in the middle`, caching: true, load: () => byFew(middle, headers) },
    { title: `${title}, page ${last}`, caching: true, load: () => byFew([at(last)], headers) }
  ]
}

/** The same requests to a service that keeps nothing between requests, and to one with the default settings. */
const firstAndAgain = (scenario: Omit<Scenario, "caching">): ReadonlyArray<Scenario> => {
  const { load, title } = scenario
  return [
    { ...scenario, title: `${title}, first read`, caching: false },
    { title: `${title}, read again`, load, caching: true }
  ]
}

const repliesTold = (to: string, gather: Gather, how: Omit<Load, "requests"> = {}): Scenario => ({
  title: `reply create, told to ${to}`,
  caching: true,
  load: () => Effect.succeed({ requests: growing.map(replyTo), ...how }),
  gather
})

export const scenarios: ReadonlyArray<Scenario> = [
  { title: "version", caching: true, load: gets(["/version"]), floor: "version" },
  { title: "info", caching: true, load: gets(["/info"]) },
  { title: "categories", caching: true, load: gets(["/categories"]) },
  ...firstAndAgain({ title: "thread page, guest", load: gets(pages), floor: "guest", plain: "replies" }),
  ...firstAndAgain({
    title: "thread page, signed in",
    load: gets(pages, cookie),
    floor: "member",
    plain: "replies"
  }),
  {
    title: "thread page, guest, all threads changed",
    caching: true,
    load: () => Effect.succeed({ requests: everyPage.map((page) => ({ path: `/api${page}` })), once: true }),
    before: ["update threads set version = version + 1", "vacuum threads"]
  },
  { title: "thread page, 304", caching: true, load: unchanged(pages) },
  ...firstAndAgain({
    title: "thread list, page 1",
    load: gets(["/threads"], cookie),
    floor: "first",
    plain: "threads"
  }),
  ...firstAndAgain({
    title: `thread list, page ${lastPage}`,
    load: gets([`/threads?page=${lastPage}`], cookie),
    floor: "last"
  }),
  ...firstAndAgain({
    title: "page of the library with 100 children",
    load: gets(shelvesRead),
    plain: "nodes"
  }),
  { title: "page of the library, 304", caching: true, load: unchanged(shelvesRead) },
  { title: "tree of 10,000 pages", caching: true, load: () => byFew([`/nodes?node_id=${idOf("n", 0)}`]) },
  {
    title: "children sorted by a number, page 1",
    caching: true,
    load: () => byFew(["/nodes/shelf-0/children?children_sort=Field%200"])
  },
  {
    title: "children sorted by a number, page 100",
    caching: true,
    load: () => byFew(["/nodes/shelf-0/children?children_sort=Field%200&page=100"])
  },
  { title: "own account", caching: true, load: gets(["/accounts"], cookie) },
  ...pagesOf("/profiles", accounts / 50),
  ...pagesOf("/admin/accounts", accounts / 50, staffCookie),
  ...pagesOf("/admin/accounts?sort=name&kind=human&suspended=false", accounts / 50, staffCookie),
  ...pagesOf("/tags", tags / 50),
  search("two words in every text", ["/datagraph?q=lazy+dog"]),
  search("two words in some texts", fewTexts),
  search("two words in no text", ["/datagraph?q=quick+dog"]),
  { title: "search, suggestions", caching: true, load: () => byFew(typed) },
  { title: "sign in", caching: true, load: () => Effect.succeed({ requests: [signIn], connections: 2 }) },
  { title: "notifications", caching: true, load: gets(["/notifications"], cookie) },
  {
    title: "reply create",
    caching: true,
    load: () => Effect.succeed({ requests: growing.map(replyTo) }),
    floor: "reply"
  },
  repliesTold("a plugin", plugins(1, false), { connections: 2 }),
  repliesTold("20 plugins", plugins(20, true)),
  repliesTold("20 plugins one by one", plugins(20, false)),
  // Every reply is followed by 20 deliveries.
  repliesTold("20 webhooks", webhooks(20), { most: 200 })
]

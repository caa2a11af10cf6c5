/** Lists in pages as one sequence of rows, from the first page to the last. */
import { Effect, Option, Stream } from "effect"

/** What a page of a list says of where the list goes on. */
interface Page {
  readonly page_size: number
  readonly next_cursor?: string
}

/** The rows of a page, which are its only array. */
type RowOf<Body> = {
  [Key in keyof Body]-?: Body[Key] extends ReadonlyArray<infer Row> ? Row : never
}[keyof Body]

interface Walked {
  readonly query?: { readonly page?: string; readonly cursor?: string }
}

const rowsIn = <Body extends Page>(page: Body): ReadonlyArray<RowOf<Body>> =>
  // Which key has the rows is known from the type of the page.
  (Object.values(page).find(Array.isArray) ?? []) as ReadonlyArray<RowOf<Body>>

/** The request for what comes after a page, of which only the first is asked for by its number. */
const after = <Request extends Walked>(request: Request, cursor: string | undefined): Request => {
  if (cursor === undefined) return request
  const { page: _, ...query } = { ...request.query }
  return { ...request, query: { ...query, cursor } }
}

/**
 * The pages of a list, as its operation answers them, from the one that the request asks for to the last. What is inserted
 * or removed meanwhile moves nothing: what is there throughout comes once.
 */
export const pages = <Request extends Walked, Body extends Page, Failure>(
  list: (request: Request) => Effect.Effect<Body, Failure>,
  request: Request
): Stream.Stream<Body, Failure> =>
  Stream.paginate(Option.none<string>(), (cursor) =>
    Effect.map(
      list(after(request, Option.getOrUndefined(cursor))),
      (page) =>
        [
          [page],
          page.next_cursor === undefined ? Option.none() : Option.some(Option.some(page.next_cursor))
        ] as const
    )
  )

/** The rows of a list, each once: `walk(client.tags.list, { query: { q: "tide" } })`. */
export const walk = <Request extends Walked, Body extends Page, Failure>(
  list: (request: Request) => Effect.Effect<Body, Failure>,
  request: Request
): Stream.Stream<RowOf<Body>, Failure> => Stream.flattenIterable(Stream.map(pages(list, request), rowsIn))

/** The same for operations that answer promises, as those of a plugin do: `for await (const tag of iterate(api.tags.list, {}))`. */
export async function* iterate<Request extends Walked, Body extends Page>(
  list: (request: Request) => Promise<Body>,
  request: Request
): AsyncGenerator<RowOf<Body>, void, void> {
  for (let cursor: string | undefined; ; ) {
    const page: Body = await list(after(request, cursor))
    yield* rowsIn(page)
    cursor = page.next_cursor
    if (cursor === undefined) return
  }
}

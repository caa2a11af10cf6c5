/** Lists in pages as one sequence of rows, from the first page to the last. */
import { Effect, Option, Predicate, Stream } from "effect"

/** What a page of a list says of where the list goes on. */
interface Page {
  readonly page_size: number
  readonly next_cursor?: string
}

/** The page in an answer: the answer itself, or a part of it, as the replies of a thread are. */
type PageOf<Body> = Body extends Page ? Body : Extract<Body[keyof Body], Page>

/** The rows of a page, which are its only array. */
type RowOf<Body> = {
  [Key in keyof Body]-?: Body[Key] extends ReadonlyArray<infer Row> ? Row : never
}[keyof Body]

interface Walked {
  readonly query?: { readonly page?: string; readonly cursor?: string }
}

const isPage = (value: unknown): value is Page =>
  Predicate.hasProperty(value, "page_size") && Predicate.isNumber(value.page_size)

const pageIn = <Body extends object>(answer: Body): PageOf<Body> & Page =>
  // Where the page is, is known from the type of the answer.
  (isPage(answer) ? answer : Object.values(answer).find(isPage)) as PageOf<Body> & Page

const rowsIn = <Found extends Page>(page: Found): ReadonlyArray<RowOf<Found>> =>
  // Which key has the rows is known from the type of the page.
  (Object.values(page).find(Array.isArray) ?? []) as ReadonlyArray<RowOf<Found>>

/** What a list is called with: a request, which may be left out if it has no required parts. */
type Arguments = [request?: Walked]

type RequestOf<Given extends Arguments> = NonNullable<Given[0]>

// A request in the place where a list may be called without one.
const argumentsOf = <Given extends Arguments>(request: RequestOf<Given>) => [request] as unknown as Given

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
export const pages = <Given extends Arguments, Body extends object, Failure>(
  list: (...request: Given) => Effect.Effect<Body, Failure>,
  request: RequestOf<Given>
): Stream.Stream<Body, Failure> =>
  Stream.paginate(Option.none<string>(), (cursor) =>
    Effect.map(list(...argumentsOf<Given>(after(request, Option.getOrUndefined(cursor)))), (answer) => {
      const { next_cursor: next } = pageIn(answer)
      return [[answer], next === undefined ? Option.none() : Option.some(Option.some(next))] as const
    })
  )

/** The rows of a list, each once: `walk(client.tags.list, { query: { q: "tide" } })`. */
export const walk = <Given extends Arguments, Body extends object, Failure>(
  list: (...request: Given) => Effect.Effect<Body, Failure>,
  request: RequestOf<Given>
): Stream.Stream<RowOf<PageOf<Body>>, Failure> =>
  Stream.flattenIterable(
    Stream.map(pages(list, request), (answer) => rowsIn<PageOf<Body> & Page>(pageIn(answer)))
  )

/** The same for operations that answer promises, as those of a plugin do: `for await (const tag of iterate(api.tags.list, {}))`. */
export async function* iterate<Given extends Arguments, Body extends object>(
  list: (...request: Given) => Promise<Body>,
  request: RequestOf<Given>
): AsyncGenerator<RowOf<PageOf<Body>>, void, void> {
  for (let cursor: string | undefined; ; ) {
    const answer: Body = await list(...argumentsOf<Given>(after(request, cursor)))
    const page = pageIn(answer)
    yield* rowsIn<PageOf<Body> & Page>(page)
    cursor = page.next_cursor
    if (cursor === undefined) return
  }
}

/**
 * Lists that have several pages, so that walks by cursors are tested on all of them: the rows of `test/<area>/walks.ts`,
 * found by that name.
 */
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { HttpClient, HttpServer } from "effect/http"
import type { SqlClient } from "effect/sql"
import { type Answer, ok } from "./answers.ts"
import type { Cast, Person } from "./people.ts"

type Row = Answer["json"]

export interface Walk {
  /** The id of the operation. */
  readonly operation: string
  /** What is particular about this list, for messages. */
  readonly when?: string
  readonly viewer: Person
  /** The list, with the parameters that it is walked with; a path below `/api`. */
  readonly path: string
  /** The key of its rows in an answer. */
  readonly rows: string
  /** Where the page is in an answer that has more; the answer is the page if absent. */
  readonly page?: (answer: Answer["json"]) => Answer["json"]
  /** What tells a row from others; its id if absent. */
  readonly idOf?: (row: Row) => string
  /** The same operation with other parameters. */
  readonly narrowed: string
  /** Removes a row, as if somebody else had while the list is walked. */
  readonly remove: (
    id: string
  ) => Effect.Effect<unknown, unknown, HttpClient.HttpClient | SqlClient.SqlClient>
}

/** Prepares lists of several pages in a fresh database, with the cast signed up. */
export type Walks = Effect.Effect<
  ReadonlyArray<Walk>,
  unknown,
  Cast | HttpClient.HttpClient | HttpServer.HttpServer | Scope.Scope | SqlClient.SqlClient
>

const tests = fileURLToPath(new URL("..", import.meta.url))

/** The walks of every area that has some. */
export const areas: ReadonlyArray<{
  readonly area: string
  readonly walks: Walks
  readonly operations: ReadonlyArray<string>
}> = await Promise.all(
  readdirSync(tests, { recursive: true, encoding: "utf8" })
    .filter((path) => /^[a-z]+\/walks\.ts$/.test(path) && !path.startsWith("support/"))
    .sort()
    .map(async (path) => {
      const found: { readonly walks: Walks; readonly operations: ReadonlyArray<string> } = await import(
        `${tests}${path}`
      )
      return { area: path.replace("/walks.ts", ""), walks: found.walks, operations: found.operations }
    })
)

export const nameOf = ({ operation, when }: Walk) =>
  when === undefined ? operation : `${operation}, ${when}`

/** A path with one more parameter. */
export const withParameter = (path: string, name: string, value: string) =>
  `${path}${path.includes("?") ? "&" : "?"}${name}=${encodeURIComponent(value)}`

/** The address of the next page in the header `Link` of an answer, below `/api`. */
export const nextLink = ({ headers }: Answer): string | undefined =>
  /<\/api([^>]*)>; rel="next"/.exec(headers.link ?? "")?.[1]

export const idsIn = ({ idOf = ({ id }) => id, rows }: Pick<Walk, "rows" | "idOf">, page: Answer["json"]) =>
  page[rows].map(idOf) as ReadonlyArray<string>

/** The answers of a walk from an address on, as `Link` leads from one to the next. */
export const walkFrom = Effect.fnUntraced(function* (
  { page: pageIn = (whole) => whole, viewer }: Pick<Walk, "page" | "viewer">,
  path: string
) {
  const pages: Array<Answer["json"]> = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const answer: Answer = yield* viewer.get(next)
    const page = pageIn(ok(answer))
    pages.push(page)
    next = nextLink(answer)
    assert.strictEqual(next !== undefined, "next_cursor" in page, answer.request)
    if (next !== undefined) {
      assert.strictEqual(new URL(next, "http://forum.test").searchParams.get("cursor"), page.next_cursor)
    }
  }
  return pages
})

/** Conditional requests (RFC 9110, 13). */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { ok } from "./answers.ts"
import type { Person } from "./people.ts"

export const ifNoneMatch = (etag: string) => ({ headers: { "if-none-match": etag } })

/** The ETag of what a person reads at a path. */
export const etagOf = (person: Person, path: string) =>
  Effect.map(person.get(path), (answer) => {
    ok(answer)
    const { etag = "" } = answer.headers
    assert.match(etag, /^"[!#-~]+"$/)
    return etag
  })

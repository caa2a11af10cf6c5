/** The people of the discussion tests, what they usually do, and how a refusal looks. */
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type Answer, cast, grant, type Person, signUp } from "./people.ts"
import * as TestApp from "./TestApp.ts"

/** Odin is the administrator, Freya and Loki are members, Tyr is a member with MANAGE_POSTS. */
export class Cast extends Context.Service<
  Cast,
  { readonly odin: Person; readonly freya: Person; readonly loki: Person; readonly tyr: Person }
>()("test/Cast") {}

/** The service in a fresh database, with the cast signed up. */
export const layer = Layer.effect(
  Cast,
  Effect.gen(function* () {
    const people = yield* cast
    const tyr = yield* signUp("tyr")
    yield* grant(tyr, "MANAGE_POSTS")
    return { ...people, tyr }
  })
).pipe(Layer.provideMerge(TestApp.layer))

/** The body of an answer that has to be a success. */
export const ok = (answer: Answer): Answer["json"] => {
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.json
}

/** Opens a thread, published unless told otherwise. */
export const open = (author: Person, title: string, more: Readonly<Record<string, unknown>> = {}) =>
  Effect.map(author.post("/threads", { title, visibility: "published", ...more }), ok)

export const reply = (
  author: Person,
  thread: string,
  body: string,
  more: Readonly<Record<string, unknown>> = {}
) => Effect.map(author.post(`/threads/${thread}/replies`, { body, ...more }), ok)

export const category = (by: Person, name: string, more: Readonly<Record<string, unknown>> = {}) =>
  Effect.map(by.post("/categories", { name, description: "", colour: "", ...more }), ok)

/** Asserts that an answer is the problem of this name, in the form that all problems have. */
export const assertProblem = (answer: Answer, status: number, name: string, metadata?: object) => {
  assert.strictEqual(answer.status, status, answer.text)
  assert.strictEqual(answer.headers["content-type"], "application/problem+json")
  const { json } = answer
  assert.strictEqual(json.type, `/api/problems/${name}`)
  assert.strictEqual(json.status, status)
  assert.match(json.title, /^[A-Z].* .*[^.]$/)
  assert.match(json.trace_id, /^(?!0{32})[0-9a-f]{32}$/)
  if (metadata !== undefined) assert.deepStrictEqual(json.metadata, metadata)
  assert.isObject(json.metadata)
}

/** Asserts that the request was refused for these places in it. */
export const assertInvalid = (answer: Answer, ...paths: ReadonlyArray<string>) => {
  assertProblem(answer, 400, "invalid-request")
  const issues: ReadonlyArray<{ readonly in: string; readonly path: string }> = answer.json.metadata.issues
  assert.deepStrictEqual([...new Set(issues.map((issue) => issue.path))].sort(), [...paths].sort())
}

/** A query string; a list repeats its key. */
export const query = (parameters: Readonly<Record<string, string | ReadonlyArray<string>>>): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of typeof value === "string" ? [value] : value) search.append(name, one)
  }
  return `?${search}`
}

export const titlesOf = (list: Answer["json"]): ReadonlyArray<string> =>
  list.threads.map((thread: { readonly title: string }) => thread.title)

export const idsOf = (items: ReadonlyArray<{ readonly id: string }>) => items.map(({ id }) => id)

/** An id that nothing has. */
export const nobody = "00000000000000000000"

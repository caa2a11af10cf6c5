/** What the tests of the edge look for in answers. */
import { assert } from "@effect/vitest"
import type { Answer, Person } from "./people.ts"

/** The name of the problem that an answer is. */
export const problemOf = (answer: Answer) => String(answer.json?.type).replace("/api/problems/", "")

export const assertProblem = (answer: Answer, status: number, name: string, about = "") => {
  assert.strictEqual(answer.status, status, `${about} ${answer.text}`)
  assert.strictEqual(problemOf(answer), name, about)
  assert.strictEqual(answer.headers["content-type"], "application/problem+json")
  assert.strictEqual(answer.json.status, status)
  assert.match(answer.json.trace_id, /^[0-9a-f]{32}$/)
}

/** Where the issues of an invalid request are. */
export const issuesOf = (answer: Answer): ReadonlyArray<readonly [string, string]> =>
  answer.json.metadata.issues.map((issue: { in: string; path: string }) => [issue.in, issue.path])

export const cookieOf = (person: Person) => ({ cookie: `forum-session=${person.cookie}` })

export const json = { "content-type": "application/json" }

/** How a refusal looks on the wire. */
import { assert } from "@effect/vitest"
import { Schema } from "effect"
import type { OAuthErrorCode } from "../../src/domain/shared/OAuthError.ts"
import type { AnyProblem, ProblemType } from "../../src/domain/shared/Problem.ts"
import { InvalidRequest, type Issue } from "../../src/http/contract/RequestProblems.ts"
import type { Answer } from "./answers.ts"

/** The class of a problem, as its area declares it. */
export interface ProblemClass<Metadata extends object> {
  new (...parameters: never): AnyProblem & { readonly metadata: Metadata }
  readonly problemType: ProblemType
  readonly fields: { readonly metadata: Schema.Top }
}

/** The name of the problem that an answer is. */
export const problemOf = (answer: Answer) => String(answer.json?.type).replace("/api/problems/", "")

/**
 * Asserts that an answer is this problem and nothing else: its status, title,
 * type and content type, with a trace id and without a cookie. A problem that
 * declares no metadata has none; of others, the values are asserted if given.
 */
export const assertProblem = <Metadata extends object>(
  answer: Answer,
  { fields, problemType: { status, title, type } }: ProblemClass<Metadata>,
  metadata?: NoInfer<Metadata> & object
) => {
  const about = `${answer.request}: ${answer.text}`
  assert.strictEqual(answer.status, status, about)
  assert.strictEqual(answer.headers["content-type"], "application/problem+json", about)
  assert.isUndefined(answer.headers["set-cookie"], about)
  const { metadata: actual, trace_id, ...body } = answer.json
  assert.match(trace_id, /^(?!0{32})[0-9a-f]{32}$/, about)
  assert.deepStrictEqual(body, { type, title, status }, about)
  assert.isObject(actual, about)
  const hasNone = Schema.is(fields.metadata)({})
  if (metadata !== undefined || hasNone) assert.deepStrictEqual(actual, metadata ?? {}, about)
}

/** Whether an answer has the form of OAuth. */
const isOAuthError = ({ json }: Answer): boolean => typeof json?.error === "string"

/** An issue as it stands in a description of OAuth. */
const issueIn = (text: string): Pick<Issue, "in" | "path" | "message"> => {
  const [, place = "", path = "", message = ""] = /^(path|query|header|body) ?(\S*): (.+)$/.exec(text) ?? []
  return { in: place as Issue["in"], path, message }
}

/** The places of an invalid request that its answer names, which is a problem or has the form of OAuth. */
export const issuesOf = (answer: Answer): ReadonlyArray<Issue> =>
  isOAuthError(answer) ? answer.json.error_description.split(" | ").map(issueIn) : answer.json.metadata.issues

/** Whether an answer says that the request is not as its operation declares it. */
export const isInvalid = (answer: Answer): boolean =>
  isOAuthError(answer)
    ? issuesOf(answer).every((issue) => issue.message !== "")
    : problemOf(answer) === "invalid-request"

/** Asserts that a request was refused for exactly these places in it, such as `body title` or `query`. */
export const assertInvalid = (answer: Answer, ...places: ReadonlyArray<string>) => {
  if (isOAuthError(answer)) assertOAuthError(answer, answer.json.error)
  else assertProblem(answer, InvalidRequest)
  const issues = issuesOf(answer)
  const named = new Set(issues.map((issue) => `${issue.in} ${issue.path}`.trim()))
  assert.deepStrictEqual([...named].sort(), [...places].sort(), `${answer.request}: ${answer.text}`)
  for (const { message } of issues) assert.isNotEmpty(message)
}

/** Asserts that an answer is a failure in the form of OAuth and nothing else, and answers its description. */
export const assertOAuthError = (answer: Answer, code: OAuthErrorCode): string => {
  const about = `${answer.request}: ${answer.text}`
  assert.include([400, 401], answer.status, about)
  assert.strictEqual("www-authenticate" in answer.headers, answer.status === 401, about)
  assert.strictEqual(answer.headers["content-type"], "application/json", about)
  assert.isUndefined(answer.headers["set-cookie"], about)
  assert.strictEqual(answer.headers["cache-control"], "no-store", about)
  assert.strictEqual(answer.headers.pragma, "no-cache", about)
  const { error_description, ...body } = answer.json
  assert.deepStrictEqual(body, { error: code }, about)
  assert.match(error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/, about)
  return error_description
}

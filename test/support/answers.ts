/** An answer as it came over the wire, and what tests read from one. */
import { assert } from "@effect/vitest"

/** `json` is undefined unless the answer says that it is JSON. */
export interface Answer {
  /** What was asked, for messages: the method and the path. */
  readonly request: string
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  // Tests look into answers of every shape.
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not computed with
  readonly json: any
}

/** Whether an answer ends when its reader leaves, as a stream of changes does: what it begins with is read of it. */
export const isEndless = (url: string, status: number | undefined): boolean =>
  status === 200 && new URL(url, "http://forum.test").pathname === "/api/changes/stream"

/** The body of a text that the content type says is JSON, or undefined. */
export const jsonOf = (contentType: string | undefined, text: string): unknown =>
  /json/.test(contentType ?? "") && text !== "" ? JSON.parse(text) : undefined

/** The body of an answer that has to be a success. */
export const ok = (answer: Answer): Answer["json"] => {
  assert.strictEqual(answer.status, 200, `${answer.request}: ${answer.text}`)
  return answer.json
}

/** The session token that an answer sets. */
export const sessionOf = (answer: Answer): string | undefined =>
  /forum-session=([^;]+);/.exec(answer.headers["set-cookie"] ?? "")?.[1]

export const idsOf = (items: ReadonlyArray<{ readonly id: string }>) => items.map(({ id }) => id)

export const titlesOf = (list: Answer["json"]): ReadonlyArray<string> =>
  list.threads.map((thread: { readonly title: string }) => thread.title)

/** Requests to a forum of a test, and what it answers. */
import type { Account, StartedForum } from "../../src/testing/Testing.ts"

export interface Sent {
  readonly by?: Account
  readonly method?: string
  readonly body?: unknown
}

/** Sends a request to a path of the API, and answers its status, its headers and its body, if that is JSON. */
export const send = async (
  forum: StartedForum,
  path: string,
  { body, by, method = body === undefined ? "GET" : "POST" }: Sent = {}
) => {
  const response = await fetch(`${forum.url}/api${path}`, {
    method,
    headers: { ...by?.headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  const isJson = response.headers.get("content-type")?.includes("json") === true
  return { status: response.status, headers: response.headers, json: isJson ? JSON.parse(text) : undefined }
}

/** Signs somebody up by mail. */
export const signUpByMail = (forum: StartedForum, handle: string) =>
  send(forum, "/auth/email-password/signup", {
    body: { email: `${handle}@example.com`, password: "a long password", handle }
  })

/** Lets an address be told of threads. */
export const hookTo = async (forum: StartedForum, url: string) => {
  const admin = await forum.administrator()
  await admin.api.webhooks.create({ payload: { url, events: ["EventThreadPublished"] } })
}

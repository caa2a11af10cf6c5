/** A long use of a forum of a test, as the bytes of all its answers. */

import { HttpApi } from "effect/http-api"
import { ForumApi } from "../../src/client/Client.ts"
import type { Account, StartedForum } from "../../src/testing/Testing.ts"

/** The paths of all operations that only read and have no parameter in their path. */
const plainPaths = () => {
  const paths: Array<string> = []
  HttpApi.reflect(ForumApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      if (endpoint.method === "GET" && !endpoint.path.includes(":")) paths.push(endpoint.path)
    }
  })
  return paths.sort()
}

const headersIn = (response: Response, origin: string) =>
  [...response.headers]
    .filter(([name]) => name !== "connection" && name !== "keep-alive")
    .map(([name, value]) => `${name}: ${value.replaceAll(origin, "ORIGIN")}`)
    .sort()

/** Sends a request, and answers everything of the answer as text, but for the port of the forum. */
export const ask = async (
  forum: StartedForum,
  path: string,
  {
    account,
    body,
    method = body === undefined ? "GET" : "POST"
  }: { account?: Account; body?: unknown; method?: string } = {}
) => {
  const response = await fetch(`${forum.url}${path}`, {
    method,
    redirect: "manual",
    headers: { ...account?.headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const lasts = response.headers.get("content-type")?.startsWith("text/event-stream") === true
  if (lasts) await response.body?.cancel()
  const text = lasts ? "(a stream)" : Buffer.from(await response.arrayBuffer()).toString("latin1")
  return [
    `${method} ${path} as ${account?.handle ?? "a guest"}: ${response.status}`,
    ...headersIn(response, forum.url),
    text.replaceAll(forum.url, "ORIGIN")
  ].join("\n")
}

/** Uses every area, with time that passes, and then reads all that can be read. */
export const record = async (forum: StartedForum): Promise<ReadonlyArray<string>> => {
  const answers: Array<string> = []
  const asking = async (
    ...request: Parameters<typeof ask> extends [unknown, ...infer Rest] ? Rest : never
  ) => {
    answers.push(await ask(forum, ...request))
  }
  await forum.outbound.answer("https://", { body: "<title>A page</title>" })
  const admin = await forum.administrator()
  const [one, two] = await forum.accounts(3)
  if (one === undefined || two === undefined) throw new Error("There are no accounts")
  const category = await forum.category()
  const thread = await forum.thread({ category, tags: ["tide"], replies: 12 })
  await forum.page({ children: 3 })
  await asking("/api/admin/webhooks", {
    account: admin,
    body: { url: "https://hooks.example/in", events: ["EventThreadPublished", "EventThreadReplyCreated"] }
  })
  await asking("/api/auth/access-keys", { account: admin, body: { name: "A key" } })
  await asking("/api/threads", {
    account: two,
    body: {
      title: "About <this>",
      body: '<p>See <a href="https://pages.example/a">this</a>.</p>',
      visibility: "published",
      category: category.id
    }
  })
  await asking(`/api/likes/posts/${thread.id}`, { account: two, method: "PUT" })
  await asking(`/api/posts/${thread.id}/reacts`, { account: two, body: { emoji: "🎉" }, method: "PUT" })
  await asking("/api/collections", { account: two, body: { name: "Mine", description: "What I like" } })
  await asking("/api/reports", {
    account: two,
    body: { target_id: thread.id, target_kind: "thread", comment: "Too short" }
  })
  await asking("/api/roles", {
    account: admin,
    body: { name: "Helper", colour: "#8fbc8f", permissions: ["MANAGE_POSTS"] }
  })
  await asking("/api/events", {
    account: admin,
    body: {
      name: "A meeting",
      content: "<p>Come.</p>",
      time_range: { start: "2026-03-01T10:00:00Z", end: "2026-03-01T12:00:00Z" },
      participation_policy: "open",
      visibility: "published",
      thread_category_id: category.id
    }
  })
  await asking(`/api/profiles/${one.handle}/followers`, { account: two, method: "PUT" })
  await asking("/api/auth/email-password/signup", {
    body: { email: "sif@example.com", password: "a long password", handle: "sif" }
  })
  await asking("/api/nothing", {})
  await asking("/api/threads", { account: one, body: { title: 7 } })
  await forum.clock.advance("3 hours")
  answers.push(JSON.stringify(await forum.mails.all()).replaceAll(forum.url, "ORIGIN"))
  answers.push(JSON.stringify(await forum.outbound.requests()).replaceAll(forum.url, "ORIGIN"))
  for (const path of plainPaths()) {
    for (const account of [undefined, two, admin])
      await asking(path, account === undefined ? {} : { account })
  }
  for (const path of [
    `/api/threads/${thread.slug}`,
    `/api/threads/${thread.slug}?page=2`,
    `/api/profiles/${one.handle}`
  ]) {
    await asking(path, { account: one })
  }
  await asking("/api/search?q=reply", { account: one })
  return answers
}

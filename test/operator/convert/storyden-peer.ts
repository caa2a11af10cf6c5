/** Another program with the same API, of which a test says what it answers. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Effect } from "effect"

export interface Asked {
  readonly path: string
  readonly page: number
  /** How often this was asked, this time included. */
  readonly time: number
  readonly key: string | undefined
}

export type Answering = (asked: Asked, response: ServerResponse, request: IncomingMessage) => unknown

export const at = "2024-05-06T07:08:09.123456789Z"

/** An id of the form of xid. */
export const xid = (number: number) => `cq0000000000000${number.toString(32).padStart(4, "0")}g`

export const account = (number: number, more: object = {}) => ({
  id: xid(number),
  createdAt: at,
  handle: `person-${number}`,
  name: `Person ${number}`,
  admin: number === 1,
  ...more
})

export const post = (number: number, more: object = {}) => ({
  id: xid(number),
  createdAt: at,
  author: { id: xid(1) },
  visibility: "published",
  title: `Thread ${number}`,
  slug: `${xid(number)}-thread`,
  body: `<p>Text ${number}</p>`,
  ...more
})

const nothing: Readonly<Record<string, unknown>> = {
  "/api/info": { title: "Elsewhere" },
  "/api/accounts": account(1),
  "/api/roles": { roles: [] },
  "/api/tags": { tags: [] },
  "/api/admin/accounts": { results: 1, accounts: [account(1)] },
  "/api/profiles/person-1": {},
  "/api/categories": { categories: [] },
  "/api/links": { links: [] },
  "/api/nodes": { nodes: [] },
  "/api/events": { events: [] },
  "/api/threads": { threads: [] },
  "/api/collections": { collections: [] }
}

export const give = (
  response: ServerResponse,
  status: number,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {}
) =>
  response
    .writeHead(status, { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers })
    .end(body === undefined ? undefined : JSON.stringify(body))

/**
 * Serves what is usual, but for some paths: what a function answers there, unless it has answered by itself. Answers the
 * address and what was asked.
 */
export const peer = (paths: Readonly<Record<string, Answering>> = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const asked: Array<string> = []
      const server = createServer((request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? "/", "http://peer.test")
        asked.push(request.url ?? "")
        const time = asked.filter((path) => path === request.url).length
        const answering = paths[pathname]
        const given =
          answering === undefined
            ? nothing[pathname]
            : answering(
                {
                  path: request.url ?? "",
                  page: Number(searchParams.get("page") ?? 1),
                  time,
                  key: request.headers.authorization
                },
                response,
                request
              )
        if (response.writableEnded || response.destroyed) return
        if (given === undefined) give(response, 404)
        else give(response, 200, given)
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      return { server, asked, address: `http://127.0.0.1:${port}` }
    }),
    ({ server }) =>
      Effect.promise(async () => {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      })
  )

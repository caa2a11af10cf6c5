/** The official client of the Model Context Protocol, in its versions with sessions. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions
} from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import type { Person } from "./people.ts"

/** Where the service of a test is reached. */
export const origin = Effect.flatMap(HttpServer.HttpServer, ({ address }) =>
  "port" in address
    ? Effect.succeed(`http://127.0.0.1:${address.port}`)
    : Effect.die(new Error("The server has no port"))
)

export const transportTo = (url: string, options: StreamableHTTPClientTransportOptions) =>
  new StreamableHTTPClientTransport(new URL("/mcp", url), options)

/** A client over a transport, which has said what it is. */
export const connect = async (transport: StreamableHTTPClientTransport) => {
  const client = new Client({ name: "test", version: "1" })
  // The types of the transport allow less than exact optional properties do.
  await client.connect(transport as Parameters<typeof client.connect>[0])
  return client
}

/** A client that sends the credentials of somebody; it checks answers by the schemas of the tools. */
export const connected = (person: Person, options: StreamableHTTPClientTransportOptions = {}) =>
  Effect.acquireRelease(
    Effect.flatMap(origin, (url) =>
      Effect.promise(() =>
        connect(transportTo(url, { ...options, requestInit: { headers: { ...person.headers } } }))
      )
    ),
    (client) => Effect.promise(() => client.close())
  )

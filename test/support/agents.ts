/** What agents say to the service in the tests, as plain messages. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, ok } from "./answers.ts"
import { call, type Person } from "./people.ts"

export const accept = { accept: "application/json, text/event-stream", "content-type": "application/json" }

/** Sends a message in the version of the protocol that has no sessions. */
export const say = (
  person: Person,
  method: string,
  params: Record<string, unknown> = {},
  path: "/mcp" | "/mcp/" = "/mcp"
) => {
  const name = params.name ?? params.uri
  return call("POST", path, {
    body: {
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {}
        }
      }
    },
    headers: {
      ...person.headers,
      ...accept,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {})
    }
  })
}

/** The result of a message. What the scopes of a token do not suffice for is refused with 403 as well. */
export const resultIn = (answer: Answer) => {
  const { result } = answer.status === 403 ? answer.json : ok(answer)
  assert.isDefined(result, answer.text)
  return result
}

export const callTool = (person: Person, name: string, args: Record<string, unknown> = {}) =>
  Effect.map(say(person, "tools/call", { name, arguments: args }), resultIn)

export const toolsOf = (person: Person) =>
  Effect.map(say(person, "tools/list"), (answer): ReadonlyArray<Answer["json"]> => resultIn(answer).tools)

/** What a tool refuses with. */
export const problemIn = (result: Answer["json"]) => {
  assert.isTrue(result.isError, JSON.stringify(result))
  return JSON.parse(result.content[0].text)
}

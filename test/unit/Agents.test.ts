import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ForumApi } from "../../src/http/Api.ts"
import { AgentTools } from "../../src/http/contract/AgentTool.ts"
import { InvalidRequest } from "../../src/http/contract/RequestProblems.ts"
import { documentOf } from "../../src/http/document/Document.ts"
import { type DescribedTool, toolListOf } from "../../src/http/document/ToolList.ts"
import { callOf, resultOf } from "../../src/http/mcp/ToolCall.ts"

const deployment = { publicUrl: new URL("http://forum.test"), version: "1" }

const tools = toolListOf(ForumApi, documentOf(ForumApi, deployment))

const effectOf = ({ hints }: DescribedTool) => {
  if (hints.readOnlyHint) return "reads"
  return hints.destructiveHint ? "replaces" : "adds"
}

const tool = (name: string) => {
  const found = tools.find((tool) => tool.name === name)
  if (found === undefined) throw new Error(`There is no tool ${name}`)
  return found
}

describe("the tools of agents", () => {
  it("are those that docs/agents.md lists", () => {
    const rows = tools.map((tool) => `| \`${tool.name}\` | \`${tool.operation}\` | ${effectOf(tool)} |`)
    const document = readFileSync("docs/agents.md", "utf8")
    const listed = document.split("\n").filter((line) => line.startsWith("| `"))
    assert.deepStrictEqual(listed, rows)
  })

  it("refer to nothing outside of their schemas", () => {
    for (const { inputSchema, name, outputSchema } of tools) {
      for (const schema of [inputSchema, outputSchema]) {
        assert.strictEqual(schema.type, "object", name)
        for (const [, target = ""] of JSON.stringify(schema).matchAll(/"\$ref":"([^"]+)"/g)) {
          const [, definition = ""] = /^#\/\$defs\/(\w+)$/.exec(target) ?? []
          assert.property(schema.$defs, definition, `${name} refers to ${target}`)
        }
      }
    }
  })

  it("cannot have an argument that stands for two things", () => {
    const endpoint = HttpApiEndpoint.post("both", "/:id", {
      params: { id: Schema.String },
      payload: Schema.Struct({ id: Schema.String }).annotate({ identifier: "Both" }),
      success: Schema.Struct({ id: Schema.String })
    }).annotate(AgentTools, [{ name: "both" }])
    const api = HttpApi.make("api").add(HttpApiGroup.make("group").add(endpoint))
    const document = {
      paths: {
        "/{id}": {
          post: {
            operationId: "both",
            parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
            requestBody: {
              content: {
                "application/json": { schema: { type: "object", properties: { id: { type: "string" } } } }
              }
            },
            responses: { "200": { content: { "application/json": { schema: { type: "object" } } } } }
          }
        }
      }
    }
    assert.throws(() => toolListOf(api, document), "would stand for two things")
  })

  it("keep arguments within their places", () => {
    const call = callOf(tool("thread_update"), { thread_mark: "a/b?c#d", title: "T" })
    assert.deepStrictEqual(call, {
      method: "PATCH",
      url: "/api/threads/a%2Fb%3Fc%23d",
      body: '{"title":"T"}'
    })
    const search = callOf(tool("post_search"), { q: "a&kind=node", kind: ["node"] })
    assert.instanceOf(search, InvalidRequest)
    const fixed = callOf(tool("post_search"), { q: "a&kind=node", tags: ["x", "y"] })
    assert.propertyVal(fixed, "url", "/api/datagraph?kind=post&q=a%26kind%3Dnode&tags=x&tags=y")
    assert.propertyVal(callOf(tool("thread_list"), { q: null }), "url", "/api/threads")
    for (const mark of ["", 7, null, { a: 1 }]) {
      assert.instanceOf(callOf(tool("thread_get"), { thread_mark: mark }), InvalidRequest)
    }
  })

  it("show as text what they show", () => {
    const text = JSON.stringify({ id: "a", content: "<p>Long</p>", properties: [] })
    const { content, structuredContent } = resultOf(tool("library_page_property_schema_get"), {
      status: 200,
      text
    })
    assert.deepStrictEqual(structuredContent, { id: "a", properties: [] })
    assert.deepStrictEqual(content, [{ type: "text", text: JSON.stringify(structuredContent) }])
  })

  it("pass on refusals as they are", () => {
    const refused = resultOf(tool("thread_get"), { status: 404, text: '{"status":404}' })
    assert.deepInclude({ ...refused }, { isError: true, content: [{ type: "text", text: '{"status":404}' }] })
    assert.isUndefined(refused.structuredContent)
    assert.isTrue(resultOf(tool("thread_get"), { status: 200, text: "<html>" }).isError)
  })
})

import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { capabilitiesMax, toolsetsMax, toolsMax } from "../../../src/domain/plugin/PluginCapabilities.ts"
import { readManifest } from "../../../src/domain/plugin/PluginManifest.ts"

const withCapabilities = (capabilities: unknown) =>
  readManifest({ id: "a", name: "A", author: "b", capabilities })

const read = (...capabilities: ReadonlyArray<unknown>) =>
  Result.getOrThrow(withCapabilities(capabilities)).capabilities

const fieldsOf = (capabilities: unknown) => {
  const result = withCapabilities(capabilities)
  return Result.isFailure(result) ? result.failure.map(({ field }) => field) : []
}

const tool = (id: unknown, more: object = {}) => ({
  id,
  name: "Tool",
  description: "Does something",
  input_schema: { type: "object", properties: { a: { type: "string" } } },
  ...more
})
const toolset = (tools: unknown, more: object = {}) => ({
  id: "s",
  name: "S",
  description: "",
  tools,
  ...more
})
const provider = (more: object = {}) => ({
  type: "robot.tool_provider",
  id: "tools",
  version: "1",
  tools: [tool("one")],
  ...more
})
const models = { type: "robot.llm_provider", id: "m.o-d_els", version: "1" }

const repeated = <A>(count: number, one: A) => Array.from({ length: count }, () => one)

describe("capabilities", () => {
  it("are what they say, with the fields that are known", () => {
    const full = provider({
      tools: [
        tool("one", {
          title: "One",
          output_schema: { type: "object", any: [1] },
          requires_confirmation: true,
          requires_workspace: false,
          annotations: {
            readOnlyHint: true,
            destructiveHint: false,
            idempotentHint: true,
            openWorldHint: false
          }
        }),
        tool("two")
      ],
      toolsets: [toolset(["one", "two"], { instruction: "Be brief", requires_workspace: true })]
    })
    const named = { ...models, name: "Models", description: "Some" }
    expect(read(models, named, full)).toEqual([models, named, full])
    expect(read({ ...models, more: 1 }, provider({ more: 1 }))).toEqual([models, provider()])
    expect(read(provider({ tools: [] }))).toEqual([provider({ tools: [] })])
  })

  it.each<[unknown, ReadonlyArray<string>]>([
    [{}, ["capabilities"]],
    [
      [1, {}, { type: "robot.other" }],
      ["capabilities.0", "capabilities.1.type", "capabilities.2.type"]
    ],
    [repeated(capabilitiesMax + 1, models), ["capabilities"]],
    [[{ type: "robot.llm_provider" }], ["capabilities.0.id", "capabilities.0.version"]],
    [[{ ...models, id: ".a" }], ["capabilities.0.id"]],
    [[{ ...models, version: "" }], ["capabilities.0.version"]],
    [[{ ...models, name: 1, description: 2 }], ["capabilities.0.name", "capabilities.0.description"]],
    [
      [{ type: "robot.tool_provider" }],
      ["capabilities.0.tools", "capabilities.0.id", "capabilities.0.version"]
    ],
    [[provider({ id: "a-b" })], ["capabilities.0.id"]],
    [[provider({ tools: repeated(toolsMax + 1, tool("a")) })], ["capabilities.0.tools"]],
    [[provider({ tools: [tool("a"), tool("a")] })], ["capabilities.0.tools.1"]],
    [[provider({ tools: [tool("a.b")] })], ["capabilities.0.tools.0.id"]],
    [
      [provider({ tools: [{ id: "a" }] })],
      ["name", "description", "input_schema"].map((name) => `capabilities.0.tools.0.${name}`)
    ],
    [
      [provider({ tools: [tool("a", { input_schema: { type: "string" } })] })],
      ["capabilities.0.tools.0.input_schema"]
    ],
    [[provider({ tools: [tool("a", { output_schema: {} })] })], ["capabilities.0.tools.0.output_schema"]],
    [
      [provider({ tools: [tool("a", { input_schema: { type: "object", x: "y".repeat(70_000) } })] })],
      ["capabilities.0.tools.0.input_schema"]
    ],
    [
      [provider({ tools: [tool("a", { requires_confirmation: 1, requires_workspace: "" })] })],
      ["capabilities.0.tools.0.requires_confirmation", "capabilities.0.tools.0.requires_workspace"]
    ],
    [
      [provider({ tools: [tool("a", { annotations: { readOnlyHint: 1 } })] })],
      ["capabilities.0.tools.0.annotations.readOnlyHint"]
    ],
    [[provider({ tools: [tool("a", { annotations: [] })] })], ["capabilities.0.tools.0.annotations"]],
    [
      [provider({ toolsets: [{}] })],
      ["id", "name", "description", "tools"].map((name) => `capabilities.0.toolsets.0.${name}`)
    ],
    [[provider({ toolsets: [toolset(["one", "two"])] })], ["capabilities.0.toolsets.0.tools.1"]],
    [[provider({ toolsets: repeated(toolsetsMax + 1, toolset([])) })], ["capabilities.0.toolsets"]]
  ])("break a rule (%#)", (capabilities, fields) => {
    expect([...fieldsOf(capabilities)].sort()).toEqual([...fields].sort())
  })
})

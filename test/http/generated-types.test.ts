import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { document } from "../support/conformance.ts"

const directory = mkdtempSync(join(tmpdir(), "generated-types-"))
afterAll(() => rmSync(directory, { recursive: true }))

/** Runs a program, which has to succeed, and answers all that it printed. */
const run = (program: string, ...options: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [program, ...options], {
    cwd: directory,
    encoding: "utf8"
  })
  assert.strictEqual(status, 0, stdout + stderr)
  return stdout + stderr
}

const packageAt = (from: URL, name: string) => dirname(createRequire(from).resolve(`${name}/package.json`))

const generator = packageAt(new URL("../generated-types/package.json", import.meta.url), "openapi-typescript")
const compiler = packageAt(new URL(import.meta.url), "typescript")

/** What clients do with the types: each line that is not as they expect fails to compile. */
const program = `
  import type { components, operations } from "./types.ts"

  type Thread = operations["ThreadGet"]["responses"][200]["content"]["application/json"]
  type Refusal = operations["ThreadGet"]["responses"][403]["content"]["application/problem+json"]
  type Invalid = operations["ThreadCreate"]["responses"][400]["content"]["application/problem+json"]

  export const answersOf = (thread: Thread): unknown => thread.replies.replies[0]?.meta["answers"]
  export const nameOf = (thread: Thread): string => thread.author.name
  // @ts-expect-error A thread has no such field.
  export const madeUp = (thread: Thread) => thread.headline

  export const permissionOf = (problem: Refusal): components["schemas"]["Permission"] | undefined =>
    problem.type === "/api/problems/forbidden" ? problem.metadata.permission : undefined
  // @ts-expect-error Not every problem of the status has this fact.
  export const anyPermissionOf = (problem: Refusal) => problem.metadata.permission.length

  export const firstIssueOf = (problem: Invalid): string | undefined =>
    problem.type === "/api/problems/invalid-request" ? problem.metadata.issues[0]?.message : undefined
  // @ts-expect-error There is no such problem.
  export const isUnheardOf = (problem: Invalid) => problem.type === "/api/problems/unheard-of"

  type NewThread = operations["ThreadCreate"]["requestBody"]["content"]["application/json"]
  export const thread: NewThread = { title: "Which editor?", tags: ["editors"], meta: { nested: { deeply: [1, null] } } }
  // @ts-expect-error A thread has a title.
  export const untitled: NewThread = { body: "text" }
  // @ts-expect-error Tags are a list.
  export const tagged: NewThread = { title: "Which editor?", tags: "editors" }

  type ListQuery = NonNullable<operations["ThreadList"]["parameters"]["query"]>
  export const query: ListQuery = { ignore_pinned: true, visibility: ["published"] }

  export const withoutBody: Pick<operations["SendBeacon"], "requestBody"> = {}
  // @ts-expect-error A thread cannot be created without a body.
  export const withoutThread: Pick<operations["ThreadCreate"], "requestBody"> = {}
`

describe("the types that openapi-typescript generates", () => {
  it("are made without a warning, and fit programs that use them", () => {
    writeFileSync(join(directory, "document.json"), JSON.stringify(document))
    writeFileSync(join(directory, "package.json"), '{ "type": "module" }')
    writeFileSync(join(directory, "program.ts"), program)
    const output = run(join(generator, "bin/cli.js"), "document.json", "--output", "types.ts")
    assert.match(output, /document\.json.*types\.ts/)
    assert.notMatch(output, /warn|⚠|✘/i)
    run(
      join(compiler, "bin/tsc"),
      ...["--noEmit", "--strict", "--noUncheckedIndexedAccess", "--allowImportingTsExtensions"],
      ...["--target", "ESNext", "--module", "NodeNext", "--types", "", "program.ts"]
    )
  })
})

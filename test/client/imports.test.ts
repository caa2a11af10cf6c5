import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { chainsFrom } from "../support/imports.ts"

const definitions = readdirSync("src/http", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith("Api.ts"))
  .map((name) => `src/http/${name}`)

/** What a module of the client must not be. */
const faultOf = (module: string): string | undefined => {
  if (!module.startsWith("src/")) {
    return /^node_modules\/effect\/dist\/(index|http\/index|http-api\/index|net\/index)\.js$/.test(module)
      ? undefined
      : "is not a module that the client may need"
  }
  if (/(Store|Sql|Handlers)\.ts$|^src\/(persistence|layers)\//.test(module)) return "is code of the server"
  return /import \{[^}]*\bLayer\b[^}]*\} from "effect"/.test(readFileSync(module, "utf8"))
    ? "provides a service"
    : undefined
}

/** The chains of imports from these modules to what the client must not load. */
const faultsFrom = (...entries: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...chainsFrom(...entries)].flatMap(([module, chain]) => {
    const fault = faultOf(module)
    return fault === undefined ? [] : [`${chain.join(" -> ")} ${fault}`]
  })

describe("the definition of the API", () => {
  it("loads schemas, problems and declarations only, and so does the client", () => {
    assert.isAbove(definitions.length, 5)
    assert.deepStrictEqual(faultsFrom("src/client/Client.ts", "src/client/Plugin.ts", ...definitions), [])
  })
})

describe("the package of the client", () => {
  // With `--explainFiles` instead, the compiler says which import it was.
  it("has no code of the server either, which imports of types would bring", () => {
    const { stdout } = spawnSync(
      process.execPath,
      ["node_modules/typescript/bin/tsc", "--project", "tsconfig.build.json", "--listFilesOnly"],
      { encoding: "utf8" }
    )
    const modules = stdout
      .split("\n")
      .map((path) => path.replace(`${process.cwd()}/`, ""))
      .filter(
        (path) =>
          path.startsWith("src/") || /node_modules\/(?!effect\/|typescript\/|@typescript\/)/.test(path)
      )
    assert.isAbove(modules.length, 30)
    const faults = modules.flatMap((module) => {
      const fault = faultOf(module)
      return fault === undefined ? [] : [`${module} ${fault}`]
    })
    assert.deepStrictEqual(faults, [])
  })
})

describe("the check itself", () => {
  it("names the chain that leads to code of the server", () => {
    const faults = faultsFrom("src/http/thread/ThreadsHandlers.ts")
    const expected = [
      /^src\/http\/thread\/ThreadsHandlers\.ts -> src\/domain\/thread\/Threads\.ts provides a service$/,
      /^src\/http\/thread\/ThreadsHandlers\.ts -> .* -> node_modules\/parse5\/\S+ is not a module/,
      /Store\.ts is code of the server$/,
      /-> node_modules\/effect\/dist\/crypto\/index\.js is not/
    ]
    for (const pattern of expected)
      assert.isTrue(
        faults.some((fault) => pattern.test(fault)),
        String(pattern)
      )
  })
})

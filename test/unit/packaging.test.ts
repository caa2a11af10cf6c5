/** What is said in two files has to agree. */
import { accessSync, constants, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import manifest from "../../package.json" with { type: "json" }

const read = (path: string) => readFileSync(join(import.meta.dirname, "../..", path), "utf8")

it("the container starts Node with the variable and the arguments of npm start", () => {
  const [, variable = "", command] = /^exec env (\S+) (node .*)$/.exec(manifest.scripts.start) ?? []
  const [, containerCommand = "[]"] = /^CMD (.*)$/m.exec(read("Dockerfile")) ?? []
  assert.strictEqual(JSON.parse(containerCommand).join(" "), command)
  assert.include(read("Dockerfile"), ` ${variable}\n`)
})

it("the container and the flake use the major version of the dependency node", () => {
  const major = manifest.dependencies.node.split(".", 1)[0]
  const images = [...read("Dockerfile").matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
  assert.deepStrictEqual(images, [`node:${major}-slim`, `node:${major}-slim`])
  assert.include(read("flake.nix"), `pkgs.nodejs_${major};`)
})

it("the operator's command can be run, and is described with all that it does", () => {
  const program = manifest.bin.forum
  accessSync(join(import.meta.dirname, "../..", program), constants.X_OK)
  assert.match(read(program), /^#!\/usr\/bin\/env node\n/)
  const commands = [...read("docs/operating.md").matchAll(/^\| `forum ([a-z-]+)/gm)].map(([, name]) => name)
  assert.deepStrictEqual(commands, [
    "doctor",
    "create-admin",
    "reset-password",
    "suspend",
    "migrate",
    "retry-parked"
  ])
})

it("every setting is described for operators", () => {
  const documented = [...read("docs/operating.md").matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map(
    ([, name]) => name
  )
  const names = [...read("src/layers/Settings.ts").matchAll(/\(\s*"([A-Z0-9_]{3,})"/g)].map(
    ([, name]) => name
  )
  assert.deepStrictEqual(documented.toSorted(), [...new Set(names)].toSorted())
})

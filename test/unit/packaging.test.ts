/** What is said in two files has to agree. */
import { accessSync, constants, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import manifest from "../../package.json" with { type: "json" }
import { declaredSettings } from "../../src/layers/process/Setting.ts"
import { Settings } from "../../src/layers/process/Settings.ts"

const read = (path: string) => readFileSync(join(import.meta.dirname, "../..", path), "utf8")

const documentedSettings = () =>
  [...read("docs/operating.md").matchAll(/^\| (`[A-Z0-9_]+`(?:, `[A-Z0-9_]+`)*) \|/gm)].flatMap(
    ([, names = ""]) => names.replaceAll("`", "").split(", ")
  )

it("the container starts Node with the arguments of npm start", () => {
  const [, command] = /^exec (node .*)$/.exec(manifest.scripts.start) ?? []
  const [, containerCommand = "[]"] = /^CMD (.*)$/m.exec(read("Dockerfile")) ?? []
  assert.strictEqual(JSON.parse(containerCommand).join(" "), command)
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
    "backup",
    "restore",
    "export",
    "import",
    "convert",
    "demo",
    "erased",
    "retry-parked",
    "oauth"
  ])
})

it.effect("every setting is described for operators", () =>
  Effect.gen(function* () {
    yield* Effect.provide(
      Settings,
      Settings.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: {} }))))
    )
    assert.deepStrictEqual(documentedSettings().toSorted(), [...declaredSettings.keys()].toSorted())
  })
)

it("compose.yaml passes every setting on but for those that it decides", () => {
  const decided = ["PORT", "HOST", "DATA_DIR", "DATABASE_URL"]
  const passed = [...read("compose.yaml").matchAll(/^ {6}([A-Z0-9_]+): "\$\{\1:-/gm)].map(
    ([, name = ""]) => name
  )
  assert.deepStrictEqual(
    passed.toSorted(),
    documentedSettings()
      .filter((name) => !decided.includes(name))
      .toSorted()
  )
})

it("alerts are about metrics that exist", () => {
  const ofOthers = ["up", "node_filesystem_avail_bytes"]
  const documented = [...read("docs/operating.md").matchAll(/^\| `(forum_\w+)` \|/gm)].map(
    ([, name = ""]) => name
  )
  const used = [...read("deploy/alerts.yaml").matchAll(/^ +expr: (.*)$/gm)].flatMap(([, expression = ""]) =>
    [...expression.matchAll(/\b(up|forum_\w+|node_\w+)\b(?=[{[) ])/g)].map(([, name = ""]) => name)
  )
  assert.isAbove(used.length, 5)
  assert.deepStrictEqual(
    used.filter((name) => !documented.includes(name) && !ofOthers.includes(name)),
    []
  )
})

it("the settings to copy are settings", () => {
  const names = [...read("deploy/forum.env").matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name = ""]) => name)
  assert.deepStrictEqual(
    names.filter((name) => !documentedSettings().includes(name)),
    []
  )
})

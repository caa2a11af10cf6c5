/** What is said in two files has to agree. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import manifest from "../../package.json" with { type: "json" }

const read = (path: string) => readFileSync(join(import.meta.dirname, "../..", path), "utf8")

it("the container and the flake start Node as npm start does", () => {
  const [environment = "", command = ""] = manifest.scripts.start.split("exec ")
  const dockerfile = read("Dockerfile")
  const [, containerCommand = "[]"] = /^CMD (.*)$/m.exec(dockerfile) ?? []
  assert.strictEqual(JSON.parse(containerCommand).join(" "), command)
  const [, threshold] = /MALLOC_MMAP_THRESHOLD_=(\d+)/.exec(environment) ?? []
  assert.match(dockerfile, new RegExp(`^ENV .*MALLOC_MMAP_THRESHOLD_=${threshold}\\b`, "m"))
  assert.include(read("flake.nix"), `--set-default MALLOC_MMAP_THRESHOLD_ ${threshold} `)
})

it("the container and the flake use the major version of the dependency node", () => {
  const major = manifest.dependencies.node.split(".", 1)[0]
  const images = [...read("Dockerfile").matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
  assert.deepStrictEqual(images, [`node:${major}-slim`, `node:${major}-slim`])
  assert.include(read("flake.nix"), `pkgs.nodejs_${major};`)
})

it("every setting is described for operators", () => {
  const documented = [...read("docs/operating.md").matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name)
  const names = [...read("src/layers/Settings.ts").matchAll(/\(\s*"([A-Z_]+)"/g)].map(([, name]) => name)
  assert.deepStrictEqual(documented.toSorted(), names.toSorted())
})

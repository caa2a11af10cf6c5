/** Completes `dist/service`, where the compiler has put the service, to a package for the tests of other programs. */
import { copyFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import service from "../package.json" with { type: "json" }

const target = "dist/service"

// The service brings a Node of its own; a program that is tested has one.
const { node: _, ...dependencies } = service.dependencies

const manifest = {
  name: service.name,
  version: service.version,
  description: "forum-service for the tests of programs that use it.",
  license: service.license,
  type: "module",
  exports: { "./testing": { types: "./src/testing/Testing.d.ts", default: "./src/testing/Testing.js" } },
  dependencies,
  optionalDependencies: service.optionalDependencies,
  engines: { node: ">=22.18" },
  allowScripts: service.allowScripts
}

/** The compiler changes the endings of what is imported, and not of programs that are named by their addresses. */
const namePrograms = (path: string) => {
  const text = readFileSync(path, "utf8")
  const changed = text.replaceAll(
    /new URL\("(\.[^"]*)\.ts", import\.meta\.url\)/g,
    'new URL("$1.js", import.meta.url)'
  )
  if (changed !== text) writeFileSync(path, changed)
}

for (const name of readdirSync(target, { recursive: true, encoding: "utf8" })) {
  if (name.endsWith(".js")) namePrograms(join(target, name))
}
cpSync("src/persistence/schema", join(target, "src/persistence/schema"), { recursive: true })
// What is JavaScript already.
for (const name of readdirSync("src/layers", { recursive: true, encoding: "utf8" })) {
  if (name.endsWith(".js")) copyFileSync(join("src/layers", name), join(target, "src/layers", name))
}
writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
copyFileSync("docs/testing.md", join(target, "README.md"))
copyFileSync("LICENSE", join(target, "LICENSE"))

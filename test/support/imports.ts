/** Which modules a program really loads: recorded by Node, so that imports of types alone do not count. */
import { execFileSync } from "node:child_process"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))

const recorder = `
  import { registerHooks } from "node:module"
  const imports = []
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context)
      imports.push([context.parentURL, resolved.url])
      return resolved
    }
  })
  for (const entry of JSON.parse(process.argv[1])) await import(entry)
  process.stdout.write(JSON.stringify(imports))
`

/** A path in this repository, or the address of a module outside it (`node:fs`). */
const nameOf = (url: string): string => (url.startsWith("file:") ? fileURLToPath(url).replace(root, "") : url)

/** For each module that modules of `src` load, beginning with the entries, the shortest chain of imports to it. */
export const chainsFrom = (...entries: ReadonlyArray<string>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const urls = entries.map((entry) => pathToFileURL(root + entry).href)
  const output = execFileSync(
    process.execPath,
    ["--input-type=module", "--eval", recorder, JSON.stringify(urls)],
    { encoding: "utf8", cwd: root, stdio: ["ignore", "pipe", "ignore"], maxBuffer: 64 * 1024 * 1024 }
  )
  const imports: ReadonlyArray<readonly [string, string]> = JSON.parse(output)
  const importsOf = Map.groupBy(imports, ([importer]) => nameOf(importer))
  const chains = new Map<string, ReadonlyArray<string>>(entries.map((entry) => [entry, [entry]]))
  // A map is walked in the order of its keys, those that are added meanwhile included.
  for (const [name, chain] of chains) {
    if (!name.startsWith("src/")) continue
    for (const [, url] of importsOf.get(name) ?? []) {
      if (!chains.has(nameOf(url))) chains.set(nameOf(url), [...chain, nameOf(url)])
    }
  }
  return chains
}

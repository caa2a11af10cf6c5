/** The folders of the domain, of HTTP, of persistence and of the layers depend on each other one way: whoever changes one knows which others it can touch. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"

/** What is no area of the domain: any area may import it, and it imports none. */
const general = [
  "answer",
  "event",
  "field",
  "operations",
  "outbound",
  "queue",
  "shared",
  "storage",
  "text",
  "vocabulary"
]

type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** The files that a source names in imports and exports, of types too. */
const importsOf = (source: string): ReadonlyArray<string> =>
  [
    ...source.matchAll(/^(?:import|export)\s[^"']*?["'](\.[^"']+)["']|\bimport\(["'](\.[^"']+)["']\)/gm)
  ].flatMap(([, from, inline]) => from ?? inline ?? [])

const folderOf = (file: string): string => file.split("/")[0] ?? ""

/** Which folders of `root` import which others. */
const foldersOf = (root: string): Graph => {
  const graph = new Map<string, Set<string>>()
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts")
  )
  for (const file of files) {
    const imported = importsOf(readFileSync(join(root, file), "utf8"))
      .map((path) => relative(root, resolve(root, dirname(file), path)))
      .filter((path) => !path.startsWith("..") && folderOf(path) !== folderOf(file))
    const known = graph.get(folderOf(file)) ?? new Set()
    graph.set(folderOf(file), new Set([...known, ...imported.map(folderOf)]))
  }
  return graph
}

/** What is left once folders that import no other of those left are taken away, again and again: cycles, and those above. */
const tangled = (graph: Graph): ReadonlyArray<string> => {
  const left = new Set(graph.keys())
  const isFree = (folder: string) => ![...(graph.get(folder) ?? [])].some((other) => left.has(other))
  for (let free = [...left].filter(isFree); free.length > 0; free = [...left].filter(isFree)) {
    for (const folder of free) left.delete(folder)
  }
  return [...left]
}

/** What folders import beside each other. */
const importsBeyond = (graph: Graph, folders: ReadonlyArray<string>) =>
  folders.flatMap((folder) =>
    [...(graph.get(folder) ?? [])].filter((other) => !folders.includes(other)).map((area) => [folder, area])
  )

const graphOf = (edges: Readonly<Record<string, ReadonlyArray<string>>>): Graph =>
  new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]))

describe("the areas of the domain", () => {
  const domain = foldersOf("src/domain")

  it("form no cycle", () => {
    assert.deepStrictEqual(tangled(domain), [])
  })

  it("are imported by nothing general", () => {
    assert.deepStrictEqual(importsBeyond(domain, general), [])
    assert.deepStrictEqual(
      general.filter((folder) => !domain.has(folder)),
      []
    )
  })
})

describe("the folders of HTTP", () => {
  const http = foldersOf("src/http")
  // The definition of the whole API imports all areas, and their handlers import it.
  const root = "Api.ts"
  const areas = [...http].filter(([folder]) => folder !== root)
  const below: Graph = new Map(
    areas.map(([folder, others]) => [folder, new Set([...others].filter((other) => other !== root))])
  )

  it("form no cycle", () => {
    assert.deepStrictEqual(tangled(below), [])
  })

  it("are not imported by what they share", () => {
    assert.deepStrictEqual(
      importsBeyond(http, ["contract", "pipeline", "document", "bytes", "ratelimit"]),
      []
    )
  })
})

describe("the folders of persistence", () => {
  const persistence = foldersOf("src/persistence")

  it("form no cycle", () => {
    assert.deepStrictEqual(tangled(persistence), [])
  })

  it("are imported by nothing general", () => {
    const shared = ["migrations", "shared", "sizes", "visibility"]
    assert.deepStrictEqual(importsBeyond(persistence, shared), [])
    assert.deepStrictEqual(
      shared.filter((folder) => !persistence.has(folder)),
      []
    )
  })
})

describe("the folders of the layers", () => {
  const layers = foldersOf("src/layers")

  it("form no cycle", () => {
    assert.deepStrictEqual(tangled(layers), [])
  })

  it("are those that are described", () => {
    const described = ["adapters", "backup", "connections", "postgres", "process", "wiring"]
    assert.deepStrictEqual([...layers.keys()].toSorted(), described)
  })
})

describe("a cycle", () => {
  it.each([
    [{ a: ["b"], b: ["c"], c: [] }, []],
    [{ a: ["b"], b: ["a"] }, ["a", "b"]],
    [{ a: ["b"], b: ["c"], c: ["d"], d: ["b"], e: [] }, ["a", "b", "c", "d"]]
  ])("is found in %o", (edges, expected) => {
    assert.deepStrictEqual(tangled(graphOf(edges)), expected)
  })

  it.each([
    ['import type { A } from "../a/A.ts"', ["../a/A.ts"]],
    ['import {\n  a,\n  type B\n} from "../a/A.ts"', ["../a/A.ts"]],
    ['export * from "../a/A.ts"\nexport type { B } from "./B.ts"', ["../a/A.ts", "./B.ts"]],
    ['type A = import("../a/A.ts").A', ["../a/A.ts"]],
    ['import "../a/A.ts"', ["../a/A.ts"]],
    ['import { Effect } from "effect"', []]
  ])("counts the imports of %s", (source, expected) => {
    assert.deepStrictEqual(importsOf(source), expected)
  })
})

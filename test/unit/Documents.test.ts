/** What the documents and comments of the repository name is there. */
import { globSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { assert, it } from "vitest"

const root = join(import.meta.dirname, "../..")

const filesLike = (...patterns: ReadonlyArray<string>) =>
  globSync(patterns, { cwd: root, exclude: ["**/node_modules", "dist", "scratch", "bench/data", "data"] })

const documents = filesLike(
  "*.md",
  "docs/**/*.md",
  "src/**/*.md",
  "examples/**/*.md",
  "deploy/**/*.md",
  ".github/**/*.md"
)
const all = filesLike("**/*", ".ci/*")
const names = new Set(all.map((path) => basename(path)))

/** Whether a file or directory is there: by its path, or by the end of its path where that is enough to find it. */
const exists = (name: string) =>
  name.includes("/") ? all.some((path) => path === name || path.endsWith(`/${name}`)) : names.has(name)

const endings = "ts|js|md|sh|json|yaml|nix"

/** What the service answers with or writes, not files of the repository. */
const made = new Set(["/api/openapi.json", "openapi.json", "contents.json"])

it.each(documents)("the files that %s names exist", (document) => {
  const text = readFileSync(join(root, document), "utf8")
  const quoted = [...text.matchAll(new RegExp(`\`((?:[\\w.-]+/)*[\\w.-]+\\.(?:${endings}))\``, "g"))]
  const linked = [...text.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(([, target = ""]) =>
    join(dirname(document), target)
  )
  const missing = [...quoted.map(([, name = ""]) => name), ...linked].filter(
    (name) => !made.has(name) && !exists(name.replace(/\/$/, ""))
  )
  assert.deepStrictEqual(missing, [])
})

it("the documents that programs cite exist", () => {
  const programs = filesLike("{src,test,bench,tools,examples}/**/*.ts")
  const cited = programs.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/(?:[\w.-]+\/)*[\w-]+\.md\b/g)].map(([name]) => ({
      file,
      // As a page that a program makes leads to it.
      name: name.replace(/^(?:\.\.\/)+/, "")
    }))
  )
  assert.isNotEmpty(cited)
  assert.deepStrictEqual(
    cited.filter(({ name }) => !exists(name)),
    []
  )
})

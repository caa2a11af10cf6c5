/** Decisions have one form, and the index names each of them once. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, expect, it } from "vitest"

const folder = join(import.meta.dirname, "../../docs/decisions")

const read = (file: string) => readFileSync(join(folder, file), "utf8")

const files = globSync("*.md", { cwd: folder }).sort()
const decisions = files.filter((file) => file !== "README.md")

/** The title, what follows it, and the sections with their titles. */
const partsOf = (file: string) => {
  const [head = "", ...sections] = read(file).split(/^## /m)
  const [title = "", ...lines] = head.split("\n")
  return {
    title,
    status: lines.join("\n").trim(),
    sections: sections.map((section) => {
      const [name = "", ...text] = section.split("\n")
      return { name, text: text.join("\n").trim() }
    })
  }
}

const statusLine =
  /^Date: (\d{4}-\d{2}-\d{2})\. Status: (?:accepted|superseded by \[[^\]]+\]\(([\w-]+\.md)\))\.$/

it.each(decisions)("%s has a title, a date, a status, and three sections", (file) => {
  const { sections, status, title } = partsOf(file)
  assert.match(title, /^# \S/)
  const [, date = "", successor] = statusLine.exec(status) ?? []
  assert.strictEqual(new Date(`${date}T00:00:00Z`).toJSON()?.slice(0, 10), date, status)
  expect([...decisions, undefined]).toContain(successor)
  assert.notStrictEqual(successor, file)
  assert.deepStrictEqual(
    sections.map(({ name }) => name),
    ["Context", "Decision", "Consequences"]
  )
  assert.isTrue(sections.every(({ text }) => text !== ""))
})

it("the index names each decision once, by its title and with what was decided", () => {
  const entries = [...read("README.md").matchAll(/^- (.*)$/gm)].map(([, entry = ""]) => {
    const [, title, file = entry, text] = /^\[([^\]]+)\]\(([^)]+)\): (\S.*)$/.exec(entry) ?? []
    return { title: `# ${title}`, file, isTold: text !== undefined && text !== title }
  })
  assert.isNotEmpty(decisions)
  assert.deepStrictEqual(
    entries.sort((one, other) => (one.file < other.file ? -1 : 1)),
    decisions.map((file) => ({ title: partsOf(file).title, file, isTold: true }))
  )
})

/** Blocks between words in brackets, as forums have them beside Markdown: `[quote="somebody"]` … `[/quote]`. */
import type { MarkdownIt, StateBlock } from "markdown-it"
import type { Rule } from "../shared/Rules.ts"
import { type Environment, environmentOf } from "./Environment.ts"

const opening = /^\[(quote|details|spoiler|hide|poll|event|wrap)(?:[= ]([^\]]{0,500}))?\]/i

/** What has no place in a text here. */
const leftOut: Readonly<Record<string, Rule>> = { poll: "poll_left_out", event: "event_left_out" }

const lineOf = (state: StateBlock, line: number) =>
  state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line])

const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

/** The line that ends a block, which may have blocks of its kind in it. */
const endOf = (state: StateBlock, from: number, last: number, tag: string) => {
  const open = new RegExp(`\\[${tag}(?:[= ][^\\]]{0,500})?\\]`, "gi")
  const close = new RegExp(`\\[/${tag}\\]`, "gi")
  let depth = 0
  for (let line = from; line < last; line += 1) {
    const text = lineOf(state, line)
    depth += countOf(text, open) - countOf(text, close)
    if (depth <= 0) return line
  }
  return undefined
}

interface Quoted {
  readonly person: string
  readonly topic: string | undefined
  readonly post: string | undefined
}

/** Whom and what `"name, post:3, topic:4"` names. */
export const quotedIn = (attribute: string): Quoted => {
  const parts = attribute
    .trim()
    .replace(/^["“”']|["“”']$/g, "")
    .split(",")
    .map((part) => part.trim())
  const named = (key: string) =>
    parts
      .find((part) => part.startsWith(`${key}:`))
      ?.slice(key.length + 1)
      .trim()
  return { person: named("username") ?? parts[0] ?? "", topic: named("topic"), post: named("post") }
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** Who said it, with links to them and to where they did. */
const attribution = (attribute: string, { findPerson, findPost }: Environment) => {
  const { person, post, topic } = quotedIn(attribute)
  if (person === "") return ""
  const id = findPerson(person)
  const name = escaped(person)
  const who = id === undefined ? name : `<a href="sdr:profile/${id}">${name}</a>`
  const place = topic === undefined || post === undefined ? undefined : findPost(topic, post)
  return `<p>${place === undefined ? who : `${who} (<a href="${place}">…</a>)`}:</p>\n`
}

const pushHtml = (state: StateBlock, html: string) => {
  state.push("html_block", "", 0).content = html
}

const beginningOf = (tag: string, attribute: string, environment: Environment): string => {
  if (tag === "quote") return `<blockquote>${attribution(attribute, environment)}`
  return tag === "details" && attribute !== ""
    ? `<p><strong>${escaped(attribute.trim().replace(/^["']|["']$/g, ""))}</strong></p>\n`
    : ""
}

/** Lines that were read as the beginning of a block that never ends: nothing after them needs to be looked through again. */
const endless = new WeakMap<Environment, Map<string, number>>()

const isEndless = (environment: Environment, tag: string, line: number) => {
  const known = endless.get(environment)?.get(tag)
  return known !== undefined && line >= known
}

const noteEndless = (environment: Environment, tag: string, line: number) => {
  const known = endless.get(environment) ?? new Map<string, number>()
  known.set(tag, Math.min(line, known.get(tag) ?? line))
  endless.set(environment, known)
}

const rule = (state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean => {
  const first = lineOf(state, startLine)
  const [all = "", name = "", attribute = ""] = opening.exec(first) ?? []
  if (name === "") return false
  const tag = name.toLowerCase()
  const environment = environmentOf(state.env)
  if (state.level >= environment.nestingMax || isEndless(environment, tag, startLine)) return false
  const end = endOf(state, startLine, endLine, tag)
  if (end === undefined) {
    noteEndless(environment, tag, startLine)
    return false
  }
  if (silent) return true
  const rest = first.slice(all.length)
  const lastLine = lineOf(state, end)
  const closing = new RegExp(`\\[/${tag}\\]`, "i")
  const rule = leftOut[tag]
  if (rule !== undefined) {
    environment.tell(rule)
    state.line = end + 1
    return true
  }
  pushHtml(state, beginningOf(tag, attribute, environment))
  // What stands beside the brackets, on their lines.
  const beside = end === startLine ? rest.replace(closing, " ") : rest
  const before = end === startLine ? "" : lastLine.replace(closing, " ").trim()
  if (beside.trim() !== "") inline(state, beside.trim(), startLine)
  if (end > startLine) {
    const { lineMax, md, parentType } = state
    state.lineMax = end
    state.level += 1
    md.block.tokenize(state, startLine + 1, end)
    state.level -= 1
    state.lineMax = lineMax
    state.parentType = parentType
    if (before !== "") inline(state, before, end)
  }
  if (tag === "quote") pushHtml(state, "</blockquote>\n")
  state.line = end + 1
  return true
}

const inline = (state: StateBlock, content: string, line: number) => {
  state.push("paragraph_open", "p", 1)
  const token = state.push("inline", "", 0)
  token.content = content
  token.map = [line, line + 1]
  token.children = []
  state.push("paragraph_close", "p", -1)
}

export const bracketBlocks = (markdown: MarkdownIt) => {
  markdown.block.ruler.before("fence", "bracket_block", rule, {
    alt: ["paragraph", "reference", "blockquote", "list"]
  })
}

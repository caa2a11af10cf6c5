/**
 * Reads texts of the simplest markup, as most posts are, without a parser: those of which it is certain that each is its
 * own sanitised form. Of all others it says nothing. A property test compares it with what sanitises.
 */
import { Findings } from "./Analysis.ts"
import { contentOf, type SanitisedText, wrap } from "./Sanitise.ts"

// One thing after another: text that is written as it is read, an entity, a tag. Addresses have no character that is
// written in another way, and begin with a scheme that is allowed.
const pieces =
  /([^<>&\u00a0\r\0]+)|&(amp|lt|gt);|<(br)>|<(\/?)(p|blockquote|ul|ol|li|strong|em|code|b|i|u|s)>|<(a) href="((?:https?:\/\/|sdr:)[!#$%'()*+,\-./0-9:;=?@A-Z_a-z~]*)" rel="nofollow">|<\/(a)>/y

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">" }

const blocks = new Set(["p", "blockquote", "ul", "ol", "li"])

// Blocks that may have blocks in them. Within the others a parser would close them.
const containers = new Set(["", "blockquote", "li"])

const isList = (name: string) => name === "ul" || name === "ol"

// Far below the depth from which on elements are removed.
const depthMax = 20

/** Whether a parser leaves the element where its tag is: in the innermost of the open ones. */
const mayOpen = (name: string, open: ReadonlyArray<string>): boolean => {
  const parent = open.at(-1) ?? ""
  if (open.length >= depthMax) return false
  if (name === "li") return isList(parent)
  if (blocks.has(name)) return containers.has(parent)
  // Of equal elements in each other a parser keeps some only.
  return !isList(parent) && !open.includes(name)
}

/** The text and what is found in it; undefined where a parser has to read it. */
export const readPlainMarkup = (input: string): SanitisedText | undefined => {
  const content = contentOf(input)
  if (!content.isWellFormed()) return undefined
  const findings = new Findings()
  const open: Array<string> = []
  const say = (text: string) => {
    findings.plaintext += text
    findings.prose += text
  }
  pieces.lastIndex = 0
  while (pieces.lastIndex < content.length) {
    const [found, text, entity, line, slash, element, anchor, url, closed] = pieces.exec(content) ?? []
    if (found === undefined) return undefined
    if (text !== undefined) say(text)
    else if (entity !== undefined) say(entities[entity] ?? "")
    else if (line !== undefined) findings.prose += "  "
    else if (slash === "/" || closed !== undefined) {
      const name = element ?? closed ?? ""
      if (open.pop() !== name) return undefined
      if (blocks.has(name)) findings.prose += " "
    } else {
      const name = element ?? anchor ?? ""
      if (!mayOpen(name, open)) return undefined
      open.push(name)
      if (blocks.has(name)) findings.prose += " "
      if (url !== undefined) findings.link(url)
    }
  }
  return open.length === 0 ? { document: wrap(content), analysis: findings.analysis() } : undefined
}

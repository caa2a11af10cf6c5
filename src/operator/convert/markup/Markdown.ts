/** Markdown of forums as HTML. It is not made safe here: whoever imports it cleans it. */
import makeMarkdown, { type MarkdownIt, type StateCore, type Token } from "markdown-it"
import { full as emoji } from "markdown-it-emoji"
import { bracketBlocks } from "./Blocks.ts"
import { type Environment, environmentOf } from "./Environment.ts"

/** How many characters a text may have that is read as Markdown. No forum takes longer posts. */
export const markdownMax = 512 * 1024

const nestingMax = 30

const mention = /(^|[^\p{L}\p{N}_@/.-])@([\p{L}\p{N}_][\p{L}\p{N}_.-]{0,59})/gu

type Make = (type: string, tag: string, nesting: -1 | 0 | 1) => Token

/** A text in which people are named as links to them. */
const mentionsIn = (text: string, make: Make, { findPerson }: Environment): ReadonlyArray<Token> => {
  const tokens: Array<Token> = []
  let start = 0
  const push = (type: string, tag: string, nesting: -1 | 0 | 1, content = "") => {
    const token = make(type, tag, nesting)
    token.content = content
    tokens.push(token)
    return token
  }
  for (const { 0: all, 1: before = "", 2: given = "", index } of text.matchAll(mention)) {
    // A full stop at the end ends a sentence, unless it is part of the name.
    const trimmed = given.replace(/[.-]+$/, "")
    const name = findPerson(given) === undefined ? trimmed : given
    const id = findPerson(name)
    if (id === undefined) continue
    const at = index + before.length
    push("text", "", 0, text.slice(start, at))
    push("link_open", "a", 1).attrSet("href", `sdr:profile/${id}`)
    push("text", "", 0, `@${name}`)
    push("link_close", "a", -1)
    start = index + all.length - (given.length - name.length)
  }
  if (start > 0) push("text", "", 0, text.slice(start))
  return tokens
}

const withMentions = (children: ReadonlyArray<Token>, make: Make, environment: Environment) => {
  let links = 0
  return children.flatMap((token) => {
    if (token.type === "link_open") links += 1
    if (token.type === "link_close") links -= 1
    if (token.type !== "text" || links > 0 || !token.content.includes("@")) return [token]
    const found = mentionsIn(token.content, make, environment)
    return found.length === 0 ? [token] : found
  })
}

const addresses = { link_open: "href", image: "src" } as const

const isAddressed = (type: string): type is keyof typeof addresses => Object.hasOwn(addresses, type)

const readdress = (token: Token, { findAddress }: Environment) => {
  if (!isAddressed(token.type)) return
  const attribute = addresses[token.type]
  const here = findAddress(String(token.attrGet(attribute) ?? ""))
  if (here !== undefined) token.attrSet(attribute, here)
  // `![A picture|690x400](…)`: the size is no part of its description.
  if (token.type !== "image") return
  for (const child of token.children ?? [])
    child.content = child.content.replace(/\|(?:\d+x\d+(?:,\s*\d+%?)?|thumbnail|attachment|video|audio)$/, "")
  token.content = token.content.replace(/\|[^|]*$/, "")
}

const settle = (state: StateCore) => {
  const environment = environmentOf(state.env)
  for (const token of state.tokens) {
    if (token.type !== "inline" || token.children === null) continue
    const make: Make = (type, tag, nesting) => new state.Token(type, tag, nesting)
    token.children = withMentions(token.children, make, environment)
    for (const child of token.children) readdress(child, environment)
  }
}

/** Addresses in tags of HTML that people wrote themselves. */
const addressIn = /(<(?:img|a)\s[^<>]{0,2000}?(?:src|href)=")([^"<>]{1,2000})"/gi

const inHtml = (html: string, { findAddress }: Environment) =>
  html.replace(addressIn, (all, before: string, address: string) => {
    const here = findAddress(address)
    return here === undefined ? all : `${before}${here}"`
  })

const make = () => {
  const markdown = makeMarkdown({ html: true, linkify: true, breaks: true, maxNesting: nestingMax })
  markdown.use(emoji).use(bracketBlocks)
  markdown.validateLink = () => true
  markdown.core.ruler.push("forum", settle)
  return markdown
}

let made: MarkdownIt | undefined

const escaped = (text: string) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)

/** The HTML of a text. One that is too long is taken as it is, without its markup. */
export const htmlOf = (text: string, given: Omit<Environment, "nestingMax">): string => {
  const environment: Environment = { ...given, nestingMax }
  if (text.length > markdownMax) {
    environment.tell("text_too_long")
    return `<p>${escaped(text.slice(0, markdownMax))}</p>`
  }
  made ??= make()
  return inHtml(made.render(text, { ...environment }), environment)
}

/** What browsers make of sanitised content wherever a page may put it. */
import { type DefaultTreeAdapterMap, defaultTreeAdapter, html, parseFragment, serialize } from "parse5"
import { inspect } from "./xss-corpus.ts"

type Fragment = DefaultTreeAdapterMap["documentFragment"]

const element = (tagName: string, namespace = html.NS.HTML) =>
  defaultTreeAdapter.createElement(tagName, namespace, [])

const innerHtml = (context: DefaultTreeAdapterMap["element"], content: string, scriptingEnabled: boolean) =>
  parseFragment(context, content, { scriptingEnabled })

const flow = ["body", "div", "blockquote", "li", "td", "main", "form", "button", "template"].map((name) =>
  element(name)
)
const foreign = [
  element("svg", html.NS.SVG),
  element("foreignObject", html.NS.SVG),
  element("style", html.NS.SVG),
  element("math", html.NS.MATHML),
  element("mtext", html.NS.MATHML)
]
const special = ["title", "textarea", "style", "xmp", "noscript", "noembed", "select", "table", "ruby"]

const faultsOf = (fragment: Fragment): ReadonlyArray<string> => {
  const faults: Array<string> = []
  inspect(fragment, faults)
  return faults
}

/** Content between the tags of an element whose content is text has to stay there as text. */
const escapesFrom = (tagName: string, content: string): boolean => {
  const { childNodes } = parseFragment(`<${tagName}>${content}</${tagName}><hr>`)
  const [outer, end, ...rest] = childNodes
  const inner = outer !== undefined && "childNodes" in outer ? outer.childNodes : []
  return end?.nodeName !== "hr" || rest.length > 0 || inner.some(({ nodeName }) => nodeName !== "#text")
}

const escapesFromComment = (content: string): boolean =>
  parseFragment(`<!--${content}-->`).childNodes.some(({ nodeName }) => nodeName !== "#comment")

/** What is wrong with content inside other elements, with scripting and without. */
export const embeddingFaults = (content: string): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const markup = serialize(innerHtml(element("body"), content, true))
  for (const context of flow) {
    if (serialize(innerHtml(context, content, true)) !== markup) faults.push(`differs in ${context.tagName}`)
  }
  if (serialize(innerHtml(element("body"), content, false)) !== markup)
    faults.push("differs without scripting")
  for (const context of [...foreign, ...special.map((name) => element(name))]) {
    faults.push(...faultsOf(innerHtml(context, content, false)))
  }
  for (const tagName of ["title", "textarea", "style", "script", "xmp", "iframe", "noscript", "noembed"]) {
    if (escapesFrom(tagName, content)) faults.push(`ends ${tagName}`)
  }
  if (escapesFromComment(content)) faults.push("ends a comment")
  return faults
}

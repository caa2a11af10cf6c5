/** Rich text as a tree: the content of a body element, read and written by parse5. */
import {
  type DefaultTreeAdapterMap,
  defaultTreeAdapter,
  html,
  parseFragment,
  serialize,
  type TreeAdapter
} from "parse5"
import { isAllowed } from "./AllowList.ts"
import type { Budget } from "./Budget.ts"

export type Fragment = DefaultTreeAdapterMap["documentFragment"]
export type Element = DefaultTreeAdapterMap["element"]
export type ChildNode = DefaultTreeAdapterMap["childNode"]
export type TemplateElement = DefaultTreeAdapterMap["template"]

const body = defaultTreeAdapter.createElement("body", html.NS.HTML, [])

/** Builds the default tree and charges a budget, because error recovery can make it far larger than the input. */
const charging = (budget: Budget): TreeAdapter<DefaultTreeAdapterMap> => ({
  ...defaultTreeAdapter,
  createElement(tagName, namespace, attributes) {
    budget.element(isAllowed(tagName), attributes)
    return defaultTreeAdapter.createElement(tagName, namespace, attributes)
  },
  createCommentNode(data) {
    budget.comment()
    return defaultTreeAdapter.createCommentNode(data)
  },
  insertText(parent, text) {
    budget.text()
    defaultTreeAdapter.insertText(parent, text)
  },
  insertTextBefore(parent, text, reference) {
    budget.text()
    defaultTreeAdapter.insertTextBefore(parent, text, reference)
  },
  onItemPush: () => budget.open(),
  onItemPop: () => budget.close()
})

/**
 * Parses any markup as browsers do; throws `TooComplex` beyond the budget. With scripting the content of
 * `noscript` is text, without it is markup: either is safe, because `noscript` is always removed.
 */
export const parse = (markup: string, budget: Budget): Fragment => {
  budget.beginParse(markup)
  return parseFragment(body, markup, { treeAdapter: charging(budget), scriptingEnabled: true })
}

/** Parses markup that is known to be sanitised. */
export const parseSanitised = (markup: string): Fragment =>
  parseFragment(body, markup, { treeAdapter: defaultTreeAdapter })

const isFirstInPre = (node: DefaultTreeAdapterMap["textNode"]): boolean =>
  node.parentNode?.nodeName === "pre" && node.parentNode.childNodes[0] === node

const writing: TreeAdapter<DefaultTreeAdapterMap> = {
  ...defaultTreeAdapter,
  // Parsers drop one line break after <pre>, so a line break that is content is written twice.
  getTextNodeContent: (node) =>
    node.value.startsWith("\n") && isFirstInPre(node) ? `\n${node.value}` : node.value
}

export const write = (fragment: Fragment): string => serialize(fragment, { treeAdapter: writing })

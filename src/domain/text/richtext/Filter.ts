/** Applies the allow-list to a parsed tree. */
import { defaultTreeAdapter, html } from "parse5"
import { isAllowed, isRemovedWithContents, needsAttributes, sanitiseAttributes } from "./AllowList.ts"
import type { ChildNode, Element, Fragment, TemplateElement } from "./Fragment.ts"

/** How deep elements may be in the result: deeper ones are replaced by their contents. */
const maxDepth = 100

/** The children of a parsed node and where in the result they go. */
interface Level {
  readonly children: ReadonlyArray<ChildNode>
  next: number
  readonly parent: Fragment | Element
  readonly depth: number
}

const isTemplate = (element: Element): element is TemplateElement => "content" in element

const childrenOf = (element: Element): ReadonlyArray<ChildNode> =>
  isTemplate(element) ? element.content.childNodes : element.childNodes

/** An element that is allowed, sanitised. Elements of SVG and MathML are not allowed, even if their names are. */
const sanitiseElement = ({ attrs, namespaceURI, tagName }: Element): Element | undefined => {
  if (namespaceURI !== html.NS.HTML || !isAllowed(tagName)) return undefined
  const attributes = sanitiseAttributes(tagName, attrs)
  if (attributes.length === 0 && needsAttributes(tagName)) return undefined
  return defaultTreeAdapter.createElement(tagName, namespaceURI, attributes)
}

/** The level of an element's children: inside its copy if the element is allowed, else in its place. */
const levelOf = (element: Element, { depth, parent }: Level): Level => {
  const children = childrenOf(element)
  const copy = depth < maxDepth ? sanitiseElement(element) : undefined
  if (copy === undefined) return { children, next: 0, parent, depth }
  defaultTreeAdapter.appendChild(parent, copy)
  return { children, next: 0, parent: copy, depth: depth + 1 }
}

/**
 * A copy of a tree with what is allowed of it. What is removed has taken part in parsing, so
 * the copy may be a tree that no markup parses to; it has to be written and parsed again.
 * A loop, because a parsed tree may be deeper than the call stack.
 */
export const filter = ({ childNodes }: Fragment): Fragment => {
  const result = defaultTreeAdapter.createDocumentFragment()
  const levels: Array<Level> = [{ children: childNodes, next: 0, parent: result, depth: 0 }]
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const node = level.children[level.next++]
    if (node === undefined) levels.pop()
    else if (defaultTreeAdapter.isTextNode(node)) defaultTreeAdapter.insertText(level.parent, node.value)
    else if (defaultTreeAdapter.isElementNode(node) && !isRemovedWithContents(node.tagName)) {
      levels.push(levelOf(node, level))
    }
  }
  return result
}

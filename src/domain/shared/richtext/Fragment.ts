/** Rich text as a tree: the content of a body element. */
import { type DefaultTreeAdapterMap, defaultTreeAdapter, html, parseFragment, serialize } from "parse5"
import { SanitisingParser } from "./SanitisingParser.ts"

export type Fragment = DefaultTreeAdapterMap["documentFragment"]

const body = defaultTreeAdapter.createElement("body", html.NS.HTML, [])
const options = { treeAdapter: defaultTreeAdapter }

/** Reads markup that is known to be sanitised. */
export const parse = (markup: string): Fragment => parseFragment(body, markup, options)

/** Reads any markup, keeps what is allowed, and writes it as HTML. */
export const sanitise = (markup: string): string => {
  const parser = SanitisingParser.getFragmentParser(body, options)
  parser.tokenizer.write(markup, true)
  return serialize(parser.getFragment())
}

/** Markup that shows `text` as it is. */
export const escape = (text: string): string => {
  const fragment = defaultTreeAdapter.createDocumentFragment()
  defaultTreeAdapter.insertText(fragment, text)
  return serialize(fragment)
}

/** Writing XML 1.0 as text. */

// The other characters have no place in a document, not even as references (XML 1.0, 2.2). Half of a surrogate pair is
// none.
const forbidden = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

const references: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  // Within text it may end what a reader takes for a section of characters.
  ">": "&gt;",
  '"': "&quot;",
  // Readers make other characters of these.
  "\r": "&#13;",
  "\t": "&#9;",
  "\n": "&#10;"
}

const referenceTo = (character: string) => references[character] ?? ""

const text = (value: string): string => value.replace(forbidden, "").replace(/[&<>\r]/g, referenceTo)

const attribute = (value: string): string =>
  value.replace(forbidden, "").replace(/[&<>"\r\t\n]/g, referenceTo)

/** Written XML. What is not may only become it by `element`. */
export type Xml = { readonly xml: string }

type Content = string | Xml | ReadonlyArray<Xml>

const written = (content: Content): string => {
  if (typeof content === "string") return text(content)
  return "xml" in content ? content.xml : content.map(({ xml }) => xml).join("")
}

/** An element; strings in it are text. */
export const element = (
  name: string,
  attributes: Readonly<Record<string, string>>,
  content: Content = ""
): Xml => {
  const given = Object.entries(attributes)
    .map(([attributeName, value]) => ` ${attributeName}="${attribute(value)}"`)
    .join("")
  const inner = written(content)
  return { xml: inner === "" ? `<${name}${given}/>` : `<${name}${given}>${inner}</${name}>` }
}

/** A document of one element. */
export const document = ({ xml }: Xml): string => `<?xml version="1.0" encoding="utf-8"?>\n${xml}\n`

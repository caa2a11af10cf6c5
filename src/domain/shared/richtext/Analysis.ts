/** Values derived from a document. */
import { Schema } from "effect"
import { type DefaultTreeAdapterMap, defaultTreeAdapter } from "parse5"
import { shorten } from "./Description.ts"
import type { Fragment } from "./Fragment.ts"

export const ReferenceKind = Schema.Literals([
  "post",
  "thread",
  "reply",
  "node",
  "collection",
  "profile",
  "event"
])
export type ReferenceKind = typeof ReferenceKind.Type

/** An object of this forum that a document refers to by `sdr:<kind>/<id>`. */
export interface Reference {
  readonly kind: ReferenceKind
  readonly id: string
}

export interface Analysis {
  /** The text without markup; nothing is inserted between adjacent blocks. */
  readonly plaintext: string
  /** The beginning of the text without `h1` headings and asides. */
  readonly description: string
  /** Addresses of links with scheme http or https, in document order, each once. */
  readonly links: ReadonlyArray<string>
  /** Addresses of images, in document order, each once. */
  readonly media: ReadonlyArray<string>
  /** Well-formed references to objects of this forum, in document order, each once. */
  readonly references: ReadonlyArray<Reference>
}

class Findings {
  plaintext = ""
  prose = ""
  readonly links = new Set<string>()
  readonly media = new Set<string>()
  readonly references = new Map<string, Reference>()
}

const isReferenceKind = Schema.is(ReferenceKind)

const referenceOf = (url: string): Reference | undefined => {
  const [, kind, id] = /^sdr:([a-z]+)\/([0-9a-v]{20})$/.exec(url) ?? []
  return id !== undefined && isReferenceKind(kind) ? { kind, id } : undefined
}

const urlOf = (element: DefaultTreeAdapterMap["element"], name: string): string | undefined =>
  element.attrs.find((attribute) => attribute.name === name)?.value

const addUrl = (findings: Findings, element: DefaultTreeAdapterMap["element"]): void => {
  const isImage = element.tagName === "img"
  const url = isImage ? urlOf(element, "src") : element.tagName === "a" ? urlOf(element, "href") : undefined
  if (url === undefined) return
  if (isImage) findings.media.add(url)
  else if (/^https?:/.test(url)) findings.links.add(url)
  const reference = referenceOf(url)
  if (reference !== undefined) findings.references.set(url, reference)
}

const collect = (parent: DefaultTreeAdapterMap["parentNode"], isProse: boolean, findings: Findings): void => {
  for (const node of parent.childNodes) {
    if (defaultTreeAdapter.isTextNode(node)) {
      findings.plaintext += node.value
      if (isProse) findings.prose += node.value
    } else if (defaultTreeAdapter.isElementNode(node)) {
      addUrl(findings, node)
      collect(node, isProse && node.tagName !== "h1" && node.tagName !== "aside", findings)
    }
  }
}

export const analyse = (fragment: Fragment): Analysis => {
  const findings = new Findings()
  collect(fragment, true, findings)
  return {
    plaintext: findings.plaintext,
    description: shorten(findings.prose),
    links: [...findings.links],
    media: [...findings.media],
    references: [...findings.references.values()]
  }
}

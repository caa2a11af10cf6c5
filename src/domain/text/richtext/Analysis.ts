/** Values derived from a document. */
import { type DefaultTreeAdapterMap, defaultTreeAdapter } from "parse5"
import { type LinkAddress, linkAddresses } from "../LinkAddress.ts"
import { shorten } from "./Description.ts"
import type { Fragment } from "./Fragment.ts"

const referenceKinds = ["post", "thread", "reply", "node", "collection", "profile", "event"] as const
export type ReferenceKind = (typeof referenceKinds)[number]

/** An object of this forum that a document refers to by `sdr:<kind>/<id>`. */
export interface Reference {
  readonly kind: ReferenceKind
  readonly id: string
}

export interface Analysis {
  /** The text without markup; nothing is inserted between adjacent blocks. */
  readonly plaintext: string
  /** The beginning of the text without `h1` headings and asides, with a space between blocks. */
  readonly description: string
  /** Web pages that the text links to, in document order, each once. */
  readonly links: ReadonlyArray<LinkAddress>
  /** Addresses of images, in document order, each once. */
  readonly media: ReadonlyArray<string>
  /** Well-formed references to objects of this forum, in document order, each once. */
  readonly references: ReadonlyArray<Reference>
}

const referenceOf = (url: string): Reference | undefined => {
  const [, name, id] = /^sdr:([a-z]+)\/([0-9a-v]{20})$/.exec(url) ?? []
  const kind = referenceKinds.find((kind) => kind === name)
  return id !== undefined && kind !== undefined ? { kind, id } : undefined
}

/** What is found while a text is gone through, in its order. */
export class Findings {
  plaintext = ""
  prose = ""
  private readonly links = new Set<string>()
  private readonly media = new Set<string>()
  private readonly references = new Map<string, Reference>()

  image(url: string): void {
    this.media.add(url)
    this.refer(url)
  }

  link(url: string): void {
    if (/^https?:/.test(url)) this.links.add(url)
    this.refer(url)
  }

  analysis(): Analysis {
    return {
      plaintext: this.plaintext,
      description: shorten(this.prose),
      links: linkAddresses(this.links),
      media: [...this.media],
      references: [...this.references.values()]
    }
  }

  private refer(url: string): void {
    const reference = referenceOf(url)
    if (reference !== undefined) this.references.set(url, reference)
  }
}

const urlOf = (element: DefaultTreeAdapterMap["element"], name: string): string | undefined =>
  element.attrs.find((attribute) => attribute.name === name)?.value

const addUrl = (findings: Findings, element: DefaultTreeAdapterMap["element"]): void => {
  const isImage = element.tagName === "img"
  const url = isImage ? urlOf(element, "src") : element.tagName === "a" ? urlOf(element, "href") : undefined
  if (url === undefined) return
  if (isImage) findings.image(url)
  else findings.link(url)
}

/** Elements that begin and end a line, and `br`, which is one. */
const blocks = new Set(
  `article aside blockquote br caption dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hgroup hr li ol
  p pre section summary table tbody td tfoot th thead tr ul`.split(/\s+/)
)

const collect = (parent: DefaultTreeAdapterMap["parentNode"], isProse: boolean, findings: Findings): void => {
  for (const node of parent.childNodes) {
    if (defaultTreeAdapter.isTextNode(node)) {
      findings.plaintext += node.value
      if (isProse) findings.prose += node.value
    } else if (defaultTreeAdapter.isElementNode(node)) {
      addUrl(findings, node)
      const isBlock = blocks.has(node.tagName)
      if (isBlock) findings.prose += " "
      collect(node, isProse && node.tagName !== "h1" && node.tagName !== "aside", findings)
      if (isBlock) findings.prose += " "
    }
  }
}

export const analyse = (fragment: Fragment): Analysis => {
  const findings = new Findings()
  collect(fragment, true, findings)
  return findings.analysis()
}

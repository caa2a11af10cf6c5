/** What rich text may contain: elements, attributes, URL schemes. */
import type { Token } from "parse5"

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/))

const elements = words(`
  a abbr acronym area article aside b bdi bdo blockquote br caption cite code col colgroup dd del details
  dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hgroup hr i img ins kbd li mark meter ol p pre progress
  q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead time
  tr tt u ul var wbr
`)

/** Elements that are removed with their contents; of any other unknown element the contents stay. */
const withContents = words("script style iframe noscript noframes noembed object")

const everywhere = words("dir lang title")
const perElement: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["a", words("href")],
  ["area", words("alt coords href shape rel")],
  ["blockquote", words("cite")],
  ["code", words("class")],
  ["col", words("span width height align valign")],
  ["colgroup", words("span width height align valign")],
  ["caption", words("align")],
  ["del", words("cite datetime")],
  ["details", words("open")],
  ["img", words("src alt width height align")],
  ["ins", words("cite datetime")],
  ["li", words("type value")],
  ["meter", words("value min max low high optimum")],
  ["ol", words("reversed start type")],
  ["pre", words("class")],
  ["progress", words("value max")],
  ["q", words("cite")],
  ["table", words("width height align")],
  ["tbody", words("align valign")],
  ["td", words("colspan rowspan headers scope width height align valign")],
  ["tfoot", words("align valign")],
  ["th", words("colspan rowspan headers scope width height align valign")],
  ["thead", words("align valign")],
  ["time", words("datetime")],
  ["tr", words("align valign")],
  ["ul", words("type")]
])

const urlAttributes = words("href src cite")
const schemes = words("http https mailto sdr")

export const isAllowed = (tagName: string): boolean => elements.has(tagName)

export const isRemovedWithContents = (tagName: string): boolean => withContents.has(tagName)

/** An `a` or `img` without attributes has no effect; only its contents stay. */
export const needsAttributes = (tagName: string): boolean => tagName === "a" || tagName === "img"

/**
 * The address as a browser resolves it, if its scheme is allowed or it is relative.
 * Browsers ignore surrounding control characters and every tab and line break
 * (URL standard, 4.4), so these are removed before the scheme is compared. A colon
 * before the first slash, question mark or hash ends a scheme, even a malformed one
 * (RFC 3986, 4.2).
 */
export const sanitiseUrl = (value: string): string | undefined => {
  const text = value.replace(/[\t\n\r]/g, "")
  let start = 0
  let end = text.length
  while (start < end && text.charCodeAt(start) <= 0x20) start++
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--
  const url = text.slice(start, end)
  if (url === "") return undefined
  const colon = url.indexOf(":")
  if (colon === -1 || /[/?#]/.test(url.slice(0, colon))) return url
  const scheme = url.slice(0, colon).toLowerCase()
  return schemes.has(scheme) ? scheme + url.slice(colon) : undefined
}

/** The languages that a class attribute names, as highlighters read them. Other classes belong to the page around. */
const sanitiseClass = (value: string): string | undefined => {
  const languages = value.split(/[\t\n\f\r ]+/).filter((name) => /^language-[a-z0-9_+#.-]{1,40}$/i.test(name))
  return languages.length === 0 ? undefined : languages.join(" ")
}

const sanitiseValue = (tagName: string, name: string, value: string): string | undefined => {
  if (/^data-[a-z0-9_.-]+$/.test(name)) return value
  if (!everywhere.has(name) && perElement.get(tagName)?.has(name) !== true) return undefined
  if (urlAttributes.has(name)) return sanitiseUrl(value)
  if (name === "class") return sanitiseClass(value)
  if (name === "start") return /^-?\d{1,9}$/.test(value) ? value : undefined
  if (name === "dir") return /^(?:ltr|rtl)$/i.test(value) ? value : undefined
  return value
}

/** The allowed attributes of an allowed element. Links get `rel="nofollow"`: they are not endorsed by the site. */
export const sanitiseAttributes = (
  tagName: string,
  attributes: ReadonlyArray<Token.Attribute>
): Array<Token.Attribute> => {
  const allowed: Array<Token.Attribute> = []
  for (const { name, value } of attributes) {
    const safe = sanitiseValue(tagName, name, value)
    if (safe !== undefined) allowed.push({ name, value: safe })
  }
  if ((tagName === "a" || tagName === "area") && allowed.some(({ name }) => name === "href")) {
    return [...allowed.filter(({ name }) => name !== "rel"), { name: "rel", value: "nofollow" }]
  }
  return allowed
}

/** What of a mail goes into its headers: one line each, and nothing that a mail program would make a link of. Pure. */
import { toLine } from "../field/Text.ts"

/** How many characters a name and a subject may have in a header. */
export const headerMax = { name: 64, subject: 200 }

/** The beginning of a text, with this many characters at most and without white space at the end. */
const cut = (text: string, characters: number): string => {
  const all = Array.from(text)
  return all.length <= characters ? text : all.slice(0, characters).join("").trimEnd()
}

// What addresses are recognised by, in the spellings that programs take for the same.
const signs = /[@＠﹫:：﹕/／∕⁄\\＼﹨<>＜＞"＂]+/gu

// The full stops of names of hosts, those that are turned into one included.
const stop = /([.．。｡․])(?=[^\s.．。｡․])/gu

/**
 * A display name as mails show it. Whoever chooses a name must not be able to put an address or a link before
 * the eyes of someone else: signs of addresses are left out, and after each full stop there is a space.
 */
export const neutralName = (name: string): string => {
  const words = toLine(name).replace(signs, " ").replace(stop, "$1 ").replace(/\s+/gu, " ").trim()
  return cut(words, headerMax.name)
}

/** A subject: one line, of which programs show the beginning. */
export const subjectLine = (subject: string): string => cut(toLine(subject), headerMax.subject)

/** An address as it is counted: its letter case and the spelling of its host do not matter. */
export const recipientKey = (address: string): string => {
  const lower = address.trim().normalize("NFC").toLowerCase()
  const at = lower.lastIndexOf("@")
  const host = lower.slice(at + 1)
  const ascii = URL.parse(`http://${host}`)?.hostname
  return `${lower.slice(0, at)}@${(ascii ?? host).replace(/\.$/, "")}`
}

/** Texts of which some places differ between viewers: written once, and completed for each viewer. */

interface Slot {
  readonly name: string
  /** Where the usual text of the slot begins in the content. */
  readonly start: number
  readonly end: number
}

export type Content = string | Uint8Array

/** Content with the usual text in all slots: as it was written, or as UTF-8. */
export interface Template<out C extends Content = Content> {
  readonly content: C
  readonly slots: ReadonlyArray<Slot>
}

/** The texts that stand in some slots, by name, instead of the usual ones. */
export type Differences = ReadonlyMap<string, string>

/** Writes a template from its beginning to its end. */
export class TemplateWriter {
  private readonly parts: Array<string> = []
  private readonly slots: Array<Slot> = []
  private length = 0

  text(text: string): this {
    this.parts.push(text)
    this.length += text.length
    return this
  }

  slot(name: string, usual: string): this {
    const start = this.length
    this.text(usual)
    this.slots.push({ name, start, end: this.length })
    return this
  }

  done(): Template<string> {
    return { content: this.parts.join(""), slots: this.slots }
  }
}

const encoder = new TextEncoder()

/** The template as UTF-8 with memory of its own, to be kept: small texts in Node's pool would keep all of that. */
export const encoded = ({ content, slots }: Template<string>): Template<Uint8Array> => {
  const bytes = encoder.encode(content)
  if (bytes.length === content.length) return { content: bytes, slots }
  let [done, length] = [0, 0]
  const offsetOf = (place: number) => {
    length += Buffer.byteLength(content.slice(done, place))
    done = place
    return length
  }
  return {
    content: bytes,
    slots: slots.map(({ end, name, start }) => ({ name, start: offsetOf(start), end: offsetOf(end) }))
  }
}

const part = (content: Content, start: number, end?: number): Content =>
  typeof content === "string" ? content.slice(start, end) : content.subarray(start, end)

/** The content for one viewer, in pieces that follow each other. */
export const pieces = ({ content, slots }: Template, differences: Differences): ReadonlyArray<Content> => {
  if (differences.size === 0) return [content]
  const parts: Array<Content> = []
  let done = 0
  for (const { end, name, start } of slots) {
    const text = differences.get(name)
    if (text === undefined) continue
    parts.push(part(content, done, start), text)
    done = end
  }
  parts.push(part(content, done))
  return parts
}

/** Pieces that follow each other as UTF-8. */
export const joined = (parts: ReadonlyArray<Content>): Uint8Array => {
  const [only] = parts
  if (parts.length === 1 && typeof only === "object") return only
  const chunks: Array<Uint8Array> = []
  let text = ""
  const encode = () => {
    if (text !== "") chunks.push(Buffer.from(text))
    text = ""
  }
  for (const part of parts) {
    if (typeof part === "string") text += part
    else {
      encode()
      chunks.push(part)
    }
  }
  encode()
  const [whole] = chunks
  return chunks.length === 1 && whole !== undefined ? whole : Buffer.concat(chunks)
}

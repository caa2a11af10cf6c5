/** Text of which some places differ by viewer: written once as bytes, completed for each viewer. */

interface Slot {
  readonly name: string
  /** Where the usual text stands in the bytes. */
  readonly start: number
  readonly end: number
}

/** UTF-8 bytes with the usual text in all slots. */
export interface Template {
  readonly bytes: Uint8Array
  readonly slots: ReadonlyArray<Slot>
}

/** What stands in some slots instead of the usual text. */
export type Differences = ReadonlyMap<string, string>

/** Writes a template from its beginning to its end. */
export class TemplateWriter {
  private readonly chunks: Array<Uint8Array> = []
  private readonly slots: Array<Slot> = []
  private length = 0

  text(text: string): this {
    const chunk = Buffer.from(text)
    this.chunks.push(chunk)
    this.length += chunk.length
    return this
  }

  slot(name: string, usual: string): this {
    const start = this.length
    this.text(usual)
    this.slots.push({ name, start, end: this.length })
    return this
  }

  done(): Template {
    // Memory of its own: a small part of Node's shared pool would keep all of it for as long as the template.
    const bytes = Buffer.allocUnsafeSlow(this.length)
    let written = 0
    for (const chunk of this.chunks) {
      bytes.set(chunk, written)
      written += chunk.length
    }
    return { bytes, slots: this.slots }
  }
}

/** The bytes for one viewer, in pieces that follow each other. */
export const pieces = ({ bytes, slots }: Template, differences: Differences): ReadonlyArray<Uint8Array> => {
  if (differences.size === 0) return [bytes]
  const parts: Array<Uint8Array> = []
  let done = 0
  for (const { end, name, start } of slots) {
    const text = differences.get(name)
    if (text === undefined) continue
    parts.push(bytes.subarray(done, start), Buffer.from(text))
    done = end
  }
  parts.push(bytes.subarray(done))
  return parts
}

/** Writing iCalendar (RFC 5545, with the properties of RFC 7986). */

// Octets of a line without its end.
const lineMax = 75

/** Folds a line between characters, so that none of its parts has more octets than a line may have. */
const folded = (line: string): string => {
  const parts: Array<string> = []
  let part = ""
  let room = lineMax
  for (const character of line) {
    const size = Buffer.byteLength(character)
    if (size > room) {
      parts.push(part)
      part = ""
      // A part that is not the first begins with a space.
      room = lineMax - 1
    }
    part += character
    room -= size
  }
  return [...parts, part].join("\r\n ")
}

// Values have no control characters but the tab. Half of a surrogate pair is no character.
const forbidden = /[^\t\n\u0020-\u007e\u0080-\ud7ff\ue000-\u{10ffff}]/gu

const cleaned = (value: string): string => value.replace(/\r\n?/g, "\n").replace(forbidden, "")

/** A value of the type TEXT. */
const text = (value: string): string =>
  cleaned(value)
    .replace(/[\\;,]/g, (character) => `\\${character}`)
    .replaceAll("\n", "\\n")

/** A property of which the value is of another type, and is written already. */
export const property = (name: string, value: string): string =>
  `${folded(`${name}:${cleaned(value).replaceAll("\n", "")}`)}\r\n`

export const textProperty = (name: string, value: string): string => `${folded(`${name}:${text(value)}`)}\r\n`

/** An instant in UTC, to the second. */
export const instant = (timestamp: string): string => `${timestamp.slice(0, 19).replace(/[-:]/g, "")}Z`

export const component = (name: string, properties: ReadonlyArray<string>): string =>
  `BEGIN:${name}\r\n${properties.join("")}END:${name}\r\n`

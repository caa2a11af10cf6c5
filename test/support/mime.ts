/** Reads mails as they come over the wire (RFC 5322, 2045 and 2047), as far as the service writes them. */

export interface ReadMail {
  /** As it came. */
  readonly raw: string
  /** The decoded value of a header, or nothing; of one that occurs twice, the first. */
  readonly header: (name: string) => string | undefined
  /** How often a header occurs. */
  readonly count: (name: string) => number
  readonly subject: string
  readonly messageId: string
  /** The display name of the first recipient, or an empty text. */
  readonly toName: string
  readonly text: string
  readonly html: string
}

const fromQuotedPrintable = (text: string): Buffer =>
  Buffer.from(
    text
      .replace(/=\r?\n/g, "")
      .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1"
  )

const encodedWord = /=\?utf-8\?([bq])\?([^?]*)\?=/gi

/** A header with its encoded words read; white space between two of them counts for nothing. */
const wordsOf = (value: string): string =>
  value
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(encodedWord, (_, kind: string, text: string) =>
      kind.toLowerCase() === "b"
        ? Buffer.from(text, "base64").toString()
        : fromQuotedPrintable(text.replaceAll("_", " ")).toString()
    )

interface Part {
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string
}

const partOf = (raw: string): Part => {
  const end = raw.search(/\r?\n\r?\n/)
  const head = end === -1 ? raw : raw.slice(0, end)
  const lines = head.replace(/\r?\n(?=[ \t])/g, "").split(/\r?\n/)
  const headers = lines.map((line) => {
    const colon = line.indexOf(":")
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
  })
  return { headers, body: end === -1 ? "" : raw.slice(end).replace(/^\r?\n\r?\n/, "") }
}

const headerOf = ({ headers }: Part, name: string): string | undefined =>
  headers.find(([one]) => one === name.toLowerCase())?.[1]

const bodyOf = (part: Part): string => {
  const encoding = headerOf(part, "content-transfer-encoding")?.toLowerCase()
  if (encoding === "base64") return Buffer.from(part.body, "base64").toString()
  return encoding === "quoted-printable" ? fromQuotedPrintable(part.body).toString() : part.body
}

const partsOf = (part: Part): ReadonlyArray<Part> => {
  const boundary = /^multipart\/.*boundary="?([^";]+)"?/i.exec(headerOf(part, "content-type") ?? "")?.[1]
  if (boundary === undefined) return [part]
  return part.body
    .split(`--${boundary}`)
    .slice(1, -1)
    .flatMap((inner) => partsOf(partOf(inner.replace(/^\r?\n/, "").replace(/\r?\n$/, ""))))
}

export const readMail = (raw: string): ReadMail => {
  const whole = partOf(raw)
  const parts = partsOf(whole)
  const textOf = (type: string) => {
    const part = parts.find((one) => headerOf(one, "content-type")?.startsWith(type))
    return part === undefined ? "" : bodyOf(part).replaceAll("\r\n", "\n")
  }
  const header = (name: string) => {
    const value = headerOf(whole, name)
    return value === undefined ? undefined : wordsOf(value)
  }
  const to = header("to") ?? ""
  return {
    raw,
    header,
    count: (name) => whole.headers.filter(([one]) => one === name.toLowerCase()).length,
    subject: header("subject") ?? "",
    messageId: header("message-id") ?? "",
    toName: to.includes("<")
      ? to
          .slice(0, to.lastIndexOf("<"))
          .trim()
          .replace(/^"(.*)"$/, "$1")
          .replace(/\\(.)/g, "$1")
      : "",
    text: textOf("text/plain"),
    html: textOf("text/html")
  }
}
